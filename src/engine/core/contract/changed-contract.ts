import { type Contract, type FrozenContract, withoutImplicitChange } from './contract.ts';

/** Keys of a contract that you trust besides its gates, as `untildone.yaml` spells them. */
const KEYS: [key: keyof Contract, written: string][] = [
  ['done', 'done'],
  ['everyStop', 'every_stop'],
  ['subagent', 'subagent'],
  ['taskDone', 'task_done'],
  ['taskCreated', 'task_created'],
  ['teammate', 'teammate'],
  ['prompt', 'prompt'],
  ['phases', 'phases'],
  ['tools', 'tools'],
  ['run', 'run'],
  ['memory', 'memory'],
  ['notify', 'notify'],
  ['knownFailures', 'known_failures'],
];

type Trusted = Pick<FrozenContract, 'contract'> & { frozen: Pick<FrozenContract['frozen'], 'parts'> };

/** Names what is different between two contracts: gates, other keys, and the scripts and files that commands use. */
export function changedInContract(before: Trusted, now: Trusted): string[] {
  const [old, fresh] = [inFile(before.contract), inFile(now.contract)];
  const gates = changedKeys(old.gates, fresh.gates).map((name) => `gate ${name}`);
  const keys = KEYS.filter(([key]) => !isSame(old[key], fresh[key])).map(([, word]) => word);
  const [then, today] = [partsOf(before), partsOf(now)];
  return [...gates, ...keys, ...changedKeys(then, today)];
}

/** What a contract file brings, without what a loop adds: promises, which need no trust, and a gate that no file asked for. */
function inFile(frozen: Contract): Contract {
  const contract = withoutImplicitChange(frozen);
  const gates = Object.fromEntries(
    Object.entries(contract.gates).filter(([, { kind }]) => kind !== 'promise'),
  );
  return { ...contract, gates, done: contract.done.filter((name) => Object.hasOwn(gates, name)) };
}

function changedKeys(before: Record<string, unknown>, now: Record<string, unknown>): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.flatMap((name) => {
    if (!Object.hasOwn(before, name)) return [`${name} (new)`];
    if (!Object.hasOwn(now, name)) return [`${name} (gone)`];
    return isSame(before[name], now[name]) ? [] : [name];
  });
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** The scripts and files of all gates, with their digests. */
function partsOf({ frozen }: Trusted): Record<string, string> {
  return Object.assign({}, ...Object.values(frozen.parts));
}
