import { ResultsBuilder, type TestOutcome, type TestResults } from '../../core/proof/test-results.ts';

const TARGET = /^\s+(?:Running|Doc-tests) (?:unittests )?(\S+)/;
const TEST = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/;
const RESULT = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/;
const OUTCOMES: Record<string, TestOutcome> = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' };

/** Reads what `cargo test` prints; undefined when it is nothing of the kind. */
export function readCargo(text: string): TestResults | undefined {
  const builder = new ResultsBuilder();
  let [target, counted, seen, whole] = ['', 0, false, true];
  let open = false;
  for (const line of text.split(/\r?\n/)) {
    const began = TARGET.exec(line);
    if (began) {
      if (open) whole = false;
      // A program that ends in the middle names its target and nothing else.
      if (/\(target\b|\.rs\b/.test(line)) seen = true;
      [target, counted, open] = [began[1] ?? '', 0, true];
    }
    const test = TEST.exec(line);
    if (test) {
      // The line of a documentation test moves with every edit above it.
      builder.add([target, test[1]?.replace(/ \(line \d+\)$/, '')], OUTCOMES[test[2] ?? ''] ?? 'failed');
      [counted, seen] = [counted + 1, true];
    }
    const result = RESULT.exec(line);
    if (!result) continue;
    const [passed = 0, failed = 0, ignored = 0] = result.slice(1, 4).map(Number);
    if (passed + failed + ignored !== counted) whole = false;
    [open, seen, counted] = [false, true, 0];
  }
  return seen ? builder.results(whole && !open) : undefined;
}
