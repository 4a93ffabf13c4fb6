import { DEFAULT_JUDGE_MS, foreignContract } from '../../core/contract/contract.ts';
import { withComplexity } from '../../core/contract/presets.ts';
import type { LoopState } from '../../core/loop/state.ts';
import type { JudgingPorts } from '../../judging/ports.ts';
import type { Claim, LoopRef, NewLoop } from '../../ports/ports.ts';
import type { ForeignLoop } from '../format.ts';
import type { ForeignPorts, ForeignStateSeen } from './ports.ts';

export type Adopted =
  | { kind: 'adopted'; ref: LoopRef; state: LoopState; notes: string[] }
  /** Another session was quicker. */
  | { kind: 'lost' }
  | { kind: 'needs_person'; message: string };

/** Makes a loop of a foreign state: its contract frozen, its journal begun, its owner written down. */
export async function adopt(
  seen: ForeignStateSeen,
  foreign: ForeignPorts,
  ports: JudgingPorts,
): Promise<Adopted> {
  const { dialect, path, reading, event } = seen;
  if (await foreign.needsApproval(seen)) {
    const message = `untildone: ${path} came with the repository: it holds nobody until a person says so in a terminal: ${claimLine(seen, foreign)}`;
    return { kind: 'needs_person', message };
  }
  const { loop, notes } = await newLoop(seen, foreign, ports);
  const begun: { ref?: LoopRef } = {};
  foreign.claims.change(path, (current) => {
    if (!isSame(current, seen.claim)) return undefined;
    begun.ref = foreign.layDown(loop);
    const { session } = event;
    return { v: 1, dialect: dialect.name, path, identity: reading.identity, session, loopDir: begun.ref.dir };
  });
  const { ref } = begun;
  if (!ref) return { kind: 'lost' };
  ports.store.mark(event.session, true);
  return { kind: 'adopted', ref, state: firstCount(ref, reading, ports), notes };
}

function claimLine({ dialect }: ForeignStateSeen, { place }: ForeignPorts): string {
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
  { dialect, reading, event, hasNative }: ForeignStateSeen,
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
