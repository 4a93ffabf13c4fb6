import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { renderedReceipt } from '../cli/contract/receipt.ts';
import type { LoopState } from '../core/loop/state.ts';
import { UsageError } from '../core/text/errors.ts';
import { describeEnding, describeWait } from '../core/words/endings.ts';
import { meantLoop } from '../hook/start/find-loop.ts';
import { onlyForPeople } from '../hook/start/person.ts';
import { type JudgeBundle, loadJudgeBundle } from '../hook/wiring/load-bundles.ts';
import { projectOf } from '../hook/wiring/project.ts';
import { type World, worldWith } from '../hook/wiring/world.ts';
import { type RunCompany, refuseRoot } from '../run/begin/client-options.ts';
import { beginRun, goOnWithRun } from '../run/begin/drive-run.ts';
import type { Interrupts } from '../run/begin/interrupts.ts';
import { lineTeller } from '../run/view/json.ts';
import { clientOptions, drivingOptions } from './options.ts';
import type { RunOptions, RunResult } from './types.ts';

export async function runToEnd(options: RunOptions): Promise<RunResult> {
  options.signal?.throwIfAborted();
  const world = openWorld(options);
  const client = clientOptions(options);
  // Going on holds the agent again, with the permissions it had; everything else is for people.
  if (options.resume === undefined || client.allow || client.permissionMode) {
    // Of this process, whatever environment the sessions are to have.
    onlyForPeople('run', world.home, process.env);
  }
  refuseRoot(client.permissionMode);
  const stop = new AbortController();
  const abort = () => stop.abort();
  options.signal?.addEventListener('abort', abort, { once: true });
  const told = teller(options, abort);
  const company: RunCompany = { world, reporter: told.reporter, interrupts: interruptsBy(stop.signal) };
  try {
    const state =
      options.resume === undefined
        ? await beginRun(drivingOptions(options, client, told.reporter.note), company)
        : await goOnWithRun(meantLoop(world.store, world.project, options.resume), client, company);
    told.rethrow();
    return resultOf(state, world);
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
}

function openWorld({ project, env = process.env }: RunOptions): World {
  const folder = project === undefined ? undefined : resolve(project);
  if (folder !== undefined && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`the project ${project} is no folder`);
  return worldWith(env, loadQuietJudges, () => projectOf(folder, env, process.cwd()));
}

/** The signals of this process are not ours: whoever uses us decides what they mean. */
async function loadQuietJudges(): Promise<JudgeBundle> {
  const bundle = await loadJudgeBundle();
  return {
    ...bundle,
    openJudges: (home, env) => bundle.openJudges(home, env, { endWithSignals: false }),
  };
}

/** Tells the caller; what the caller throws must not tear the run apart in the middle of a step. */
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

/** A clock that is set should be noticed. */
const LOOK_AGAIN_MS = 30_000;

function interruptsBy(signal: AbortSignal): Interrupts {
  return {
    asked: () => signal.aborted,
    atOnce: signal,
    waitUntil: async (time) => {
      while (!signal.aborted && Date.now() < time) {
        // Aborted: the loop sees it.
        await sleep(Math.min(LOOK_AGAIN_MS, time - Date.now()), undefined, { signal }).catch(() => undefined);
      }
    },
    stop: () => undefined,
  };
}

function resultOf(state: LoopState, world: World): RunResult {
  const { loop, status, iteration, spent, gates, run } = state;
  const ref = world.store.loops().find((known) => known.loop === loop);
  const text = ref && renderedReceipt(ref, world);
  return {
    // Nobody drives it any more: it rests.
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
    ...(ref && text !== undefined ? { receipt: { file: world.store.receiptFile(ref), text } } : {}),
  };
}
