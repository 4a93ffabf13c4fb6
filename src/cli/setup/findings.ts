/** What a first run of the gates means for the contract that is proposed. */
import type { Learnt } from '../../engine/contract/learnt.ts';
import type { Contract, KnownFailure } from '../../engine/core/contract/contract.ts';
import { knownFailuresOf, knownNow } from '../../engine/core/contract/known-failures.ts';
import type { TriedGate } from './gates-now.ts';

/** Times in which a gate may be measured again, each five times what it took here at most. */
const STEPS_MIN = [1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 360];
const FACTOR = 5;
/** More names than that are no list that anybody reads. */
const MOST_KNOWN = 200;

/** A gate that fails before any work, and the tests that do, where they have names. */
export interface RedBefore {
  gate: string;
  tests: string[];
}

export function redBefore(contract: Contract, gates: readonly TriedGate[]): RedBefore[] {
  return gates.flatMap(({ name, outcome, tests, evidence }) => {
    if (outcome !== 'fail' || contract.gates[name]?.kind !== 'run' || missingModule(evidence)) return [];
    const failing = [...(tests?.tests ?? [])].flatMap(([test, { failed }]) => (failed > 0 ? [test] : []));
    const hasNames = tests?.whole === true && failing.length > 0 && failing.length <= MOST_KNOWN;
    return [{ gate: name, tests: hasNames ? failing : [] }];
  });
}

export function knownFrom(red: readonly RedBefore[], since: string): KnownFailure[] {
  const reason = 'it failed before any work';
  return red.flatMap(({ gate, tests }) =>
    tests.length === 0 ? [{ gate, since, reason }] : tests.map((test) => ({ gate, test, since, reason })),
  );
}

/** What is learnt of the gates. `known`: what fails before any work, and is not to be mended. */
export function learntFrom(
  contract: Contract,
  gates: readonly TriedGate[],
  known: readonly KnownFailure[],
): Learnt {
  const timeouts: Record<string, string> = {};
  const leftOut: Record<string, string> = {};
  const notJudged: string[] = [];
  for (const { name, outcome, summary, evidence, ms } of gates) {
    if (contract.gates[name]?.kind !== 'run') continue;
    const missing = missingModule(evidence);
    if (outcome === 'unproven') leftOut[name] = missingProgram(evidence) ?? summary;
    else if (outcome === 'fail' && missing !== undefined) leftOut[name] = missing;
    else if (outcome === undefined) notJudged.push(name);
    else if (ms !== undefined) timeouts[name] = timeLimit(ms);
  }
  return { timeouts, leftOut: { ...leftOut, ...withoutTests(contract, leftOut, known) }, notJudged, known };
}

/** What a shell, or npm for it, says of a program that is not there. */
const NOT_FOUND = /(?:^|: )([\w@./-]+): (?:command )?not found$/;

function missingProgram(evidence: readonly string[]): string | undefined {
  const program = evidence.flatMap((line) => NOT_FOUND.exec(line)?.[1] ?? [])[0];
  return program && notInstalled(program);
}

const notInstalled = (what: string) => `${what} is not installed here; install it, and run setup again`;

/** `python3 -m ruff` and `npx tsc` end like a check that fails when there is no ruff and no tsc. */
const NO_MODULE =
  /python[\d.]{0,8}(?:\.exe)?: No module named '?([\w.]{1,100})|npx canceled due to missing packages[^[]{0,100}\["([^"@]{1,100})|(could not determine executable to run)/;

function missingModule(evidence: readonly string[]): string | undefined {
  const found = evidence.map((line) => NO_MODULE.exec(line)).find((match) => match !== null);
  return found ? notInstalled(found[1] ?? found[2] ?? 'what npx is asked for') : undefined;
}

/** Old and new tests cannot be compared by a command that cannot run, or that fails as a whole. */
function withoutTests(
  contract: Contract,
  leftOut: Readonly<Record<string, string>>,
  known: readonly KnownFailure[],
): Record<string, string> {
  const all = { ...contract, knownFailures: [...known] };
  return Object.fromEntries(
    Object.entries(contract.gates).flatMap(([name, spec]) => {
      if (spec.kind !== 'differential') return [];
      const { command } = spec.options;
      const missing = Object.keys(leftOut).find((gate) => {
        const other = contract.gates[gate];
        return other?.kind === 'run' && other.options.command === command;
      });
      if (missing !== undefined) return [[name, `it compares runs of ${missing}`]];
      const red = knownNow(knownFailuresOf(all, name), false, undefined).isAll;
      return red ? [[name, 'the command that it compares fails as a whole']] : [];
    }),
  );
}

export function timeLimit(ms: number): string {
  const minutes = (ms * FACTOR) / 60_000;
  const step = STEPS_MIN.find((each) => each >= minutes) ?? Math.ceil(minutes / 60) * 60;
  return step < 60
    ? `${step}m`
    : step % 60 === 0
      ? `${step / 60}h`
      : `${Math.floor(step / 60)}h${step % 60}m`;
}
