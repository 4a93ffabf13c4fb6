import type { Contract } from '../../core/contract/contract.ts';
import type { HookEvent } from '../../core/loop/event.ts';
import type { Judges } from '../../gates/gate.ts';
import { promiseGate } from '../../gates/promise/index.ts';
import { measures } from '../../gates/traits.ts';
import type { Home } from '../../home/layout.ts';
import type { FileStore } from '../../home/store.ts';
import type { Ports } from '../../judging/ports.ts';
import { contractFileDigest } from '../../project/facts/command-parts.ts';
import { callerOfEvent } from '../doubtful.ts';
import { openCommonPorts } from './common-ports.ts';
import type { EventsBundle, FormatsBundle, JudgeBundle } from './load-bundles.ts';

/** The ports of judged Stops. The handling of all other events may lie in another bundle. */
export function openPortsBeside({
  others,
  ...options
}: {
  home: Home;
  env: NodeJS.ProcessEnv;
  load(): Promise<JudgeBundle>;
  loadFormats(): Promise<FormatsBundle>;
  others(): Promise<EventsBundle>;
}): Ports & { store: FileStore } {
  const { home, env, load, loadFormats } = options;
  const ports = openCommonPorts({
    ...options,
    session: async () => (await others()).openSession(home, env),
    tools: async () => (await others()).openTools(env, load),
  });
  const { judges, store, clock } = ports;
  return Object.assign(ports, {
    isFromClient: ({ session }: HookEvent) => callerOfEvent(session, home, env).by === 'client',
    judges: (contract?: Contract) =>
      contract && asksOnlyForPromise(contract) ? Promise.resolve(CLAIM_JUDGES) : judges(contract),
    ending: async (event: HookEvent) =>
      (await others()).queueEnding(event, { home, store, env, now: clock.now(), load: loadFormats }),
  });
}

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
