import { homedir } from 'node:os';
import { join } from 'node:path';
import { readSmall } from '../adapters/atomic-file.ts';
import { FileStore } from '../adapters/file-store.ts';
import { sessionGuard } from '../adapters/guard.ts';
import type { Home } from '../adapters/home.ts';
import { sha256 } from '../adapters/journal-file.ts';
import { standingFiles } from '../adapters/standing.ts';
import { transcriptFiles } from '../adapters/transcript-file.ts';
import type { Judges, JudgingPorts } from '../app/judge.ts';
import { CONTRACT_FILE, type Contract } from '../core/contract.ts';
import { CLAIM_GATES } from '../gates/index.ts';
import type { Clock } from '../ports.ts';
import type { JudgeBundle } from './load-judges.ts';
import { claudeConfigDir, projectOf } from './project.ts';

export const systemClock: Clock = { now: () => Date.now() };

/** As measured: 8 unless set; a number of 0 or less switches the cap off; anything else means 8. */
export function blockCapFrom(env: NodeJS.ProcessEnv): number {
  const value = env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP?.trim();
  if (!value || !/^-?\d+$/.test(value)) return 8;
  return Math.max(0, Number(value));
}

export function openPorts(
  home: Home,
  env: NodeJS.ProcessEnv,
  load: () => Promise<JudgeBundle>,
): JudgingPorts & { store: FileStore } {
  const store = new FileStore(home, systemClock);
  return {
    clock: systemClock,
    store,
    transcripts: transcriptFiles,
    standing: standingFiles(home),
    projectOf: (event) => projectOf(store.projectOfSession(event.session), env, event.cwd ?? process.cwd()),
    guard: sessionGuard(home, claudeConfigDir(env), env.HOME || homedir(), env),
    blockCap: blockCapFrom(env),
    judges: (contract) =>
      asksOnlyForPromise(contract)
        ? Promise.resolve(CLAIM_JUDGES)
        : load().then((b) => b.openJudges(home, env)),
    saveReceipt: async (ref, receipt) => (await load()).saveReceipt(home, ref, receipt),
  };
}

function asksOnlyForPromise(contract: Contract): boolean {
  return (
    contract.notify.length === 0 && Object.values(contract.gates).every((spec) => spec.kind === 'promise')
  );
}

/** Enough for a promise: nothing is run, read or asked. */
const CLAIM_JUDGES: Judges = {
  gates: CLAIM_GATES,
  shell: { run: () => Promise.reject(new Error('a promise runs nothing')) },
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

/** SHA-256 of a project's untildone.yaml as it is now. */
export function contractFileDigest(project: string): string | undefined {
  const text = readSmall(join(project, CONTRACT_FILE));
  return text === undefined ? undefined : sha256(text);
}
