import type { FrozenContract } from '../../core/contract/contract.ts';
import { type Answer, type SessionStartEvent, SILENCE } from '../../core/loop/event.ts';
import type { SessionPorts } from '../../judging/ports.ts';
import { withMessages } from '../stop/answers.ts';
import { toldOnce } from '../unwritable-journal.ts';
import { tellLeftLoops } from './abandoned-loops.ts';
import type { EventAnswer } from './answer-other.ts';
import { remind } from './compaction.ts';
import { tellLessons } from './lessons.ts';
import { noteEvent } from './note-event.ts';
import { memoryFor } from './notes.ts';

/** A session begins, is resumed, or goes on after a compaction. */
export const sessionStart: EventAnswer<SessionStartEvent> = {
  inLoop(event, loop, ports) {
    const { state, messages } = noteEvent(event, loop, ports);
    return withMessages(remind(event, loop.ref, state, ports), messages);
  },
  async withoutLoop(event, { contract }, ports) {
    return withMessages(tellNotes(event, contract, ports), await begin(event, contract, ports));
  },
  unguarded: (event, ports) => [tellLeftLoops(event, ports), tellLessons(event, ports)],
};

function tellNotes(
  event: SessionStartEvent,
  { frozen, contract }: FrozenContract,
  ports: SessionPorts,
): Answer {
  const { context, problems } = memoryFor(frozen.project, contract, event.source, ports.notes.files);
  if (context !== undefined) return { kind: 'inject', context };
  return problems.length > 0 ? { kind: 'tell', message: problems.join('\n') } : SILENCE;
}

/**
 * Records the tree at the start of the session. A Stop with the same tree needs no judging. A resumed session keeps its
 * first tree as base, but is not held again for what it left.
 */
async function begin(
  event: SessionStartEvent,
  frozen: FrozenContract,
  ports: SessionPorts,
): Promise<string[]> {
  if (event.source === 'compact') return [];
  const { project } = frozen.frozen;
  try {
    const tree = await (await ports.judges(frozen.contract)).workspace(project).tree();
    const before = event.source === 'resume' ? ports.standing.read(event.session).baseTree : undefined;
    const state = { blocks: 0, guarded: {}, baseTree: before ?? tree, settledTree: tree };
    ports.standing.write(event.session, state);
    return [];
  } catch (error) {
    // Errors of the file system have a code, and the user is told. The session goes on after any error.
    const { code, message } = error as NodeJS.ErrnoException;
    return code === undefined ? [] : toldOnce(event, message, ports.standing.outputDir(project), ports);
  }
}
