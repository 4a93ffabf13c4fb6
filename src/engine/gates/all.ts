import type { Contract } from '../core/contract/contract.ts';
import type { JudgedKind } from '../core/contract/gate-options.ts';
import { changedGate } from './changed/index.ts';
import type { Gates } from './gate.ts';
import { promiseGate } from './promise/index.ts';
import { runGate } from './run/index.ts';

/** Nearly every contract has these. */
const CORE: Gates = { changed: changedGate, promise: promiseGate, run: runGate };

const core = async () => ({ GATES: CORE });
const plain = () => import('./plain-kinds.ts');
const patterns = () => import('./pattern-kinds.ts');
const sources = () => import('./source-kinds.ts');

/** Every gate that is judged, by the word that names it in a contract: how it is loaded, with others that need the same. */
const LOADERS: { readonly [Kind in JudgedKind]: () => Promise<{ GATES: Gates }> } = {
  agent: plain,
  approve: plain,
  artefact: patterns,
  changed: core,
  checklist: plain,
  ci: plain,
  custom: plain,
  differential: sources,
  features: plain,
  forbid: patterns,
  git: plain,
  holdout: plain,
  hook: plain,
  judge: plain,
  metrics: plain,
  promise: core,
  run: core,
  subagents: plain,
  suppressions: sources,
  tasks: plain,
  tests_intact: sources,
  text: patterns,
};

/** The gates that a contract names, and perhaps others; all that there are without a contract. */
export async function gatesOf(contract?: Pick<Contract, 'gates'>): Promise<Gates> {
  const named = contract && new Set<string>(Object.values(contract.gates).map(({ kind }) => kind));
  const needed = Object.entries(LOADERS).filter(([kind]) => named?.has(kind) ?? true);
  const groups = await Promise.all([...new Set(needed.map(([, load]) => load))].map((load) => load()));
  return Object.assign({}, ...groups.map(({ GATES }) => GATES));
}
