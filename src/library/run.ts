import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { contractFrom } from '../engine/contract/read.ts';
import { ASK_POLICIES, type Limits, RUN_MODES } from '../engine/core/contract/contract.ts';
import type { LoopState } from '../engine/core/loop/state.ts';
import type { LimitChanges } from '../engine/core/run/reopen.ts';
import { PERMISSION_MODES } from '../engine/core/run/run.ts';
import { oneLine } from '../engine/core/text/clip.ts';
import { defined } from '../engine/core/text/defined.ts';
import { UsageError } from '../engine/core/text/errors.ts';
import { describeEnding, describeWait } from '../engine/core/words/endings.ts';
import { readRenderedReceipt } from '../engine/home/receipts.ts';
import { refuseInsideClient } from '../engine/hook/start/person.ts';
import { type JudgeBundle, loadJudgeBundle } from '../engine/hook/wiring/load-bundles.ts';
import { projectOf } from '../engine/hook/wiring/project.ts';
import { type World, worldWith } from '../engine/hook/wiring/world.ts';
import { type ClientOptions, type RunObservers, refuseRoot } from '../engine/run/begin/client-options.ts';
import { beginRun, type RunOptions as DrivingOptions, goOnWithRun } from '../engine/run/begin/drive-run.ts';
import { meantRun } from '../engine/run/begin/find-run.ts';
import type { Interrupts } from '../engine/run/begin/interrupts.ts';
import { reopens } from '../engine/run/begin/reopen-run.ts';
import { lineTeller } from '../engine/run/view/json.ts';
import { withTelemetry } from '../read/reflect/telemetry/follow-run.ts';
import type { RunLimits, RunOptions, RunResult } from './types.ts';

export async function runToEnd(options: RunOptions): Promise<RunResult> {
  options.signal?.throwIfAborted();
  const world = worldFor(options);
  const client = clientOptions(options);
  // The agent may go on with a run, for that holds it again. Only you may begin one, or change its permissions.
  const { resume } = options;
  const goesOn = resume === undefined ? undefined : meantRun(world.store, world.project, resume);
  const changes = goesOn ? limitChanges(options) : {};
  const asBefore =
    goesOn && !client.allow && !client.permissionMode && !reopens(world.store.read(goesOn), changes);
  if (!asBefore) {
    // Asks about this process, whatever environment the sessions get.
    refuseInsideClient('run', world.home, process.env);
  }
  refuseRoot(client.permissionMode);
  const stop = new AbortController();
  const abort = () => stop.abort();
  options.signal?.addEventListener('abort', abort, { once: true });
  const told = teller(options, abort);
  const observers: RunObservers = {
    world,
    reporter: told.reporter,
    interrupts: interruptsBy(stop.signal),
    withTelemetry,
  };
  try {
    const state =
      goesOn === undefined
        ? await beginRun(drivingOptions(options, client, told.reporter.note), observers)
        : await goOnWithRun(goesOn, client, observers, changes);
    told.rethrow();
    return resultOf(state, world);
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
}

function worldFor({ project, env = process.env }: RunOptions): World {
  const folder = project === undefined ? undefined : resolve(project);
  if (folder !== undefined && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`the project ${project} is no folder`);
  return worldWith(env, loadQuietJudges, () => projectOf(folder, env, process.cwd()));
}

/** Opens judges that leave the signals of this process alone: your program decides what they mean. */
async function loadQuietJudges(): Promise<JudgeBundle> {
  const bundle = await loadJudgeBundle();
  return {
    ...bundle,
    openJudges: (home, env, options) => bundle.openJudges(home, env, { ...options, endWithSignals: false }),
  };
}

/** Calls `onEvent`. What it throws ends the run after its step, not in the middle of it. */
function teller({ onEvent }: RunOptions, abort: () => void) {
  let thrown: { error: unknown } | undefined;
  const reporter = lineTeller((line) => {
    try {
      onEvent?.({ at: new Date().toISOString(), ...line });
    } catch (error) {
      thrown ??= { error };
      abort();
    }
  }, Date.now);
  const rethrow = () => {
    if (thrown) throw thrown.error;
  };
  return { reporter, rethrow };
}

/** How often the clock is looked at while the run waits: it may be set meanwhile. */
const LOOK_AGAIN_MS = 30_000;

function interruptsBy(signal: AbortSignal): Interrupts {
  return {
    asked: () => signal.aborted,
    atOnce: signal,
    waitUntil: async (time) => {
      while (!signal.aborted && Date.now() < time) {
        // The condition of the loop sees an abort.
        await sleep(Math.min(LOOK_AGAIN_MS, time - Date.now()), undefined, { signal }).catch(() => undefined);
      }
    },
    stop: () => undefined,
  };
}

function resultOf(state: LoopState, world: World): RunResult {
  const { loop, status, iteration, spent, gates, run } = state;
  const ref = world.store.loops().find((known) => known.loop === loop);
  const text = ref && readRenderedReceipt(ref, world.store);
  return {
    // A run that is active and no longer driven can go on: it is paused.
    status: status === 'active' ? 'paused' : status,
    loop,
    iteration,
    sessions: run?.sessions ?? 0,
    costUsd: spent.costUsd,
    tokens: spent.tokens,
    gates: gates.map(({ name, class: evidence, verdict, summary }) => ({
      name,
      class: evidence,
      verdict,
      summary,
    })),
    why: state.ending ? describeEnding(state) : describeWait(state),
    receipt: ref && text !== undefined ? { file: world.store.receiptFile(ref), text } : undefined,
  };
}

/** Checks the options of the sessions, for JavaScript has no compiler that does. Absent ones are left to the contract, or the run. */
export function clientOptions(options: RunOptions): Partial<ClientOptions> {
  const { model, permissionMode, allow, maxTurns } = options;
  demand(oneOf(PERMISSION_MODES), { permissionMode });
  demand(TEXT, { model });
  demand(TEXTS, { allow });
  demand(WHOLE, { maxTurns });
  return {
    model,
    permissionMode,
    allow: allow === undefined ? undefined : [...allow],
    maxTurns,
  };
}

export function drivingOptions(
  options: RunOptions,
  client: Partial<ClientOptions>,
  note: (text: string) => void,
): DrivingOptions {
  const { task, trust, promise, features, mode, freshEvery, ask } = options;
  demand(TEXT, { task, trust, promise, features });
  demand(oneOf(RUN_MODES), { mode });
  demand(oneOf(ASK_POLICIES), { ask });
  demand(WHOLE, { freshEvery });
  return {
    task: task ?? '',
    client,
    limits: limitsFrom(options.limits ?? {}),
    mode,
    freshEvery,
    ask: ask === undefined ? undefined : { policy: ask },
    trust,
    promise,
    features,
    ...defined(contractOf(options, note)),
  };
}

/** A contract that your program passes is trusted: you started the program, as you would a script. */
function contractOf(
  { contract: given }: RunOptions,
  note: (text: string) => void,
): Pick<DrivingOptions, 'contract' | 'contractFile' | 'trust'> {
  if (given === undefined) return {};
  if (typeof given === 'string') return { contractFile: given };
  const { contract, warnings } = contractFrom(given);
  for (const warning of warnings) note(`Note: ${warning}`);
  return { contract, trust: true };
}

/** The limits that a run gets which goes on; its share of the context stays. */
function limitChanges({ limits }: RunOptions): LimitChanges {
  const { context: _, ...changes } = limitsFrom(limits ?? {});
  return changes;
}

function limitsFrom({ iterations, durationMs, costUsd, tokens, context }: RunLimits): Partial<Limits> {
  demand(orUnlimited(WHOLE), { 'limits.iterations': iterations, 'limits.tokens': tokens });
  demand(orUnlimited(POSITIVE), { 'limits.durationMs': durationMs, 'limits.costUsd': costUsd });
  demand(SHARE, { 'limits.context': context });
  return defined({ iterations, durationMs, costUsd, tokens, context });
}

interface Expected {
  words: string;
  holds(value: unknown): boolean;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const TEXT: Expected = { words: 'a text', holds: (value) => typeof value === 'string' };
const TEXTS: Expected = {
  words: 'a list of texts',
  holds: (value) => Array.isArray(value) && value.every(TEXT.holds),
};
const WHOLE: Expected = {
  words: 'a whole number from 1',
  holds: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
};
const POSITIVE: Expected = { words: 'a number above 0', holds: (value) => isNumber(value) && value > 0 };
const SHARE: Expected = {
  words: 'a share of the context window from 0.1 to 0.95',
  holds: (value) => isNumber(value) && value >= 0.1 && value <= 0.95,
};

function oneOf(values: readonly string[]): Expected {
  return { words: `one of ${values.join(', ')}`, holds: (value) => values.includes(value as string) };
}

function orUnlimited({ words, holds }: Expected): Expected {
  return { words: `${words}, or 'unlimited'`, holds: (value) => value === 'unlimited' || holds(value) };
}

function demand({ words, holds }: Expected, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || holds(value)) continue;
    const found = typeof value === 'number' ? String(value) : JSON.stringify(value);
    throw new UsageError(`expected ${words}, found ${oneLine(found ?? typeof value, 60)} in ${name}`);
  }
}
