import { writeSync } from 'node:fs';
import { otherHost } from '../client/hooks/other-host.ts';
import { parseHookEvent } from '../client/hooks/parse.ts';
import { type HookOutput, renderAnswer } from '../client/hooks/render.ts';
import type { Entry } from '../core/loop/entry.ts';
import { type Answer, eventName, type HookEvent, type StopEvent } from '../core/loop/event.ts';
import { oneLine } from '../core/text/clip.ts';
import { isSafeId } from '../core/text/paths.ts';
import { visible } from '../core/text/visible.ts';
import { LockTimeout } from '../files/lock.ts';
import { sleep } from '../files/system.ts';
import { takeTurn } from '../home/event-turns.ts';
import { UNREADABLE } from '../home/hold-script.ts';
import { figureOf, writeFigure } from '../home/hook-figures.ts';
import { type Home, homeFrom, homeRoot } from '../home/layout.ts';
import { thisProgram } from '../home/program.ts';
import { programAtStop } from '../home/program-words.ts';
import { refreshScripts } from '../home/scripts.ts';
import { answerDoubtful, callerOfEvent, doubtAbout, heldUnjudged, type OpenedStore } from './doubtful.ts';
import { handleHook } from './handle-hook.ts';
import { type Input, readInput } from './read-input.ts';
import { withMessages } from './stop/answers.ts';
import { DoubtfulStop, letGoUnjudged } from './unwritable-journal.ts';
import { loadJudgeBundle } from './wiring/load-bundles.ts';
import { openPorts } from './wiring/ports.ts';

/** What a bundle answers events with. */
export interface Answering<Opened extends OpenedStore> {
  open(home: Home, env: NodeJS.ProcessEnv): Opened;
  handle(event: HookEvent, opened: Opened): Promise<Answer>;
  /** Whether it answers events of this name; absent: all. */
  knows?(name: string): boolean;
  /** Answers what is no event; absent: another bundle does. */
  unusable?(problem: string, text: string): Outcome;
  /** Done when the answer is out. */
  afterwards?(): void;
}

/** After an upgrade the scripts in the home are those of an older version: they are brought up to date once there is an answer. */
export function withScripts<Opened extends OpenedStore>(answering: Answering<Opened>): Answering<Opened> {
  let areScriptsCurrent = false;
  return {
    ...answering,
    async handle(event, opened) {
      const answer = await answering.handle(event, opened);
      if (event.name !== 'Stop' || answer.kind === 'silence' || answer.kind === 'ignore') return answer;
      // Whoever reads how a Stop ended learns, too, when the hooks run another program than the one that a person chose.
      const { messages, isCurrent } = programAtStop(homeRoot(process.env), thisProgram(), process.env);
      areScriptsCurrent = isCurrent;
      return withMessages(answer, messages);
    },
    afterwards() {
      if (!areScriptsCurrent) refreshScripts(homeRoot(process.env), thisProgram());
    },
  };
}

/**
 * `untildone hook`: answers one event with at most one JSON object on stdout (before a compaction, plain text). Whatever goes
 * wrong, one answer is made, and `give` writes it, once.
 */
export async function answerEvent(given?: Input): Promise<void> {
  const open = (home: Home, env: NodeJS.ProcessEnv) => openPorts(home, env, loadJudgeBundle);
  const everyEvent = withScripts<ReturnType<typeof openPorts>>({ open, handle: handleHook, unusable });
  await answerBy(everyEvent, given ?? (await readInput()));
}

/** Says `unknown` of input that is not for this bundle, and has done nothing then. */
export async function answerBy<Opened extends OpenedStore>(
  answering: Answering<Opened>,
  input: Input,
): Promise<'answered' | 'unknown'> {
  // A run answers the events of its sessions itself. A second answer would judge everything twice.
  if (process.env.UNTILDONE_RUN !== undefined) return 'answered';
  if (otherHost(input.text, process.env) !== undefined) return 'answered';
  const parsed = input.ok ? parseHookEvent(input.text) : input;
  if (!parsed.ok) {
    if (!answering.unusable) return 'unknown';
    give(answering.unusable(parsed.problem, input.text));
    return 'answered';
  }
  if (answering.knows?.(eventName(parsed.event)) === false) return 'unknown';
  await answerOnce(parsed.event, input.text, answering);
  answering.afterwards?.();
  return 'answered';
}

async function answerOnce<Opened extends OpenedStore>(
  event: HookEvent,
  text: string,
  answering: Answering<Opened>,
): Promise<void> {
  // The hooks module of the plugin has answered this event, and hands it on to all other hooks.
  if (event.answered) return;
  const home = homeFrom(process.env);
  const doubt = doubtAbout(event, home, process.env);
  if (doubt !== undefined) return give(await outcomeOf(event, answering, doubt));
  const arrived = { session: event.session, text, way: process.env.UNTILDONE_WAY ?? '' };
  const turn = takeTurn(arrived, home);
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
interface Outcome extends Omit<HookOutput, 'exitCode'> {
  exitCode: HookOutput['exitCode'] | typeof UNREADABLE;
  /** The reason of a refusal, which must reach Claude Code even where stdout cannot be written. */
  refusal?: string;
  /** The kind of the answer; absent when the event could not be answered. */
  answer?: Answer['kind'];
}

/** Answers an event. Never throws, and leaves nothing to do that could. */
async function outcomeOf<Opened extends OpenedStore>(
  event: HookEvent,
  answering: Answering<Opened>,
  doubt?: string,
): Promise<Outcome> {
  const strays = watchStrays();
  let ports: Opened | undefined;
  try {
    leaveGoneFolder();
    const home = homeFrom(process.env);
    const opened = answering.open(home, process.env);
    ports = opened;
    if (doubt !== undefined) return outcome(event, answerDoubtful(event, doubt, opened, home));
    return outcome(event, await Promise.race([answering.handle(event, opened), strays.failed]));
  } catch (error) {
    return await outcomeOfFailure(event, asError(error), ports).catch(() => unheld(event, asError(error)));
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

/**
 * Answers what is no event. `hook.sh`, which waits for this process, knows event and session from elsewhere, so `hold.sh`
 * answers. Without it, what may be a Stop of the session in the environment is held, a few times in a row.
 */
export function unusable(problem: string, text: string): Outcome {
  const { env } = process;
  const failed = failure(problem);
  const [home, session = ''] = [homeFrom(env), env.CLAUDE_CODE_SESSION_ID];
  if (!isSafeId(session) || callerOfEvent(session, home, env).by === 'agent') return failed;
  if (env.UNTILDONE_ANSWERED !== undefined) return { ...failed, exitCode: UNREADABLE };
  const named = /"hook_event_name"\s*:\s*"(\w+)"/.exec(text)?.[1];
  if (named !== undefined && named.toLowerCase() !== 'stop') return failed;
  // Where no count can be kept, the session may stop.
  const event: StopEvent = { name: 'Stop', session, stopHookActive: true, backgroundTasks: [], wakeUps: [] };
  try {
    const held = heldUnjudged(event, new DoubtfulStop(problem), openPorts(home, env, loadJudgeBundle), home);
    return held ? { ...outcome(event, held), stderr: inShort(problem) } : failed;
  } catch {
    return failed;
  }
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
  const told: Partial<Record<HookEvent['name'], string>> = {
    Stop: letGoUnjudged(error.message),
    UserPromptSubmit: `untildone could not look at this prompt: ${visible(oneLine(error.message, 300))}`,
  };
  const systemMessage = told[event.name];
  return systemMessage === undefined ? failed : { ...failed, stdout: JSON.stringify({ systemMessage }) };
}

/** Answers an event that something unexpected happened to. */
async function outcomeOfFailure(
  event: HookEvent,
  error: Error,
  ports: OpenedStore | undefined,
): Promise<Outcome> {
  const home = homeFrom(process.env);
  const held = event.name === 'Stop' && ports ? heldUnjudged(event, error, ports, home) : undefined;
  // After a timeout of the lock, writing to the journal would wait for the same lock again.
  if (ports && !(error instanceof LockTimeout)) journalError(event, error, ports);
  if (!held) return unheld(event, error);
  return { ...outcome(event, held), stderr: inShort(error.message) };
}

/** Records the failure in the journal, if that can be written. */
function journalError(event: HookEvent, error: Error, { store }: OpenedStore): void {
  try {
    const ref = store.loopOfSession(event.session);
    if (!ref) return;
    const entry: Entry = { kind: 'error', message: oneLine(error.message, 500) };
    store.append(ref, (state) => (state.session === event.session ? entry : undefined));
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
