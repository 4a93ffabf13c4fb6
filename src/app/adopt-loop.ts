import { DEFAULT_JUDGE_MS, type FrozenContract, foreignContract } from '../core/contract.ts';
import type { LoopState } from '../core/loop.ts';
import { withComplexity } from '../core/presets.ts';
import type { ForeignLoop } from '../dialects/dialect.ts';
import type { Claim, LoopRef, NewLoop } from '../ports.ts';
import type { ForeignPorts, One } from './foreign-loops.ts';
import type { Judges, JudgingPorts } from './judge.ts';

/** What making a loop of a foreign state needs from the world. */
export interface Adopting {
  /** The contract that a person approved for a project, if it still is what was approved; else why it is left aside. */
  approved(project: string): Promise<{ contract?: FrozenContract; note?: string }>;
  judges(): Promise<Judges>;
  /** Makes the loop's files; its owner is whoever has the claim. */
  layDown(loop: NewLoop): LoopRef;
  newLoopId(): string;
  /** What the session used so far is not the loop's. */
  transcriptSoFar(transcript: string | undefined): { transcriptOffset: number; costTotalUsd: number };
  /** The state came with the repository, and no person said that it may hold sessions here. */
  needsApproval(one: Pick<One, 'dialect' | 'path' | 'reading'>): Promise<boolean>;
}

export type Adopted =
  | { kind: 'adopted'; ref: LoopRef; state: LoopState; notes: string[] }
  /** Another session was quicker. */
  | { kind: 'lost' }
  | { kind: 'needs_person'; message: string };

/** Makes a loop of a foreign state: its contract frozen, its journal begun, its owner written down. */
export async function adopt(one: One, foreign: ForeignPorts, ports: JudgingPorts): Promise<Adopted> {
  const { dialect, path, reading, event } = one;
  if (await foreign.needsApproval(one)) {
    const message = `untildone: ${path} came with the repository: it holds nobody until a person says so in a terminal: ${claimLine(one, foreign)}`;
    return { kind: 'needs_person', message };
  }
  const { loop, notes } = await newLoop(one, foreign, ports);
  const begun: { ref?: LoopRef } = {};
  foreign.claims.change(path, (current) => {
    if (!isSame(current, one.claim)) return undefined;
    begun.ref = foreign.layDown(loop);
    const { session } = event;
    return { v: 1, dialect: dialect.name, path, identity: reading.identity, session, loopDir: begun.ref.dir };
  });
  const { ref } = begun;
  if (!ref) return { kind: 'lost' };
  ports.store.mark(event.session, true);
  return { kind: 'adopted', ref, state: firstCount(ref, reading, ports), notes };
}

function claimLine({ dialect }: One, { place }: ForeignPorts): string {
  const where =
    dialect.name === 'feature-list' && place.ralphLoopDir ? `RALPH_LOOP_DIR=${place.ralphLoopDir} ` : '';
  return `${where}untildone claim ${dialect.name}`;
}

function firstCount(ref: LoopRef, reading: ForeignLoop, ports: JudgingPorts): LoopState {
  const { iteration, firstIteration, maxIterations } = reading;
  return ports.store.append(ref, () => ({
    kind: 'synced',
    iteration: iteration ?? firstIteration,
    maxIterations,
    ...(iteration === undefined ? {} : { says: iteration }),
  }));
}

async function newLoop(
  { dialect, reading, event, hasNative }: One,
  foreign: ForeignPorts,
  ports: JudgingPorts,
): Promise<{ loop: NewLoop; notes: string[] }> {
  const project = ports.projectOf(event);
  // A loop of our own in the same session judges the contract already.
  const { contract: approved, note } = hasNative ? {} : await foreign.approved(project);
  const contract = withComplexity(foreignContract(reading.gates, approved?.contract), reading.complexity);
  const tree = approved
    ? await (await foreign.judges())
        .workspace(project)
        .tree()
        .catch(() => undefined)
    : undefined;
  const frozen = approved?.frozen ?? {
    project,
    fingerprint: '',
    parts: {},
    gates: {},
    judgeMs: DEFAULT_JUDGE_MS,
  };
  const loop: NewLoop = {
    loop: foreign.newLoopId(),
    session: event.session,
    project,
    dialect: dialect.name,
    task: reading.task,
    contract: { contract, frozen },
    ...foreign.transcriptSoFar(event.transcript),
    ...(tree === undefined ? {} : { baseTree: tree }),
  };
  return { loop, notes: note === undefined ? [] : [note] };
}

function isSame(a: Claim | undefined, b: Claim | undefined): boolean {
  return a?.identity === b?.identity && a?.session === b?.session && a?.loopDir === b?.loopDir;
}
