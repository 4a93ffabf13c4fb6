/** Runs the gates of a contract once, and tells what each costs and whether it passes now. */
import { join, relative } from 'node:path';
import type { Contract, GateSpec } from '../../engine/core/contract/contract.ts';
import { namesOnTheWay } from '../../engine/core/loop/phases.ts';
import { callsFor, type GateCall } from '../../engine/core/loop/plan-gates.ts';
import type { Outcome, Verdict } from '../../engine/core/loop/verdict.ts';
import type { TestResults } from '../../engine/core/proof/test-results.ts';
import { Unmeasurable } from '../../engine/core/text/errors.ts';
import type { Judges } from '../../engine/gates/gate.ts';
import { type Run, runFrom } from '../../engine/gates/shared/test-run.ts';
import { traitsOf } from '../../engine/gates/traits.ts';
import { projectFolder } from '../../engine/home/layout.ts';
import { inBaseline } from '../../engine/hook/start/start-loop.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { verify } from '../../engine/judging/verify.ts';
import type { Place, TestRun } from '../../engine/ports/rooms.ts';
import { baseFrom } from '../contract/verify-base.ts';

export interface TriedGate {
  name: string;
  /** Absent: it was not judged now. */
  outcome?: Outcome;
  summary: string;
  evidence: readonly string[];
  /** How long its command took. */
  ms?: number;
  /** What its command showed test by test; absent where its runner does not tell. */
  tests?: TestResults;
  /** The verdict itself; absent where it says nothing of a start. */
  verdict?: Verdict;
  /** The run of its tests; absent where nothing can be compared with it later. */
  run?: Run;
}

/** A first run of the gates. */
export interface FirstRun {
  gates: TriedGate[];
  /** Why nothing could be installed for clean rooms. */
  notInstalled?: Unmeasurable;
  /** The tree that was judged. */
  tree?: string;
  /** Why a gate is not asked for, by its name. */
  leftOut?: Readonly<Record<string, string>>;
  /** It was ended before all gates were judged; the exit code for that. */
  interrupted?: number;
}

/** Hears of each step of a trial when it begins, and when it has ended. */
export interface TrialSteps {
  installs(commands: readonly string[]): void;
  installed(ms: number, problem: string | undefined): void;
  runs(gate: string, command: string | undefined): void;
  judged(gate: TriedGate): void;
  /** The next best room is tried, because of this. */
  goesOn(why: string): void;
}

/** No limit of its own: every gate has one, and you can end all of it. */
const TRIAL_MS = 24 * 3_600_000;

/** Judges as `verify` does, without what costs money, waits for others or can only be true later. */
export async function tryGates(
  contract: Contract,
  world: ProjectPorts,
  steps: TrialSteps,
  signal?: AbortSignal,
): Promise<FirstRun> {
  const calls = callsFor(namesOnTheWay(contract), contract);
  const names = leavesOf(calls);
  const due = leavesOf(inBaseline(calls));
  const later = names.filter((name) => !due.includes(name)).map(inSession);
  if (due.length === 0) return { gates: later };
  const heard = listening(await world.judges(contract), contract, steps);
  const base = await baseFrom(undefined, heard.judges.workspace(world.project));
  const tried = new Map<string, TriedGate>();
  const { notJudged, tree } = await verify(
    {
      contract,
      project: world.project,
      task: contract.task ?? '',
      gates: due,
      base,
      outputDir: join(projectFolder(world.home, world.project), 'setup-output'),
      judgeMs: TRIAL_MS,
      signal,
      progress: {
        runs: (name) => steps.runs(name, commandOf(contract.gates[name])),
        judged: (verdict) => {
          if (signal?.aborted) return;
          const one = triedFrom(verdict, base.tree !== undefined, heard.runOf(contract.gates[verdict.gate]));
          tried.set(verdict.gate, one);
          // What could not be installed was said already.
          if (one.outcome !== 'unproven' || !heard.notInstalled()) steps.judged(one);
        },
      },
    },
    heard.judges,
  );
  const unchanged = notJudged.filter(({ why }) => why === 'nothing_to_compare').map(({ gate }) => gate);
  const gates = due.map((name): TriedGate => {
    const one = tried.get(name);
    if (!one) return { name, summary: NOT_JUDGED, evidence: [] };
    return unchanged.includes(name) && one.outcome !== 'fail' ? { ...one, ...UNCHANGED } : one;
  });
  return {
    gates: [...gates, ...later],
    tree,
    notInstalled: signal?.aborted ? undefined : heard.notInstalled(),
  };
}

export const NOT_JUDGED = 'not judged yet: it was interrupted';
const UNCHANGED = {
  outcome: 'skip',
  summary: 'it looks at changes, and there are none yet',
  evidence: [],
} as const;

function inSession(name: string): TriedGate {
  return { name, summary: 'judged in a session only, at its Stop', evidence: [] };
}

function triedFrom(verdict: Verdict, hasBase: boolean, ran: RanTests | undefined): TriedGate {
  const { gate: name, kind, outcome, summary, evidence = [], proof } = verdict;
  const looksAtChanges = traitsOf(kind).emptyOutcome !== undefined;
  if (looksAtChanges && outcome !== 'fail' && (outcome === 'skip' || !hasBase)) return { name, ...UNCHANGED };
  const run = ran && runFrom(ran.ended, ran.walls, []);
  return {
    name,
    outcome,
    summary,
    evidence,
    ms: proof?.durationMs,
    tests: ran?.ended.tests,
    verdict,
    ...(run && !('problem' in run) ? { run } : {}),
  };
}

/** A run of a command in a place. */
interface RanTests {
  ended: TestRun;
  walls: string | undefined;
}

/** The gates themselves, each once, without what combines them. */
function leavesOf(calls: readonly GateCall[]): string[] {
  return [...new Set(calls.flatMap(({ name, children }) => (children ? leavesOf(children) : [name])))];
}

export function commandOf(spec: GateSpec | undefined): string | undefined {
  return spec?.kind === 'run' ? spec.options.command : undefined;
}

/** The same judges, heard: what was installed, and what test runners said. */
function listening(judges: Judges, contract: Contract, steps: TrialSteps) {
  const runs = new Map<string, RanTests>();
  const keyFor = (command: string, folder: string) => `${folder}\n${command}`;
  let notInstalled: Unmeasurable | undefined;
  let isFirst = true;
  const heardAt = <P extends Place>(place: P): P => ({
    ...place,
    runTests: async (command) => {
      const ended = await place.runTests(command);
      const folder = relative(place.dir, command.cwd);
      runs.set(keyFor(command.command, folder), { ended, walls: place.walls });
      return ended;
    },
  });
  const open = async (
    order: Parameters<ReturnType<Judges['rooms']>['open']>[0],
    rooms: ReturnType<Judges['rooms']>,
  ) => {
    const commands = contract.room?.setup?.run ?? [];
    const installs = isFirst && commands.length > 0;
    isFirst = false;
    const began = performance.now();
    if (installs) steps.installs(commands);
    try {
      const room = await rooms.open(order);
      if (installs) steps.installed(performance.now() - began, undefined);
      return heardAt(room);
    } catch (error) {
      if (error instanceof Unmeasurable) notInstalled = error;
      if (installs) steps.installed(performance.now() - began, (error as Error).message);
      throw error;
    }
  };
  const heard: Judges = {
    ...judges,
    inPlace: (...asked) => heardAt(judges.inPlace(...asked)),
    rooms: (...asked) => {
      const rooms = judges.rooms(...asked);
      return { ...rooms, open: (order) => open(order, rooms) };
    },
  };
  return {
    judges: heard,
    notInstalled: () => notInstalled,
    runOf: (spec: GateSpec | undefined) =>
      spec?.kind === 'run'
        ? runs.get(keyFor(spec.options.command, relative('.', spec.options.cwd ?? '.')))
        : undefined,
  };
}
