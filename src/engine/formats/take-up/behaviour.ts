import { asksForMoreThanPromise, type Contract } from '../../core/contract/contract.ts';
import type { Decision, Ending, LoopState } from '../../core/loop/state.ts';
import type { Measured, Verdict } from '../../core/loop/verdict.ts';
import { defined } from '../../core/text/defined.ts';
import { endingMessage } from '../../core/words/endings.ts';
import type { Ports } from '../../judging/ports.ts';
import type { LoopRef, StateChange } from '../../ports/ports.ts';
import type { FormatBehaviour } from '../../ports/session-loop.ts';
import type { StateFormat } from '../format.ts';
import type { ForeignPorts, ForeignStateSeen } from './ports.ts';

/** A removed state file is kept with its loop up to this size. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** The verdicts, limits, words and files of one foreign loop. */
export function behaviourOf(
  seen: ForeignStateSeen,
  ref: LoopRef,
  foreign: ForeignPorts,
  ports: Ports,
): FormatBehaviour {
  const { reading } = seen;
  return {
    verdicts: async (contract, judged) =>
      reading.judge({
        workspace: async () => ({ git: foreign.git(ports.projectOf(seen.event)) }),
        hasGates: asksForMoreThanPromise(contract),
        measuredOf: (file) => measuredOf(file, contract, judged, ports.projectOf(seen.event), foreign),
      }),
    limits: (limits) => ({ ...limits, iterations: reading.maxIterations, ...defined(reading.limits ?? {}) }),
    instruct: (held) => reading.instruct(held),
    writeBack: (decision, after, verdicts) => writeBack(decision, after, verdicts, seen, ref, foreign, ports),
    agentWrites: agentWritesIn(seen.format, foreign),
    handsOver: seen.format.handsOver,
  };
}

/** What the features gates of a contract measured of one list, inside `all` and `any`, too. */
function measuredOf(
  listFile: string,
  { gates }: Contract,
  judged: readonly Verdict[],
  project: string,
  { files }: ForeignPorts,
): Measured | undefined {
  const pathOf = (file: string) => files.realPath(file.startsWith('/') ? file : `${project}/${file}`);
  const isOfList = ({ gate }: Verdict) => {
    const spec = gates[gate];
    return spec?.kind === 'features' && pathOf(spec.options.file) === files.realPath(listFile);
  };
  const found = leavesOf(judged).filter(isOfList);
  if (found.length === 0) return undefined;
  return {
    passing: found.flatMap(({ measured }) => measured?.passing ?? []),
    open: found.flatMap(({ measured }) => measured?.open ?? []),
  };
}

function leavesOf(verdicts: readonly Verdict[]): Verdict[] {
  return verdicts.flatMap((verdict) => [verdict, ...leavesOf(verdict.children ?? [])]);
}

/** Allows the agent to write the files of its format, but none that a link leads to outside the places of such state. */
export function agentWritesIn(format: StateFormat, foreign: ForeignPorts): FormatBehaviour['agentWrites'] {
  const { place, files } = foreign;
  return (path) => format.agentWrites?.(path, place, files) === true && foreign.belongs(path);
}

function writeBack(
  decision: Decision,
  after: LoopState,
  verdicts: readonly Verdict[],
  { reading, format }: ForeignStateSeen,
  ref: LoopRef,
  foreign: ForeignPorts,
  ports: Ports,
): string[] {
  const changes = reading.writeBack(decision, after, verdicts).flatMap((change) => keepRemoved(change, ref));
  const problems = foreign.change(changes).map((problem) => `untildone: ${format.name}: ${problem}`);
  if (decision.kind === 'end') ports.store.append(ref, () => ({ kind: 'closed' }));
  if (problems.length > 0 && decision.kind === 'block' && reading.iteration !== undefined) {
    // The file keeps its old number. It must not count as a change at the next Stop.
    ports.store.append(ref, () => ({ kind: 'synced', says: reading.iteration ?? 0 }));
  }
  const output = decision.kind === 'end' ? reading.output?.(after, verdicts) : undefined;
  if (!output) return problems;
  ports.store.append(ref, () => ({ kind: 'said', output }));
  return [...inWords(output), ...problems];
}

/**
 * Gives the files of an ended loop their last form where that did not happen yet: the hook was killed, or you ended the
 * loop with a command.
 */
export function close(
  seen: ForeignStateSeen,
  ref: LoopRef,
  state: LoopState,
  foreign: ForeignPorts,
  ports: Ports,
): string[] {
  const { status, ending } = state;
  const decision: Decision = {
    kind: 'end',
    status: status as Ending,
    cause: ending?.cause ?? '',
    detail: ending?.detail ?? '',
  };
  return [endingMessage(state), ...writeBack(decision, state, [], seen, ref, foreign, ports)];
}

/** What a format's own hook would have printed, as one line for you. */
function inWords(output: Record<string, string | string[]>): string[] {
  const words = Object.values(output).map((value) => (Array.isArray(value) ? value.join(', ') : value));
  return [words.filter((word) => word !== '').join(' - ')];
}

/** Keeps a copy with the loop of every state file that the format removes: nothing that you wrote is lost. */
function keepRemoved(change: StateChange, ref: LoopRef): StateChange[] {
  if (change.kind !== 'remove') return [change];
  const name = change.path.slice(change.path.lastIndexOf('/') + 1);
  return [{ kind: 'copy', from: change.path, to: `${ref.dir}/${name}`, maxBytes: KEPT_BYTES }, change];
}
