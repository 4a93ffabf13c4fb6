import { createHash } from 'node:crypto';
import type { Contract, GateSpec } from '../../../src/engine/core/contract/contract.ts';
import { DEFAULT_LIMITS } from '../../../src/engine/core/contract/contract.ts';
import type { GateContext, Judges } from '../../../src/engine/gates/gate.ts';
import type { JudgingRequest } from '../../../src/engine/ports/judging.ts';
import type { Kept, Scratch, Workspace } from '../../../src/engine/ports/ports.ts';
import type { Holdout } from '../../../src/engine/ports/rooms.ts';

/** What a test says of a judging, side by side; `gateContext` puts each thing where a gate asks for it. */
export interface Given
  extends Partial<Omit<JudgingRequest, 'contract' | 'frozen' | 'base'>>,
    Partial<Pick<Judges, 'agent' | 'tasks' | 'source' | 'conversation' | 'toolCalls'>>,
    Partial<Omit<GateContext, 'request' | 'judges'>> {
  project?: string;
  baseTree?: string | undefined;
  baseCommit?: string;
  /** What the gate froze at the start. */
  frozen?: unknown;
  kept?: Kept;
  measured?: Kept;
  scratch?: Scratch;
  holdout?: Holdout;
  /** A gate of the same judging runs the tests of the start on the code of now. */
  hasDifferential?: boolean;
  /** The gates of the contract, where they matter; all of them are judged. */
  gates?: Contract['gates'];
}

/** A context in which a gate finds what the test gives. */
export function gateContext(given: Given): GateContext {
  const { name = 'gate', tree, shell = { run: unused }, place = unused, rooms } = given;
  const request = requestOf(name, given);
  const { workspace = {} as Workspace } = given;
  return { name, request, judges: judgesOf(given), workspace, tree, shell, place, rooms };
}

function requestOf(name: string, given: Given): JudgingRequest {
  const { project = '/project', frozen, baseTree, baseCommit, hasDifferential, gates = {} } = given;
  const { agent: _, tasks: _1, source: _2, conversation: _3, toolCalls: _4, ...more } = given;
  return {
    session: 'session',
    task: '',
    outputDir: '/output',
    allowed: [],
    toolRan: true,
    calls: hasDifferential ? [{ name: 'proof', spec: DIFFERENTIAL }] : callsOf(gates),
    ...(given.conversation ? { transcript: '/transcript' } : {}),
    ...more,
    contract: {
      v: 1,
      gates,
      room: { choice: 'clean' },
      done: [],
      limits: DEFAULT_LIMITS,
      onContext: 'continue',
      notify: [],
    },
    frozen: { project, fingerprint: 'print', parts: {}, gates: { [name]: frozen }, judgeMs: 60_000 },
    base: { tree: baseTree, commit: baseCommit },
  };
}

const callsOf = (gates: Contract['gates']) => Object.entries(gates).map(([name, spec]) => ({ name, spec }));

const DIFFERENTIAL: GateSpec = { kind: 'differential', options: { command: 'npm test' } };

function judgesOf(given: Given): Judges {
  const { agent = { ask: unused }, tasks = { open: async () => undefined }, source, conversation } = given;
  const { kept, measured, holdout, scratch, toolCalls } = given;
  return {
    gates: {},
    shell: { run: unused },
    inPlace: nowhere,
    keepStart: nowhere,
    rooms: nowhere,
    agent,
    tasks,
    source,
    conversation,
    toolCalls,
    notifier: { send: unused },
    workspace: nowhere,
    kept: kept && (() => kept),
    measured: measured && (() => measured),
    holdout: holdout && (() => holdout),
    scratch: () => scratch ?? { checkout: unused },
    parts: nowhere,
    contractFile: nowhere,
    digest: (text) => createHash('sha256').update(text).digest('hex'),
  };
}

function unused(): Promise<never> {
  return Promise.reject(new Error('not of use here'));
}

function nowhere(): never {
  throw new Error('not of use here');
}
