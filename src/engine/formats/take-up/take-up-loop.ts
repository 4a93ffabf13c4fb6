import {
  askForChange,
  asksForMoreThanPromise,
  DEFAULT_JUDGE_MS,
  foreignContract,
} from '../../core/contract/contract.ts';
import { withComplexity } from '../../core/contract/presets.ts';
import type { HookEvent } from '../../core/loop/event.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { oneLine } from '../../core/text/clip.ts';
import type { Ports } from '../../judging/ports.ts';
import type { Claim, LoopRef, NewLoop } from '../../ports/ports.ts';
import type { FormatBehaviour, Held, SessionLoop, Words } from '../../ports/session-loop.ts';
import type { Damage, ForeignLoop, StateFormat } from '../format.ts';
import { baselineFor, baseOf } from './baseline.ts';
import { agentWritesIn } from './behaviour.ts';
import type { ForeignPorts, ForeignStateSeen } from './ports.ts';

type TakenUp =
  | { kind: 'taken_up'; ref: LoopRef; state: LoopState; notes: string[] }
  /** Another session was quicker. */
  | { kind: 'lost' }
  | { kind: 'needs_person'; message: string };

/** Makes a loop of a foreign state: freezes its contract, begins its journal, writes down its owner. */
export async function takeUp(seen: ForeignStateSeen, foreign: ForeignPorts, ports: Ports): Promise<TakenUp> {
  const { format, path, reading, event } = seen;
  if (await foreign.needsApproval(seen)) {
    const message = `untildone: ${path} came with the repository, so it holds no session until you allow it; type in a terminal: ${claimLine(seen, foreign)}`;
    return { kind: 'needs_person', message };
  }
  const { loop, notes } = await newLoop(seen, foreign, ports);
  const begun: { ref?: LoopRef } = {};
  foreign.claims.change(path, (current) => {
    if (!isSame(current, seen.claim)) return undefined;
    begun.ref = foreign.createLoopFiles(askingForChange(loop, seen));
    const { session } = event;
    return { v: 1, dialect: format.name, path, identity: reading.identity, session, loopDir: begun.ref.dir };
  });
  const { ref } = begun;
  if (!ref) return { kind: 'lost' };
  beganFrom(ref, loop, foreign);
  ports.store.mark(event.session, true);
  return { kind: 'taken_up', ref, state: firstCount(ref, reading, ports), notes };
}

/** Notes the loop with the baseline that it began from. Without the note a later loop would begin there, too: stricter. */
function beganFrom({ dir }: LoopRef, { project, session }: NewLoop, { baselines }: ForeignPorts): void {
  try {
    baselines.change(project, session, (now) => now && { ...now, loops: [...now.loops, dir] });
  } catch {
    // The home cannot be written any more.
  }
}

function claimLine({ format }: ForeignStateSeen, { place }: ForeignPorts): string {
  const where =
    format.name === 'feature-list' && place.ralphLoopDir ? `RALPH_LOOP_DIR=${place.ralphLoopDir} ` : '';
  return `${where}untildone claim ${format.name}`;
}

function firstCount(ref: LoopRef, reading: ForeignLoop, ports: Ports): LoopState {
  const { iteration, firstIteration, maxIterations } = reading;
  return ports.store.append(ref, () => ({
    kind: 'synced',
    iteration: iteration ?? firstIteration,
    maxIterations,
    says: iteration,
  }));
}

async function newLoop(
  seen: ForeignStateSeen,
  foreign: ForeignPorts,
  ports: Ports,
): Promise<{ loop: NewLoop; notes: string[] }> {
  const { format, reading, event, hasNative } = seen;
  const project = ports.projectOf(event);
  // A native loop in the same session judges the contract already.
  const kept = hasNative ? undefined : baselineFor(project, seen, foreign, ports);
  const { contract: approved, note } = hasNative ? {} : await foreign.approved(project, kept?.contract);
  const contract = withComplexity(foreignContract(reading.gates, approved?.contract), reading.complexity);
  const base = !approved ? {} : kept?.tree === undefined ? await baseOf(project, foreign) : kept;
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
    dialect: format.name,
    task: reading.task,
    contract: { contract, frozen },
    ...foreign.transcriptSoFar(event.transcript),
    baseTree: base.tree,
    baseCommit: base.commit,
  };
  const late = approved && kept && kept.tree === undefined ? [NO_FIRST_TREE] : [];
  return { loop, notes: [...(note === undefined ? [] : [note]), ...late] };
}

const NO_FIRST_TREE =
  'the project could not be read when this session began, so its work is compared with what is there now';

/** Formats that do not say themselves what is open: gates, or a promise, decide alone. */
const WITHOUT_LIST = new Set(['ralph-loop', 'lock']);

/**
 * Asks for a change besides the gates of the contract: they may have passed before the loop began. A loop that is taken up
 * at a Stop is not asked, because its work may lie before that.
 */
function askingForChange(loop: NewLoop, { event, format }: ForeignStateSeen): NewLoop {
  const { contract } = loop.contract;
  const asksAlready = contract.done.some((name) => contract.gates[name]?.kind === 'changed');
  const isEarly = loop.baseTree !== undefined && event.name !== 'Stop';
  if (!isEarly || asksAlready || !WITHOUT_LIST.has(format.name) || !asksForMoreThanPromise(contract))
    return loop;
  const asked = askForChange(contract, 'unjudged');
  return { ...loop, contract: { ...loop.contract, contract: asked.contract }, changeGate: asked.gate };
}

function isSame(a: Claim | undefined, b: Claim | undefined): boolean {
  return a?.identity === b?.identity && a?.session === b?.session && a?.loopDir === b?.loopDir;
}

/** How often in a row a session is held to repair a damaged state. After that you have to look at it. */
const MOST_HOLDS = 3;
const GATE = 'state file';
const FAULT_LIMIT = 400;

/** A state that could be read when its loop began and cannot be read now. */
interface DamagedState {
  format: StateFormat;
  claim: Claim | undefined;
  damage: Damage | undefined;
  event: HookEvent;
}

/**
 * The active loop of a session whose state file was damaged since. One bad edit must not end a long run. Undefined when
 * the session does not own the loop, or was held for the damage often enough.
 */
export function damagedLoop(
  { format, claim, damage, event }: DamagedState,
  foreign: ForeignPorts,
  ports: Ports,
): SessionLoop | undefined {
  if (!damage || claim?.loopDir === undefined || claim.session !== event.session) return undefined;
  const ref = foreign.refOf(claim.loopDir);
  const state = ports.store.read(ref);
  if (hasEnded(state) || (state.run && state.session !== event.session)) return undefined;
  return damagedBehaviour({ format, damage, event }, ref, state, foreign, ports);
}

/** The behaviour of a loop whose state cannot be read. Undefined at a Stop that was held for it often enough. */
export function damagedBehaviour(
  { format, damage, event }: { format: StateFormat; damage: Damage; event: HookEvent },
  ref: LoopRef,
  state: LoopState,
  foreign: ForeignPorts,
  ports: Ports,
): SessionLoop | undefined {
  const first = firstHold(state);
  const holds = first === undefined ? 0 : state.iteration - first;
  if (event.name === 'Stop' && holds >= MOST_HOLDS) return undefined;
  const behaviour: FormatBehaviour = {
    verdicts: async () => [verdictOn(damage)],
    limits: (limits) => ({ ...limits, iterations: state.maxIterations }),
    instruct: (held) => wordsFor(damage, held, holds + 1),
    writeBack: (decision) => {
      // A damaged file is not written. Its count is out of date from now on.
      const says = first ?? state.iteration;
      if (decision.kind === 'block') ports.store.append(ref, () => ({ kind: 'synced', says }));
      return [];
    },
    agentWrites: agentWritesIn(format, foreign),
  };
  return { ref, state, format: behaviour };
}

/** The iteration in which the damage was found; undefined when the last Stop did not find it. */
function firstHold(state: LoopState): number | undefined {
  return state.gates.find(({ name, verdict }) => name === GATE && verdict === 'fail')?.since;
}

/** The fingerprint never changes: a fault that only moves within the file is the same failure. */
function verdictOn({ file, fault }: Damage): Verdict {
  return {
    gate: GATE,
    kind: 'state',
    class: 'claimed',
    outcome: 'fail',
    summary: 'the state of this loop cannot be read any more',
    fingerprint: 'damaged',
    evidence: [`${file}: ${oneLine(fault, FAULT_LIMIT)}`],
    next: `Repair ${file} (${oneLine(fault, FAULT_LIMIT)})`,
  };
}

function wordsFor({ file, fault }: Damage, { notes = [] }: Held, time: number): Words {
  const where = oneLine(fault, FAULT_LIMIT);
  const reason = [
    ...notes,
    `The work is not done, and the state of this loop cannot be read any more:\n${file}\n${where}`,
    `It could be read earlier in this loop, so a change since then damaged it. Before anything else:
1. Read the file. The fault is at that place or just before it: often a comma, a quote or a bracket too many or missing.
2. Put exactly that right. Every entry stays as it was; do not delete the file, and do not begin it anew.
3. Read it once more, to be sure that it is whole.
4. Go on with the task where you were. The loop goes on from this file when you stop.`,
  ].join('\n\n');
  const message = `untildone: ${file} was damaged (${where}); the session is held to repair it, ${time} of ${MOST_HOLDS}`;
  return { reason, message };
}
