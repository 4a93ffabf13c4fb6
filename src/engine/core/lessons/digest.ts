import type { Contract, GateSpec } from '../contract/contract.ts';
import { secretsOf } from '../contract/secret-values.ts';
import { hasEnded, type LoopState } from '../loop/state.ts';
import type { Verdict } from '../loop/verdict.ts';
import { redact } from '../text/redact.ts';
import { signsIn } from './signs.ts';

/** An ended loop, as far as lessons need it. */
export interface LoopDigest {
  loop: string;
  /** When it ended. */
  at: number;
  /** The gates that were judged; those that never failed are there, too. */
  gates: Record<string, GateFailures>;
  /** The commands of its gates, as the trusted contract has them. */
  commands: Record<string, string>;
}

export interface GateFailures {
  /** At how many Stops it failed. */
  held: number;
  /** The iterations at which it failed; the last ones. */
  at: number[];
  /** What its evidence named: rules of checkers, and files of the project. The first ones. */
  rules: string[];
  files: string[];
}

/** One judged Stop of a loop. */
export interface JudgedStop {
  iteration: number;
  verdicts: readonly Verdict[];
}

/** The path below the project of a file that evidence names; undefined when the project has no such file. */
export type FindFile = (named: string) => string | undefined;

const MOST_GATES = 32;
const MOST_NAMES = 6;
const MOST_ITERATIONS = 8;

/** The digest of a loop; undefined while it goes on, and when nothing was judged in it. */
export function digestOf(
  state: LoopState,
  stops: Iterable<JudgedStop>,
  contract: Pick<Contract, 'gates'>,
  findFile: FindFile,
): LoopDigest | undefined {
  if (!hasEnded(state)) return undefined;
  const gates = new Map<string, GateFailures>();
  for (const { verdicts, iteration } of stops) {
    for (const verdict of withParts(verdicts)) {
      if (verdict.outcome === 'skip') continue;
      const failures = failuresOf(verdict.gate, gates);
      if (isMeasuredFailure(verdict)) countFailure(failures, verdict, iteration, findFile);
    }
  }
  if (gates.size === 0) return undefined;
  const named = [...gates].filter(([name]) => Object.hasOwn(contract.gates, name)).slice(0, MOST_GATES);
  const secrets = secretsOf(contract);
  return {
    loop: state.loop,
    at: state.ending?.at ?? state.lastAt,
    gates: Object.fromEntries(named),
    commands: Object.fromEntries(
      named.flatMap(([name]) => {
        const command = commandOf(contract.gates[name]);
        return command === undefined ? [] : [[name, redact(command, secrets)]];
      }),
    ),
  };
}

function failuresOf(gate: string, gates: Map<string, GateFailures>): GateFailures {
  const known = gates.get(gate) ?? { held: 0, at: [], rules: [], files: [] };
  gates.set(gate, known);
  return known;
}

/** The verdicts with those of the gates that they are made of. */
function withParts(verdicts: readonly Verdict[]): Verdict[] {
  return verdicts.flatMap((verdict) => [verdict, ...withParts(verdict.children ?? [])]);
}

/** Whether a gate failed that measures by itself: neither opinions of models nor words of the agent count. */
function isMeasuredFailure({ outcome, class: evidence, children = [], waits, asks }: Verdict): boolean {
  return (
    outcome === 'fail' && evidence === 'measured' && children.length === 0 && !waits && asks === undefined
  );
}

function countFailure(failures: GateFailures, verdict: Verdict, iteration: number, findFile: FindFile): void {
  const { rules, files } = signsIn(verdict);
  failures.held++;
  failures.at = [...failures.at, iteration].slice(-MOST_ITERATIONS);
  failures.rules = firstNames([...failures.rules, ...rules]);
  failures.files = firstNames([...failures.files, ...files.flatMap((file) => findFile(file) ?? [])]);
}

function firstNames(names: readonly string[]): string[] {
  return [...new Set(names)].slice(0, MOST_NAMES);
}

/** A command that fits into a sentence: one line of printable characters, without the quotes that go around it. */
export function commandOf(spec: GateSpec | undefined): string | undefined {
  if (spec?.kind !== 'run') return undefined;
  const { command, cwd } = spec.options;
  const line = cwd === undefined ? command.trim() : `cd ${cwd} && ${command.trim()}`;
  return PLAIN_COMMAND.test(line) ? line : undefined;
}

const PLAIN_COMMAND = /^[!-~](?:[ -_a-~]{0,78}[!-_a-~])?$/;
