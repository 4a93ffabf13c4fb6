import { asksForMoreThanPromise } from '../../core/contract/contract.ts';
import type { Decision, Ending, LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { defined } from '../../core/text/defined.ts';
import { endingMessage } from '../../core/words/endings.ts';
import type { JudgingPorts } from '../../judging/ports.ts';
import type { LoopRef, StateChange } from '../../ports/ports.ts';
import type { FormatBehaviour } from '../../ports/session-loop.ts';
import type { Dialect } from '../format.ts';
import type { ForeignPorts, ForeignStateSeen } from './ports.ts';

/** A removed state file is kept with its loop up to this size. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** Lets a foreign state judge, speak and be written in its own way. */
export function behaviourOf(
  seen: ForeignStateSeen,
  ref: LoopRef,
  foreign: ForeignPorts,
  ports: JudgingPorts,
): FormatBehaviour {
  const { reading } = seen;
  return {
    verdicts: async (contract) =>
      reading.judge({
        workspace: async () => (await foreign.judges()).workspace(ports.projectOf(seen.event)),
        hasGates: asksForMoreThanPromise(contract),
      }),
    limits: (limits) => ({ ...limits, iterations: reading.maxIterations, ...defined(reading.limits ?? {}) }),
    instruct: (held) => reading.instruct(held),
    writeBack: (decision, after, verdicts) => settle(decision, after, verdicts, seen, ref, foreign, ports),
    agentWrites: agentWritesIn(seen.dialect, foreign),
  };
}

/** Wherever links lead: what lies outside of where such state belongs is nobody's to be let into. */
export function agentWritesIn(dialect: Dialect, foreign: ForeignPorts): FormatBehaviour['agentWrites'] {
  const { place, files } = foreign;
  return (path) => dialect.agentWrites?.(path, place, files) === true && foreign.belongs(path);
}

function settle(
  decision: Decision,
  after: LoopState,
  verdicts: readonly Verdict[],
  { reading, dialect }: ForeignStateSeen,
  ref: LoopRef,
  foreign: ForeignPorts,
  ports: JudgingPorts,
): string[] {
  const changes = reading.settle(decision, after, verdicts).flatMap((change) => keepRemoved(change, ref));
  const problems = foreign.change(changes).map((problem) => `untildone: ${dialect.name}: ${problem}`);
  if (decision.kind === 'end') ports.store.append(ref, () => ({ kind: 'closed' }));
  if (problems.length > 0 && decision.kind === 'block' && reading.iteration !== undefined) {
    // From now on the old number in the file is no news.
    ports.store.append(ref, () => ({ kind: 'synced', says: reading.iteration ?? 0 }));
  }
  const output = decision.kind === 'end' ? reading.output?.(after, verdicts) : undefined;
  if (!output) return problems;
  ports.store.append(ref, () => ({ kind: 'said', output }));
  return [...inWords(output), ...problems];
}

/**
 * Gives the files of an ended loop their last form, where that did not come about: the hook was killed in between, or a
 * person ended the loop from elsewhere.
 */
export function close(
  seen: ForeignStateSeen,
  ref: LoopRef,
  state: LoopState,
  foreign: ForeignPorts,
  ports: JudgingPorts,
): string[] {
  const { status, ending } = state;
  const decision: Decision = {
    kind: 'end',
    status: status as Ending,
    cause: ending?.cause ?? '',
    detail: ending?.detail ?? '',
  };
  return [endingMessage(state), ...settle(decision, state, [], seen, ref, foreign, ports)];
}

/** What a format's own hook put out, as one line for the person. */
function inWords(output: Record<string, string | string[]>): string[] {
  const words = Object.values(output).map((value) => (Array.isArray(value) ? value.join(', ') : value));
  return [words.filter((word) => word !== '').join(' - ')];
}

/** Nothing that people wrote is thrown away: a state file that the format removes at the end is kept with its loop. */
function keepRemoved(change: StateChange, ref: LoopRef): StateChange[] {
  if (change.kind !== 'remove') return [change];
  const name = change.path.slice(change.path.lastIndexOf('/') + 1);
  return [{ kind: 'copy', from: change.path, to: `${ref.dir}/${name}`, maxBytes: KEPT_BYTES }, change];
}
