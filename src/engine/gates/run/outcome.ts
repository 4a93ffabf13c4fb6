import { fingerprint, type Proof, withoutVolatileParts } from '../../core/loop/verdict.ts';
import { plainLines } from '../../core/text/ansi.ts';
import { oneLine } from '../../core/text/clip.ts';
import { firstErrorLines } from '../../core/text/first-error.ts';
import { redact } from '../../core/text/redact.ts';
import type { ShellResult } from '../../ports/ports.ts';
import type { Judgement } from '../gate.ts';
import { findFailures } from './failures.ts';

/** Commands of gates have no time limit here: `evaluateGates` aborts them in time. */
export const UNTIL_ABORTED = Number.POSITIVE_INFINITY;

/** The judgement in the end of a command. */
export function judgementOf(command: string, result: ShellResult): Judgement {
  if (result.exitCode === 0) return { outcome: 'pass', summary: `\`${command}\` succeeds` };
  const evidence = usefulLines(result.output);
  const why = whyUnproven(result);
  if (why !== undefined) return { outcome: 'unproven', summary: `\`${command}\` ${why}`, evidence };
  return {
    outcome: 'fail',
    summary: `\`${command}\` fails with exit code ${result.exitCode}`,
    evidence,
    fingerprint: failureFingerprint(result.output),
  };
}

function whyUnproven({ exitCode, endedBy }: ShellResult): string | undefined {
  if (exitCode === 127) return 'could not be run: command not found';
  if (exitCode === 126) return 'could not be run: not executable';
  switch (endedBy) {
    case 'not_started':
      return 'could not be started';
    case 'timeout':
      return 'did not end in time';
    case 'abort':
      return 'was stopped before it ended';
    case 'signal':
      return 'was ended by a signal';
    default:
      return undefined;
  }
}

export function proofOf(command: string, result: ShellResult, outputFile: string): Proof {
  return {
    command,
    exitCode: result.exitCode,
    durationMs: result.durationMs,
    outputSha256: result.outputSha256,
    outputFile,
    walls: result.walls,
  };
}

const FAILURE_LINES = 24;
const FIRST_LINES = 5;
const LAST_LINES = 10;
const LINE_LENGTH = 300;

/** The lines of an output that tell what is wrong: failing tests and places first, then the last lines. */
export function usefulLines(output: string): string[] {
  const lines = plainLines(redact(output));
  const failures = findFailures(lines).slice(0, FAILURE_LINES);
  const shown = new Set(failures);
  const last = lines.filter((line) => isWorthShowing(line) && !shown.has(line.trim())).slice(-LAST_LINES);
  const first = failures.length > 0 ? failures : firstErrorAbove(lines, last);
  return [...first, ...last].map((line) => oneLine(line, LINE_LENGTH));
}

/** The first error of an output, where the last lines do not show it. */
function firstErrorAbove(lines: readonly string[], last: readonly string[]): string[] {
  const found = firstErrorLines(lines.join('\n'), FIRST_LINES);
  return last.some((line) => line.includes(found[0] ?? '')) ? [] : found;
}

/** Whether a line says something. Rulers and the lines that npm adds to every failure do not. */
function isWorthShowing(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line) && !/^npm (?:ERR!|(?:error|warn|notice)\b)/i.test(line);
}

/** Names a failure. The same tests that fail in the same way give the same name, whatever their order and their lines. */
function failureFingerprint(output: string): string {
  const lines = plainLines(output);
  const failures = findFailures(lines);
  const telling = failures.length > 0 ? failures : lines.filter(isWorthShowing).slice(-LAST_LINES);
  const stable = telling.map((line) =>
    withoutVolatileParts(line).replace(/:\d+(?::\d+)?|\(\d+,\d+\)|\[\d+,\d+\]/g, ''),
  );
  return fingerprint([...new Set(stable)].sort().join('\n'));
}
