import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { contractFrom } from '../engine/contract/read.ts';
import type { LoopState } from '../engine/core/loop/state.ts';
import { type OptionValue, type RunChoices, type RunOption, runOptions } from '../engine/core/run/options.ts';
import { oneLine } from '../engine/core/text/clip.ts';
import { defined } from '../engine/core/text/defined.ts';
import { UsageError } from '../engine/core/text/errors.ts';
import { describeEnding, describeWait } from '../engine/core/words/endings.ts';
import { readRenderedReceipt } from '../engine/home/receipts.ts';
import { refuseInsideClient } from '../engine/hook/start/person.ts';
import { type JudgeBundle, loadJudgeBundle } from '../engine/hook/wiring/load-bundles.ts';
import { projectOf } from '../engine/hook/wiring/project.ts';
import { openProjectWith, type ProjectPorts } from '../engine/hook/wiring/project-ports.ts';
import { type RunObservers, refuseRoot } from '../engine/run/begin/client-options.ts';
import { beginRun, type RunOptions as DrivingOptions, goOnWithRun } from '../engine/run/begin/drive-run.ts';
import { meantRun } from '../engine/run/begin/find-run.ts';
import { interruptsBy } from '../engine/run/begin/interrupts.ts';
import { reopens } from '../engine/run/begin/reopen-run.ts';
import { lineTeller } from '../engine/run/view/json.ts';
import { withTelemetry } from '../read/reflect/telemetry/follow-run.ts';
import type { RunOptions, RunResult } from './types.ts';

export async function runToEnd(options: RunOptions): Promise<RunResult> {
  options.signal?.throwIfAborted();
  const world = worldFor(options);
  const choices = choicesFrom(options);
  const { client } = choices;
  // The agent may go on with a run, for that holds it again. Only you may begin one, or change its permissions.
  const { resume } = options;
  const goesOn = resume === undefined ? undefined : meantRun(world.store, world.project, resume);
  // The share of the context stays as it was begun.
  const { context: _, ...changes } = choices.limits;
  const asBefore =
    goesOn && !client.allow && !client.permissionMode && !reopens(world.store.read(goesOn), changes);
  if (!asBefore) {
    // Asks about this process, whatever environment the sessions get.
    refuseInsideClient('run', world.home, process.env);
  }
  refuseRoot(client.permissionMode);
  const thrown = new AbortController();
  const told = teller(options, () => thrown.abort());
  const stop = AbortSignal.any([thrown.signal, ...(options.signal ? [options.signal] : [])]);
  const observers: RunObservers = {
    world,
    reporter: told.reporter,
    interrupts: interruptsBy(stop, stop),
    withTelemetry,
  };
  const state =
    goesOn === undefined
      ? await beginRun(drivingOptions(options, choices, told.reporter.note), observers)
      : await goOnWithRun(goesOn, client, observers, changes);
  told.rethrow();
  return resultOf(state, world);
}

function worldFor({ project, env = process.env }: RunOptions): ProjectPorts {
  const folder = project === undefined ? undefined : resolve(project);
  if (folder !== undefined && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`the project ${project} is no folder`);
  return openProjectWith(env, loadQuietJudges, () => projectOf(folder, env, process.cwd()));
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

function resultOf(state: LoopState, world: ProjectPorts): RunResult {
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

/** Checks the options of a run, for JavaScript has no compiler that does. Absent ones are left to the contract, or the run. */
export function choicesFrom(options: RunOptions): RunChoices {
  const { ask, limits = {} } = options;
  const parts = { limits, ask: typeof ask === 'string' ? { policy: ask } : (ask ?? {}), client: options };
  const chosen = (part: RunOption['in'], from: object) => {
    const given = from as Record<string, unknown>;
    const mine = runOptions.filter(
      ([name, option]) => option.in === part && option.flag && given[name] !== undefined,
    );
    for (const [name, { value }] of mine)
      demand(expected(value), {
        [part === 'limits' ? `limits.${name}` : part === 'ask' ? 'ask' : name]: given[name],
      });
    return Object.fromEntries(mine.map(([name]) => [name, given[name]]));
  };
  return {
    ...chosen(undefined, options),
    limits: chosen('limits', parts.limits),
    client: chosen('client', options),
    ...(ask === undefined ? {} : { ask: chosen('ask', parts.ask) }),
  };
}

export function drivingOptions(
  options: RunOptions,
  choices: RunChoices,
  note: (text: string) => void,
): DrivingOptions {
  const { task, trust, features } = options;
  demand(TEXT, { task, trust, features });
  return {
    ...choices,
    task: task ?? '',
    trust,
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

function expected(value: OptionValue): Expected {
  switch (value.is) {
    case 'text':
      return value.known ? oneOf(value.known) : TEXT;
    case 'texts':
      return TEXTS;
    case 'one_of':
      return oneOf(value.of);
    case 'share':
      return SHARE;
    default: {
      const number = value.is === 'count' || value.is === 'tokens' ? WHOLE : POSITIVE;
      return value.unlimited === 'unlimited' ? orUnlimited(number) : number;
    }
  }
}

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
