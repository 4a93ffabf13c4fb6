import { type Answer, SILENCE, type ToolEvent } from '../../core/loop/event.ts';
import { hasEnded } from '../../core/loop/state.ts';
import { singleQuoted } from '../../core/shell/words.ts';
import { visible } from '../../core/text/visible.ts';
import { askInLine } from '../../core/tools/ask-command.ts';
import type { Ports } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { askPerson } from './ask-person.ts';

/**
 * Asks for the agent, where a shell line does nothing else. So it can ask where its shell may run nothing unasked, does not
 * see the home for walls, or finds another program of this name. The line becomes one that prints the answer.
 */
export function askByTool(event: ToolEvent, ref: LoopRef, ports: Pick<Ports, 'store'>): Answer {
  const { command } = event.input;
  const request = event.tool === 'Bash' && typeof command === 'string' ? askInLine(command) : undefined;
  if (!request || isForAnother(event, ref, ports)) return SILENCE;
  try {
    return said(event, `echo ${singleQuoted(visible(`untildone: ${askPerson(ref, request, ports)}`))}`);
  } catch (error) {
    const { message, name } = error as Error;
    // Anything else is told by the command itself.
    if (name !== 'UsageError') return SILENCE;
    return said(event, `echo ${singleQuoted(visible(`untildone: ${message}`))} >&2; exit 2`);
  }
}

/** A session with a loop of its own asks for that one, not for those of foreign formats as well. */
function isForAnother({ session }: ToolEvent, ref: LoopRef, { store }: Pick<Ports, 'store'>): boolean {
  const own = store.loopOfSession(session);
  return own !== undefined && own.dir !== ref.dir && !hasEnded(store.read(own));
}

function said({ input }: ToolEvent, command: string): Answer {
  return { kind: 'rewrite', input: { ...input, command }, permitted: true };
}
