/** Failures that were there before the work began, as a contract lists them. */
import { passes, type TestResults } from '../proof/test-results.ts';
import { oneLine } from '../text/clip.ts';
import type { Contract, GateSpec, KnownFailure } from './contract.ts';
import type { GateOptions } from './gate-options.ts';

/** The known failures of a gate, with those of other gates that run the same command. */
export function knownFailuresOf({ knownFailures = [], gates }: Contract, gate: string): KnownFailure[] {
  const command = commandOf(gates[gate]);
  const isSame = (name: string) =>
    name === gate || (command !== undefined && commandOf(gates[name]) === command);
  return knownFailures.filter((known) => isSame(known.gate));
}

function commandOf(spec: GateSpec | undefined): string | undefined {
  const { command, cwd = '.', env = {} } = (spec?.options ?? {}) as Partial<GateOptions['run']>;
  return command === undefined ? undefined : JSON.stringify([command, cwd, env]);
}

/** Names a known failure in what is kept, and in lists. */
export function idOf({ gate, test }: KnownFailure): string {
  return test === undefined ? gate : `${gate}: ${test}`;
}

/** What became of the known failures of a gate in one run of its command. */
export interface KnownNow {
  /** They still fail. */
  failing: KnownFailure[];
  /** They pass now. */
  mended: KnownFailure[];
  /** Whether nothing else fails, as far as the report tells. */
  isAll: boolean;
}

/** Compares known failures with a run that failed, or passed. Without a report only the whole gate can be known. */
export function knownNow(
  known: readonly KnownFailure[],
  isGreen: boolean,
  tests: TestResults | undefined,
): KnownNow {
  const whole = known.filter(({ test }) => test === undefined);
  const named = known.filter(({ test }) => test !== undefined);
  const tallyOf = ({ test = '' }: KnownFailure) => tests?.tests.get(test);
  const failing = named.filter((each) => (tallyOf(each)?.failed ?? 0) > 0);
  const mended = named.filter((each) => passes(tallyOf(each)));
  if (isGreen) return { failing: [], mended: [...whole, ...mended], isAll: true };
  const names = new Set(failing.map(({ test }) => test));
  const others = [...(tests?.tests ?? [])].filter(([name, { failed }]) => failed > 0 && !names.has(name));
  const isAll = whole.length > 0 || (tests?.whole === true && failing.length > 0 && others.length === 0);
  return { failing: [...whole, ...failing], mended, isAll };
}

/** Whether nothing fails but tests that are known by name: then what passes can still be compared. */
export function failsAsKnown(tests: TestResults | undefined, known: readonly KnownFailure[]): boolean {
  const named = known.filter(({ test }) => test !== undefined);
  return named.length > 0 && knownNow(named, false, tests).isAll;
}

/** `tests > adds (since 2026-01-05: it needs a time zone)` */
export function knownWords({ test, since, reason }: KnownFailure): string {
  const when = since === undefined ? '' : `since ${since}`;
  const why = [when, ...(reason === undefined ? [] : [oneLine(reason, 200)])].filter(Boolean).join(': ');
  return `${test ?? 'the whole command'}${why === '' ? '' : ` (${why})`}`;
}
