import { writeSync } from 'node:fs';
import { parseHookEvent } from '../client/hooks/parse.ts';
import { type HookOutput, renderAnswer } from '../client/hooks/render.ts';
import type { Entry } from '../core/loop/entry.ts';
import { type Answer, eventName, type HookEvent, type StopEvent } from '../core/loop/event.ts';
import { oneLine } from '../core/text/clip.ts';
import { visible } from '../core/text/visible.ts';
import { LockTimeout } from '../files/lock.ts';
import { sleep } from '../files/system.ts';
import { measures } from '../gates/traits.ts';
import { takeTurn } from '../home/event-turns.ts';
import { fallbackCounts } from '../home/fallback-counts.ts';
import { figureOf, writeFigure } from '../home/hook-figures.ts';
import { type Home, homeFrom } from '../home/layout.ts';
import type { UnjudgedLoop } from '../judging/ports.ts';
import type { LoopRef, Ports } from '../ports/ports.ts';
import { handleHook } from './handle-hook.ts';
import { type Input, readInput } from './read-input.ts';
import { holdUnjudged } from './unwritable-journal.ts';
import { loadJudgeBundle } from './wiring/load-bundles.ts';
import { openPorts } from './wiring/ports.ts';

/** What a bundle answers events with. */
export interface Answering<Opened extends Pick<Ports, 'store'>> {
  open(home: Home, env: NodeJS.ProcessEnv): Opened;
  handle(event: HookEvent, opened: Opened): Promise<Answer>;
  /** How a Stop is held that could not be judged. */
  held?(event: StopEvent, error: Error, opened: Opened): Answer | undefined;
  /** The events that it knows; absent: all. */
  events?: ReadonlySet<string>;
}

const EVERY_EVENT: Answering<OpenPorts> = {
  open: (home, env) => openPorts(home, env, loadJudgeBundle),
  handle: handleHook,
  held: heldUnjudged,
};

/**
 * `untildone hook`: reads one event from stdin and writes at most one JSON object (before a compaction, plain text). Whatever
 * goes wrong, one answer is made, and `give` writes it, once.
 */
export async function answerEvent(input?: Input): Promise<void> {
  await answerBy(EVERY_EVENT, input);
}

/** Says `unknown` of an event that it does not know, and has done nothing then. */
export async function answerBy<Opened extends Pick<Ports, 'store'>>(
  answering: Answering<Opened>,
  given?: Input,
): Promise<'answered' | 'unknown'> {
  // A run answers the events of its sessions itself. A second answer would judge everything twice.
  if (process.env.UNTILDONE_RUN !== undefined) return 'answered';
  const input = given ?? readInput();
  const parsed = input.ok ? parseHookEvent(input.text) : input;
  if (!parsed.ok) give(failure(parsed.problem));
  else if (answering.events?.has(eventName(parsed.event)) === false) return 'unknown';
  else if (input.ok) await answerOnce(parsed.event, input.text, answering);
  return 'answered';
}

async function answerOnce<Opened extends Pick<Ports, 'store'>>(
  event: HookEvent,
  text: string,
  answering: Answering<Opened>,
): Promise<void> {
  // The hooks module of the plugin has answered this event, and hands it on to all other hooks.
  if (event.answered) return;
  const arrived = { session: event.session, text, way: process.env.UNTILDONE_WAY ?? '' };
  const turn = takeTurn(arrived, homeFrom(process.env));
  if (!turn) return;
  const outcome = await outcomeOf(event, answering);
  give(outcome);
  turn.answered();
  count(event, outcome);
}

/** Keeps that this event was answered, and how long it took. Last of all: nobody waits for it, and nothing depends on it. */
function count(event: HookEvent, outcome: Outcome): void {
  const { env } = process;
  const answer = outcome.answer ?? 'error';
  const project = env.CLAUDE_PROJECT_DIR || event.cwd || '';
  const ms = process.uptime() * 1000;
  writeFigure(figureOf(event, { at: Date.now(), project, answer, ms }), homeFrom(env), env);
}

/** What this process says and how it ends. */
interface Outcome extends HookOutput {
  /** The reason of a refusal, which must reach Claude Code even where stdout cannot be written. */
  refusal?: string;
  /** The kind of the answer; absent when the event could not be answered. */
  answer?: Answer['kind'];
}

/** Answers an event. Never throws, and leaves nothing to do that could. */
async function outcomeOf<Opened extends Pick<Ports, 'store'>>(
  event: HookEvent,
  answering: Answering<Opened>,
): Promise<Outcome> {
  const strays = watchStrays();
  let ports: Opened | undefined;
  try {
    leaveGoneFolder();
    const opened = answering.open(homeFrom(process.env), process.env);
    ports = opened;
    return outcome(event, await Promise.race([answering.handle(event, opened), strays.failed]));
  } catch (error) {
    const held = (failed: StopEvent) => ports && answering.held?.(failed, asError(error), ports);
    return await outcomeOfFailure(event, asError(error), ports, held).catch(() =>
      unheld(event, asError(error)),
    );
  } finally {
    strays.stop();
  }
}

/** Goes somewhere else when the current folder was removed: otherwise every path and every command would fail. */
function leaveGoneFolder(): void {
  try {
    process.cwd();
  } catch {
    process.chdir('/');
  }
}

function outcome(event: HookEvent, answer: Answer): Outcome {
  const refusal = answer.kind === 'refuse' ? answer.reason : undefined;
  return { ...renderAnswer(eventName(event), answer), refusal, answer: answer.kind };
}

function failure(problem: string): Outcome {
  return { stdout: '', stderr: `${inShort(problem)}; Claude Code goes on without an answer`, exitCode: 0 };
}

function inShort(problem: string): string {
  return `untildone hook: ${visible(oneLine(problem, 500))}`;
}

/**
 * Tells the user that nothing was judged. Without a word, the session would look as if it were done. At a prompt they are
 * told, too: nobody reads what a hook says to stderr.
 */
function unheld(event: HookEvent, error: Error): Outcome {
  const failed = failure(`${eventName(event)} of session ${event.session}: ${error.message}`);
  const problem = visible(oneLine(error.message, 300));
  const told: Partial<Record<HookEvent['name'], string>> = {
    Stop: `untildone could not judge this Stop, so the session may stop; nothing is proven: ${problem}`,
    UserPromptSubmit: `untildone could not look at this prompt: ${problem}`,
  };
  const systemMessage = told[event.name];
  return systemMessage === undefined ? failed : { ...failed, stdout: JSON.stringify({ systemMessage }) };
}

/** Answers an event that something unexpected happened to. */
async function outcomeOfFailure(
  event: HookEvent,
  error: Error,
  ports: Pick<Ports, 'store'> | undefined,
  hold: (event: StopEvent) => Answer | undefined,
): Promise<Outcome> {
  const held = event.name === 'Stop' ? hold(event) : undefined;
  // After a timeout of the lock, writing to the journal would wait for the same lock again.
  if (ports && !(error instanceof LockTimeout)) journalError(event, error, ports);
  if (!held) return unheld(event, error);
  return { ...outcome(event, held), stderr: inShort(error.message) };
}

type OpenPorts = ReturnType<typeof openPorts>;

/** Needs no other bundle: whatever else is missing, the session is held. */
function heldUnjudged(event: StopEvent, error: Error, ports: OpenPorts): Answer | undefined {
  const loop = unjudgedLoop(event.session, ports);
  return loop && holdUnjudged(event, loop, error, { fallbackCounts: fallbackCounts() });
}

/** The loop that a Stop belongs to, as far as that can be told when files cannot be read. Undefined: there is none. */
function unjudgedLoop(session: string, { store }: OpenPorts): UnjudgedLoop | undefined {
  let ref: LoopRef | undefined;
  try {
    ref = store.loopToJudge(session);
    if (!ref) return undefined;
    return { ref, measures: measures(store.contract(ref).contract), iteration: store.read(ref).iteration };
  } catch {
    // Its marker says as much: it has content where gates run commands.
    const marked = store.markOf(session);
    return marked === 'none' ? undefined : { ref, measures: marked !== 'empty' };
  }
}

/** Records the failure in the journal, if that can be written. */
function journalError(event: HookEvent, error: Error, ports: Pick<Ports, 'store'>): void {
  try {
    const ref = ports.store.loopOfSession(event.session);
    if (!ref) return;
    const entry: Entry = { kind: 'error', message: oneLine(error.message, 500) };
    ports.store.append(ref, (state) => (state.session === event.session ? entry : undefined));
  } catch {
    // stderr has the message already.
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/**
 * Rejects `failed` for errors that nobody waits for, and when this process has nothing left to do although there is no
 * answer yet. Otherwise Node would end here without one.
 */
function watchStrays(): { failed: Promise<never>; stop(): void } {
  let reject: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, no) => {
    reject = no;
  });
  // Nobody waits for it once there is an answer.
  failed.catch(() => undefined);
  const onError = (error: unknown) => reject(error);
  const onEnd = () => reject(new Error('nothing was left to wait for, and there was no answer yet'));
  process.on('uncaughtException', onError).on('unhandledRejection', onError).on('beforeExit', onEnd);
  return {
    failed,
    stop() {
      process.off('uncaughtException', onError).off('unhandledRejection', onError).off('beforeExit', onEnd);
    },
  };
}

/** Writes the answer: the only place that does. A refusal that stdout does not take goes to stderr, with exit code 2. */
function give({ stdout, stderr, exitCode, refusal }: Outcome): void {
  const lost = stdout === '' ? undefined : writeOut(1, `${stdout}\n`);
  const problem = lost && `untildone hook: the answer could not be written to stdout (${lost.message})`;
  const said = lost && refusal !== undefined ? refusal : [stderr, problem].filter(Boolean).join('\n');
  if (said !== '') writeOut(2, `${said}\n`);
  process.exitCode = lost ? (refusal === undefined ? 1 : 2) : exitCode;
}

/** Writes the whole text before the process ends. Returns the error when that is not possible. */
function writeOut(fd: number, text: string): Error | undefined {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return error as Error;
      sleep(2);
    }
  }
  return undefined;
}
