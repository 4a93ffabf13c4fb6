/** What a run of tests says at its end in words, where its runner gives no report. Pure. */
import { plainLines } from '../text/ansi.ts';

export interface PrintedSummary {
  passed?: number;
  failed?: number;
  /** Passed, failed or otherwise counted. */
  total?: number;
}

/** A summary stands at the end. What tests print themselves comes before it. */
const LAST_LINES = 12;
const LONGEST_LINE = 400;

const COUNTED =
  /\b(\d{1,7})\s{1,3}(?:(?:tests?|specs?|checks?|cases?|examples?|assertions?)\s{1,3})?([a-z]+)/gi;
const NAMED = /\b([a-z]+)(?:\s{1,3}run)?\s{0,3}[:=]?\s{1,3}(\d{1,7})\b(?!\s{0,3}(?:ms|s|sec|%|\.\d))/gi;

const WORDS: Record<string, keyof PrintedSummary> = {
  passed: 'passed',
  passing: 'passed',
  pass: 'passed',
  passes: 'passed',
  ok: 'passed',
  succeeded: 'passed',
  successes: 'passed',
  successful: 'passed',
  failed: 'failed',
  failing: 'failed',
  fail: 'failed',
  fails: 'failed',
  failures: 'failed',
  failure: 'failed',
  tests: 'total',
  test: 'total',
  specs: 'total',
  checks: 'total',
  cases: 'total',
  examples: 'total',
};

/** The counts in the last lines of an output; undefined when there are none. */
export function summaryIn(output: string): PrintedSummary | undefined {
  const found: PrintedSummary = {};
  const lines = plainLines(output).filter((line) => line.trim() !== '');
  for (const line of lines.slice(-LAST_LINES)) readCounts(line.slice(0, LONGEST_LINE), found);
  return Object.keys(found).length === 0 ? undefined : found;
}

/** A later line counts more: it is nearer to the end. */
function readCounts(line: string, found: PrintedSummary): void {
  for (const [, word = '', count] of line.matchAll(NAMED)) note(word, count);
  for (const [, count, word = ''] of line.matchAll(COUNTED)) note(word, count);

  function note(word: string, count: string | undefined): void {
    const key = WORDS[word.toLowerCase()];
    if (key !== undefined) found[key] = Number(count);
  }
}

/** How many tests a summary speaks of; undefined when it counts only failures, which a run without any leaves out. */
function shownIn({ passed, failed = 0, total }: PrintedSummary): number | undefined {
  return passed === undefined ? total : Math.max(passed + failed, total ?? 0);
}

interface Run {
  green: boolean;
  printed?: PrintedSummary;
}

/**
 * Why a run that ended with exit code 0 does not count as one in which all tests passed: it says itself that some failed,
 * or it does not come to the end that the run at the start came to. Undefined when nothing speaks against it.
 */
export function contradiction(then: Run, now: Run, sameTests: boolean): string | undefined {
  if (!now.green) return undefined;
  const failed = now.printed?.failed ?? 0;
  const mayFail = then.green && (then.printed?.failed ?? 0) > 0;
  if (failed > 0 && !mayFail) return `ends with exit code 0, although it says that ${failed} failed`;
  const before = then.printed && shownIn(then.printed);
  if (before === undefined || before === 0) return undefined;
  const after = now.printed && shownIn(now.printed);
  if (after === undefined)
    return `counted ${before} tests at the start, and ends with exit code 0 without counting any`;
  if (sameTests && after < before)
    return `counted ${before} tests at the start, and only ${after} of them on the code of now`;
  return undefined;
}
