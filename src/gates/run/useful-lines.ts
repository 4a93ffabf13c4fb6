import { fingerprint, withoutVolatileParts } from '../../core/loop/fingerprint.ts';
import { plainLines } from '../../core/text/ansi.ts';
import { oneLine } from '../../core/text/clip.ts';
import { redact } from '../../core/text/redact.ts';
import { findFailures } from './failures.ts';

const FAILURE_LINES = 24;
const LAST_LINES = 10;
const LINE_LENGTH = 300;

/** The shortest part of an output that tells what is wrong: failing tests and places first, then its last lines. */
export function usefulLines(output: string): string[] {
  const lines = plainLines(redact(output));
  const failures = findFailures(lines).slice(0, FAILURE_LINES);
  const shown = new Set(failures);
  const last = lines.filter((line) => isWorthShowing(line) && !shown.has(line.trim())).slice(-LAST_LINES);
  return [...failures, ...last].map((line) => oneLine(line, LINE_LENGTH));
}

/** Rulers, and what package managers add to every failure, say nothing. */
function isWorthShowing(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line) && !/^npm (?:ERR!|(?:error|warn|notice)\b)/i.test(line);
}

/**
 * Names a failure: the same tests failing in the same way give the same name, in whatever order they ran and wherever
 * in the file they stand by now.
 */
export function failureFingerprint(output: string): string {
  const lines = plainLines(output);
  const failures = findFailures(lines);
  const telling = failures.length > 0 ? failures : lines.filter(isWorthShowing).slice(-LAST_LINES);
  const stable = telling.map((line) =>
    withoutVolatileParts(line).replace(/:\d+(?::\d+)?|\(\d+,\d+\)|\[\d+,\d+\]/g, ''),
  );
  return fingerprint([...new Set(stable)].sort().join('\n'));
}
