import { createHash } from 'node:crypto';
import {
  type Contract,
  DEFAULT_LIMITS,
  type Frozen,
  type FrozenContract,
  type GateSpec,
} from '../../../src/engine/core/contract/contract.ts';
import type { GateKind } from '../../../src/engine/core/contract/gate-options.ts';
import { callsFor } from '../../../src/engine/core/loop/plan-gates.ts';
import type { EvidenceClass } from '../../../src/engine/core/loop/verdict.ts';
import type { Gate, GateContext, Gates, Judgement, Judges } from '../../../src/engine/gates/gate.ts';
import type { JudgingRequest } from '../../../src/engine/ports/judging.ts';
import type { FileChange, VerdictCache, Workspace } from '../../../src/engine/ports/ports.ts';

export const PASS: Judgement = { outcome: 'pass', summary: 'passes' };
export const FAIL: Judgement = {
  outcome: 'fail',
  summary: 'fails',
  evidence: ['a.ts:1 wrong'],
  fingerprint: 'f',
};

/** What a gate of this name says; a function is asked each time. */
export type Says =
  | Judgement
  | ((context: GateContext, signal: AbortSignal) => Judgement | Promise<Judgement>);

export interface FakeJudges extends Judges {
  /** The gates that were judged, in the order they began. */
  judged: string[];
  /** How many trees were asked for. */
  treesTaken: number;
  /** What the project's tree is; changed by a test, or by a gate while it judges. */
  tree: string | Error;
  /** What commands lean on now. */
  partsNow: Record<string, string>;
  contractFileNow: string | undefined | Error;
}

const CLASSES: Partial<Record<GateKind, EvidenceClass>> = {
  checklist: 'claimed',
  tasks: 'claimed',
  judge: 'judged',
  agent: 'judged',
};
const KINDS: GateKind[] = [
  ...(['run', 'features', 'checklist', 'git', 'forbid', 'tests_intact', 'differential', 'tasks'] as const),
  ...(['promise', 'judge', 'agent', 'ci', 'custom', 'hook'] as const),
];

/** Gates that say what a test wants, by their name in the contract, over a project that is only a word. */
export function fakeJudges(says: Record<string, Says> = {}): FakeJudges {
  const unused = () => Promise.reject(new Error('not of use here'));
  const judges: FakeJudges = {
    judged: [],
    treesTaken: 0,
    tree: 'tree 1',
    partsNow: {},
    contractFileNow: undefined,
    gates: {},
    shell: { run: unused },
    inPlace: nowhere,
    keepStart: nowhere,
    rooms: () => ({ open: unused, compose: unused, files: unused, texts: unused }),
    agent: { ask: unused },
    tasks: { open: unused },
    notifier: { send: unused },
    scratch: () => ({ checkout: unused }),
    workspace: () => workspaceOf(judges),
    parts: (_, commands) => (commands.length === 0 ? {} : judges.partsNow),
    contractFile: () => orThrow(judges.contractFileNow),
    digest: (text) => createHash('sha256').update(text).digest('hex'),
  };
  judges.gates = Object.fromEntries(KINDS.map((kind) => [kind, fakeGate(kind, says, judges)])) as Gates;
  return judges;
}

function nowhere(): never {
  throw new Error('not of use here');
}

function fakeGate(kind: GateKind, says: Record<string, Says>, judges: FakeJudges): Gate {
  const asked = (context: GateContext, signal: AbortSignal) => {
    judges.judged.push(context.name);
    const said = says[context.name] ?? PASS;
    return typeof said === 'function' ? said(context, signal) : said;
  };
  if (kind === 'promise') {
    const judge = (_: unknown, context: GateContext) =>
      asked(context, new AbortController().signal) as Judgement;
    return { kind, class: 'claimed', instant: true, judge };
  }
  return {
    kind,
    class: CLASSES[kind] ?? 'measured',
    ...(kind === 'run'
      ? { commands: (options) => ('command' in options && options.command ? [options.command] : []) }
      : {}),
    judge: (_, context, signal) => asked(context, signal),
  };
}

/** Trees are words; what differs between two of them is the words themselves. */
function workspaceOf(judges: FakeJudges): Workspace {
  const unused = () => Promise.reject(new Error('not of use here'));
  return {
    root: '/project',
    async tree() {
      judges.treesTaken++;
      return orThrow(judges.tree);
    },
    changes: async (_, to) => to.split(',').map((path): FileChange => ({ path, change: 'modified' })),
    addedLines: unused,
    contentAt: unused,
    find: async () => [],
    read: unused,
    head: async () => ({ commit: 'commit 1', branch: 'main' }),
    git: async () => ({ exitCode: 128, stdout: '', stderr: 'not a git repository' }),
  };
}

function orThrow<T>(value: T | Error): T {
  if (value instanceof Error) throw value;
  return value;
}

export function memoryCache(): VerdictCache & { size(): number } {
  const kept = new Map<string, Parameters<VerdictCache['keep']>[0][number]>();
  return {
    find: (gate, inputs) => (kept.get(gate)?.inputs === inputs ? kept.get(gate)?.verdict : undefined),
    last: (gate) => kept.get(gate),
    keep(entries) {
      for (const entry of entries) if (!entry.verdict.reused) kept.set(entry.verdict.gate, entry);
    },
    size: () => kept.size,
  };
}

export const run = (command = 'check', more: Partial<GateSpec<'run'>> = {}): GateSpec => ({
  kind: 'run',
  options: { command },
  ...more,
});
export const all = (...gates: string[]): GateSpec => ({ kind: 'all', options: { gates } });
export const any = (...gates: string[]): GateSpec => ({ kind: 'any', options: { gates } });

export function contractWith(gates: Record<string, GateSpec>, changes: Partial<Contract> = {}): Contract {
  return {
    v: 1,
    gates,
    done: Object.keys(gates),
    limits: DEFAULT_LIMITS,
    onContext: 'continue',
    notify: [],
    ...changes,
  };
}

export function frozenWith(contract: Contract, changes: Partial<Frozen> = {}): FrozenContract {
  const frozen = { project: '/project', fingerprint: 'print', parts: {}, gates: {}, judgeMs: 60_000 };
  return { contract, frozen: { ...frozen, ...changes } };
}

/** One judging of everything that a contract asks of a Stop. */
export function workOn(
  contract: Contract,
  changes: Partial<JudgingRequest> = {},
  frozen: Partial<Frozen> = {},
): JudgingRequest {
  return {
    calls: callsFor(contract.done, contract),
    ...frozenWith(contract, frozen),
    session: 's1',
    task: 'a task',
    outputDir: '/output',
    base: {},
    allowed: [],
    toolRan: false,
    ...changes,
  };
}

/** Opens when so many have come. */
export function barrier(count: number): () => Promise<void> {
  let come = 0;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    come++;
    if (come >= count) open();
    return opened;
  };
}

/** Ends only when it is told to stop. */
export const hangs = (_: GateContext, signal: AbortSignal): Promise<Judgement> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
