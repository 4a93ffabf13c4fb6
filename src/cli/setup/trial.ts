/** Tries what is proposed for a project, in the best room that can be had here, and makes of it what is asked for. */

import { gateNamesIn, withLearnt, withTopKey } from '../../engine/contract/learnt.ts';
import { contractFileOf } from '../../engine/contract/read.ts';
import { CONTRACT_FILE, type Contract } from '../../engine/core/contract/contract.ts';
import { failsAsKnown, knownFailuresOf } from '../../engine/core/contract/known-failures.ts';
import type { Verdict } from '../../engine/core/loop/verdict.ts';
import type { Tally, TestResults } from '../../engine/core/proof/test-results.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { withoutKnown } from '../../engine/gates/run/known-failures.ts';
import { rememberShown } from '../../engine/gates/run/shown-tests.ts';
import type { Run } from '../../engine/gates/shared/test-run.ts';
import { serveStart } from '../../engine/hook/start/start-loop.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { type FirstRun, type TrialSteps, type TriedGate, tryGates } from './gates-now.ts';

/** A contract that was tried. */
export interface TriedContract {
  text: string;
  contract: Contract;
  trial: FirstRun;
  /** What is otherwise here than it should be, a line each. */
  notes: string[];
}

/**
 * Tries a contract as it is proposed. Where its clean rooms cannot be installed, the next best ones are tried: with the
 * dependencies that lie in the project, then the project itself.
 */
export async function tryProposed(
  proposed: string,
  world: ProjectPorts,
  steps: TrialSteps,
  signal: AbortSignal,
): Promise<TriedContract> {
  const notes: string[] = [];
  for (const next of [asProposed, withFoundDependencies, inProject]) {
    const text = next(proposed, notes.at(-1) ?? '');
    const contract = contractIn(text);
    if (!contract || (next !== asProposed && text === proposed) || isUnknown(contract)) continue;
    const trial = await tryGates(contract, world, steps, signal);
    if (!trial.notInstalled || next === inProject) return { text, contract, trial, notes };
    notes.push(oneLine(trial.notInstalled.message, 300));
    steps.goesOn(notes.at(-1) ?? '');
  }
  throw new Error(`what is proposed for ${CONTRACT_FILE} cannot be read`);
}

const FOUND = 'as_found';
const asProposed = (text: string) => text;

function withFoundDependencies(text: string, why: string): string {
  return withTopKey(text, 'setup', `${FOUND}  # ${why}`);
}

function inProject(text: string, why: string): string {
  const without = withTopKey(withTopKey(text, 'setup', undefined), 'room', undefined);
  const gates = contractIn(text)?.gates ?? {};
  const comparing = gateNamesIn(text).filter((name) => gates[name]?.kind === 'differential');
  const leftOut = Object.fromEntries(comparing.map((name) => [name, `no clean room: ${why}`]));
  return withLearnt(without, { timeouts: {}, leftOut, notJudged: [], known: [] });
}

/** A version that does not know dependencies as found takes their name for a command. */
function isUnknown({ room }: Contract): boolean {
  return room?.setup?.run.includes(FOUND) === true;
}

/** Undefined for a text that this version cannot read. */
function contractIn(text: string): Contract | undefined {
  try {
    return contractFileOf(text).contract;
  } catch {
    return undefined;
  }
}

/** What is kept of a trial. */
export interface SeenTrial extends Omit<FirstRun, 'gates'> {
  gates: (Omit<TriedGate, 'tests' | 'run'> & { tests?: Listed; run?: Omit<Run, 'tests'> & Listed })[];
  notes: string[];
}

/** Results test by test, as JSON can hold them. */
interface Listed {
  tests: [string, Tally][];
  whole: boolean;
}

export function seenIn({ gates, notInstalled: _, ...trial }: FirstRun, notes: string[]): SeenTrial {
  const listed = <R extends TestResults>(results: R) => ({ ...results, tests: [...results.tests] });
  return {
    ...trial,
    gates: gates.map(({ tests, run, ...rest }) => ({
      ...rest,
      tests: tests && listed(tests),
      run: run && listed(run),
    })),
    notes,
  };
}

export function trialFrom({ gates, notes: _, ...trial }: SeenTrial): FirstRun {
  const mapped = <L extends Listed>(results: L) => ({ ...results, tests: new Map(results.tests) });
  return {
    ...trial,
    gates: gates.map(({ tests, run, ...rest }) => ({
      ...rest,
      tests: tests && mapped(tests),
      run: run && mapped(run),
    })),
    interrupted: undefined,
  };
}

/**
 * Keeps the verdicts for the start of a loop, which would judge the same again. Only when nothing but our own files came
 * between: the contract and the hooks.
 */
export async function keepForStart(
  contract: Contract,
  fingerprint: string,
  { gates, tree }: FirstRun,
  own: readonly string[],
  world: ProjectPorts,
): Promise<void> {
  if (tree === undefined) return;
  const { project } = world;
  const judges = await world.judges(contract);
  const workspace = judges.workspace(project);
  const now = await workspace.tree().catch(() => undefined);
  const changes = now === undefined ? undefined : await workspace.changes(tree, now).catch(() => undefined);
  if (now === undefined || !changes?.every(({ path }) => own.includes(path))) return;
  const measured = judges.measured?.(project, fingerprint);
  const verdicts: Verdict[] = [];
  const runs: Record<string, Run> = {};
  for (const { name, verdict, tests, run } of gates) {
    const spec = contract.gates[name];
    if (spec?.kind !== 'run' || !verdict || (verdict.outcome !== 'pass' && verdict.outcome !== 'fail'))
      continue;
    const known = knownFailuresOf(contract, name);
    verdicts.push({ ...verdict, ...withoutKnown(verdict, tests, known, undefined) });
    if (run) runs[name] = { ...run, green: verdict.outcome === 'pass' || failsAsKnown(tests, known) };
    if (tests && measured)
      rememberShown({ gate: name, command: spec.options.command, tree: now }, tests, measured, judges.digest);
  }
  serveStart(now, { verdicts, runs }, { project, fingerprint }, judges);
}
