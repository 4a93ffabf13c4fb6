import { readFileSync } from 'node:fs';
import { questionsForYou } from '../../engine/core/loop/asked.ts';
import { hasEnded, isDone, type LoopState } from '../../engine/core/loop/state.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import type { FileStore } from '../../engine/home/store.ts';
import { askPerson } from '../../engine/hook/guard/ask-person.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { openProject } from '../../engine/hook/wiring/project-ports.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import { answerAgent, answerIn, questionMeant } from '../../engine/run/person/answer.ts';
import { type Found, loopsAround, meantLoop, readLoops } from '../../engine/run/person/find-loop.ts';
import { out } from '../../engine/terminal/print.ts';

interface AskFlags {
  option?: string[];
  decided?: string;
  file?: string;
  session?: string;
}

/** `untildone ask`. */
export function ask(words: string[], flags: AskFlags): void {
  const { home, store } = openProject(flags.session ?? process.env.CLAUDE_CODE_SESSION_ID);
  if (flags.session !== undefined && flags.session !== process.env.CLAUDE_CODE_SESSION_ID)
    refuseInsideClient('ask --session', home, process.env);
  const ref = loopThatAsks(flags.session, store, process.env);
  const text = flags.file === undefined ? words.join(' ') : questionIn(flags.file, words);
  out(askPerson(ref, { text, options: flags.option ?? [], decided: flags.decided }, { store }));
}

const FILE_LIMIT = 64 * 1024;

function questionIn(file: string, words: readonly string[]): string {
  if (words.length > 0) throw new UsageError('give the question as text or with --file, not both');
  try {
    return readFileSync(file === '-' ? 0 : file).toString('utf8', 0, FILE_LIMIT);
  } catch (error) {
    throw new UsageError(`cannot read the question: ${(error as Error).message}`);
  }
}

/** The unfinished loop of the session that this is called in. */
function loopThatAsks(given: string | undefined, store: FileStore, env: NodeJS.ProcessEnv): LoopRef {
  const session = given ?? env.CLAUDE_CODE_SESSION_ID;
  if (!session)
    throw new UsageError(
      'no session that asks: an agent calls this inside of Claude Code; to answer a question, type: untildone answer "..."',
    );
  const own = store.activeLoopOf(session);
  const found = [...(own ? [own] : []), ...store.claimedLoopsOf(session)].find(
    (ref) => store.read(ref).session === session,
  );
  if (found) return found;
  if (env.UNTILDONE_RUN !== undefined)
    throw new UsageError(
      'this shell does not see the loop of its run (walls hide it). Type the command alone in a line, with its words written out: untildone ask "your question"',
    );
  throw new UsageError('this session has no loop that could wait: ask in your final message instead');
}

interface AnswerFlags {
  option?: number;
  question?: number;
  loop?: string;
}

/** `untildone answer`. */
export function answer(words: string[], flags: AnswerFlags): void {
  const { home, store, project } = openProject();
  refuseInsideClient('answer', home, process.env);
  const { id, text } = loopAndText(words, flags, store);
  const ref = loopToAnswer(store, project, id);
  const state = store.read(ref);
  const question = questionMeant(state, flags.question);
  const given = answerIn(question, text, flags.option);
  for (const line of answerAgent(ref, question, given, store)) out(line);
}

/** The first word is the loop when it names one, and more is said. */
function loopAndText(
  words: readonly string[],
  { loop, option }: AnswerFlags,
  store: FileStore,
): { id: string | undefined; text: string } {
  const [first = '', ...rest] = words;
  const namesLoop = /^\d{8}-\d/.test(first) && store.loops().some((ref) => ref.loop.startsWith(first));
  if (loop === undefined && namesLoop && (rest.length > 0 || option !== undefined))
    return { id: first, text: rest.join(' ') };
  return { id: loop, text: words.join(' ') };
}

/** By its id, else the only one here with a question; one that ended for want of an answer counts when no other asks. */
function loopToAnswer(store: FileStore, project: string, id: string | undefined): LoopRef {
  if (id !== undefined) return meantLoop(store, project, id);
  const asking = readLoops(store, loopsAround(store, project)).filter(
    (found): found is Extract<Found, { state: LoopState }> =>
      'state' in found && !isDone(found.state.status) && questionsForYou(found.state).length > 0,
  );
  const unended = asking.filter(({ state }) => !hasEnded(state));
  const [only, second] = unended.length > 0 ? unended : asking.filter(({ state }) => state.run).slice(0, 1);
  if (!only)
    throw new UsageError('no loop of this project waits for an answer of yours; see: untildone status');
  if (second)
    throw new UsageError(
      `${unended.length} loops wait for an answer; name one: untildone answer LOOP "..."; there are: ${unended.map(({ ref }) => ref.loop).join(', ')}`,
    );
  return only.ref;
}
