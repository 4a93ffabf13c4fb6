import type { Verdict } from '../loop/verdict.ts';

/** Wrong use, with what to type instead; exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** A contract with mistakes, in the order of the file. */
export class ContractError extends UsageError {
  override name = 'ContractError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** The commands of the contract are not trusted on this machine. */
export class NotApproved extends UsageError {
  override name = 'NotApproved';
  /** The fingerprint to trust. */
  readonly fingerprint: string;

  constructor(message: string, fingerprint: string) {
    super(message);
    this.fingerprint = fingerprint;
  }
}

/** Every gate passes already, and no change can be seen: nothing could show that the task was done. */
export class NothingToDo extends UsageError {
  override name = 'NothingToDo';
  readonly lines: readonly string[];
  readonly baseline: readonly Verdict[];

  constructor(lines: readonly string[], baseline: readonly Verdict[]) {
    super(lines.join('\n'));
    this.lines = lines;
    this.baseline = baseline;
  }
}

/** Something cannot be measured: the gate is unproven, and `evidence` says what to do. */
export class Unmeasurable extends Error {
  override name = 'Unmeasurable';
  readonly evidence: readonly string[];

  /** By its name: bundles that are loaded side by side have a class each. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'Unmeasurable';
  }

  constructor(message: string, evidence: readonly string[] = []) {
    super(message);
    this.evidence = evidence;
  }
}

/** What is said where a file of the program is missing or cut off, as in the middle of an update. */
export function partMissing(cause: Error): Error {
  const [why] = cause.message.split('\n');
  return new Error(`a part of untildone cannot be loaded (${why}): install untildone again`, { cause });
}
