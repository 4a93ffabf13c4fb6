import type { Contract } from '../../core/contract/contract.ts';
import type { HookEvent } from '../../core/loop/event.ts';
import { partMissing } from '../../core/text/errors.ts';
import type { MatcherOf } from '../../core/tools/rewrite-input.ts';
import type { ToolGuard } from '../../core/tools/tool-rules.ts';
import type { Judges } from '../../gates/gate.ts';
import type { Home } from '../../home/layout.ts';
import type { FileStore } from '../../home/store.ts';
import type { OtherEvents, Receipts } from '../../judging/ports.ts';
import type { SessionPort } from '../../ports/ports.ts';
import type { foreignLoops } from './foreign.ts';
import type { markReflection } from './mark-reflection.ts';

export interface JudgesOptions {
  /** False: the program handles signals itself, as one that uses the library does. */
  endWithSignals?: boolean;
  /** What is judged: only what it may need is loaded. Absent: everything. */
  contract?: Contract;
}

/** What `judge.cjs` offers: the gates that measure, and sessions of Claude Code. */
export interface JudgeBundle {
  openJudges(home: Home, env: NodeJS.ProcessEnv, options?: JudgesOptions): Promise<Judges>;
  openReceipts(home: Home): Receipts;
  /** Compiles a pattern of a contract, for tool rules that rewrite inputs. */
  patterns(): Promise<MatcherOf>;
  agentSessions(options: { env: NodeJS.ProcessEnv; project?: string }): Promise<SessionPort>;
}

/** What `formats.cjs` offers: loops in the state files of other systems. */
export interface FormatsBundle {
  foreignLoops: typeof foreignLoops;
  markReflection: typeof markReflection;
}

/** What queueing the end of a session needs. */
export interface EndingPorts {
  home: Home;
  store: FileStore;
  env: NodeJS.ProcessEnv;
  now: number;
  load(): Promise<FormatsBundle>;
}

/** What `events.cjs` offers to Stops: the handling of all other events, and what begins when a session may end. */
export interface EventsBundle {
  openSession(home: Home, env: NodeJS.ProcessEnv): OtherEvents;
  openTools(env: NodeJS.ProcessEnv, load: () => Promise<JudgeBundle>): ToolGuard;
  queueEnding(event: HookEvent, ports: EndingPorts): Promise<string[]>;
}

/** Most events need none of these bundles, which lie beside this one. */
export async function loadJudgeBundle(): Promise<JudgeBundle> {
  return whole('judge.cjs', 'openJudges', () => require('./judge.cjs') as JudgeBundle);
}

export async function loadFormatsBundle(): Promise<FormatsBundle> {
  return whole('formats.cjs', 'foreignLoops', () => require('./formats.cjs') as FormatsBundle);
}

export async function loadEventsBundle(): Promise<EventsBundle> {
  return whole('events.cjs', 'openSession', () => require('./events.cjs') as EventsBundle);
}

/**
 * A bundle may be gone or damaged, as in the middle of an update: the Stop is then held unjudged where gates measure, like
 * after any other failure.
 */
function whole<Bundle>(name: string, last: keyof Bundle, load: () => Bundle): Bundle {
  try {
    const bundle = load();
    if (typeof bundle[last] === 'function') return bundle;
    throw new Error(`${name} is empty`);
  } catch (cause) {
    throw partMissing(cause as Error);
  }
}

/** The same for what `judge.cjs` imports: bundles beside it. */
export async function part<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (cause) {
    throw partMissing(cause as Error);
  }
}
