import { transcriptFiles } from '../../client/transcript/file.ts';
import { readSubagentUsage } from '../../client/transcript/subagent-usage.ts';
import type { Contract } from '../../core/contract/contract.ts';
import { promiseGate } from '../../gates/promise/index.ts';
import { measures } from '../../gates/traits.ts';
import { judgingWatch } from '../../home/interrupted-judging.ts';
import type { Home } from '../../home/layout.ts';
import { lessonsFor } from '../../home/lessons/files.ts';
import { FileStore } from '../../home/store.ts';
import type { Judges, JudgingPorts } from '../../judging/ports.ts';
import type { Clock } from '../../ports/ports.ts';
import type { ForeignLoops } from '../../ports/session-loop.ts';
import { contractFileDigest } from '../../project/facts/command-parts.ts';
import {
  beginsTrusted,
  foreignPlaceOf,
  hasForeignSigns,
  isOthersState,
  isRecorded,
} from './detect-foreign-state.ts';
import { type JudgeBundle, loadFormatsBundle } from './load-bundles.ts';
import { projectOf } from './project.ts';
import { queueEnding } from './reflection.ts';
import { spawnRun } from './spawn-run.ts';

export const systemClock: Clock = { now: () => Date.now() };

/** How Claude Code reads its cap, as measured: 8 unless it begins with a number (`3.7` and `3x` are 3), off for 0 or less. */
export function blockCapFrom(env: NodeJS.ProcessEnv): number {
  const value = Number.parseInt(env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP ?? '', 10);
  return Number.isNaN(value) ? 8 : Math.max(0, value);
}

export function openPorts(
  home: Home,
  env: NodeJS.ProcessEnv,
  load: () => Promise<JudgeBundle>,
  loadFormats = loadFormatsBundle,
): JudgingPorts & { store: FileStore } {
  const store = new FileStore(home, systemClock);
  const judgesOf = async () => (await load()).openJudges(home, env);
  const ports: JudgingPorts & { store: FileStore } = {
    clock: systemClock,
    store,
    transcripts: { ...transcriptFiles, subagents: readSubagentUsage },
    projectOf: (event) => projectOf(store.projectOfSession(event.session), env, event.cwd ?? process.cwd()),
    blockCap: blockCapFrom(env),
    lessons: lessonsFor(home),
    judging: judgingWatch(home, { shellForgets: env.UNTILDONE_ANSWERED !== undefined }),
    judges: (contract) => (asksOnlyForPromise(contract) ? Promise.resolve(CLAIM_JUDGES) : judgesOf()),
    receipts: async () => (await load()).openReceipts(home),
    session: async () => (await import('./session.ts')).openSession(home, env),
    tools: async () => (await import('./session.ts')).openTools(env, load),
    spawnRun: (ref) => spawnRun(ref, env),
    ending: (event) => queueEnding(event, { home, store, env, now: systemClock.now(), load: loadFormats }),
    foreign: async (event, hasNative) => {
      const place = foreignPlaceOf(event, store.projectOfSession(event.session), env, systemClock.now());
      if (
        !hasForeignSigns(place, home, (session) => store.isMarked(session)) &&
        !isRecorded(event, place) &&
        !beginsTrusted(event, ports.projectOf(event), home)
      )
        return NOTHING_FOREIGN;
      if (isOthersState(event, place, ports.projectOf(event), { home, store })) return NOTHING_FOREIGN;
      const since = store.sessionSince(event.session);
      const { foreignLoops } = await loadFormats();
      return foreignLoops(event, hasNative, {
        ...{ home, store, ports, judges: judgesOf },
        place: { ...place, ...(since === undefined ? {} : { since }) },
        pid: env.CLAUDE_PID,
      });
    },
  };
  return ports;
}

const NOTHING_FOREIGN: ForeignLoops = { loops: [], messages: [] };

function asksOnlyForPromise(contract: Contract): boolean {
  return (
    contract.notify.length === 0 &&
    contract.memory === undefined &&
    contract.run === undefined &&
    contract.tools === undefined &&
    !measures(contract)
  );
}

function noPlace(): never {
  throw new Error('a promise needs no place');
}

/** Enough for a contract that asks only for a promise: nothing is run, read or asked. */
const CLAIM_JUDGES: Judges = {
  gates: { promise: promiseGate },
  shell: { run: () => Promise.reject(new Error('a promise runs nothing')) },
  inPlace: noPlace,
  keepStart: noPlace,
  rooms: noPlace,
  agent: { ask: () => Promise.reject(new Error('a promise asks nobody')) },
  tasks: { open: () => Promise.resolve(undefined) },
  notifier: { send: () => Promise.reject(new Error('nobody is named')) },
  workspace: () => {
    throw new Error('a promise needs no workspace');
  },
  scratch: () => ({ checkout: () => Promise.reject(new Error('a promise needs no copy')) }),
  parts: () => ({}),
  contractFile: contractFileDigest,
  digest: () => '',
};
