import { ResultsBuilder, type TestOutcome, type TestResults } from '../../core/proof/test-results.ts';

/** `test_adds (tests.test_sum.Sums.test_adds) ... ok`; older versions leave the method out in brackets. */
const TEST =
  /^(\w+) \(([\w.]+)\)(?:.*)? \.\.\. (?:.* )?(ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b/;
/** With a description, the outcome stands on the line below the name. */
const NAME = /^(\w+) \(([\w.]+)\)$/;
const OUTCOME = /\.\.\. (?:.* )?(ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b/;
const RAN = /^Ran (\d+) tests? in /;
const OUTCOMES: Record<string, TestOutcome> = {
  ok: 'passed',
  'expected failure': 'passed',
  skipped: 'skipped',
};

/** Reads what `python -m unittest -v` prints; undefined when it is nothing of the kind, or without `-v`: a count alone. */
export function readUnittest(text: string): TestResults | undefined {
  const builder = new ResultsBuilder();
  let [counted, ran] = [0, -1];
  let named: [string, string] | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, name, place, outcome] = TEST.exec(line) ?? below(line, named);
    const [, onlyName, onlyPlace] = NAME.exec(line) ?? [];
    named = onlyName !== undefined && onlyPlace !== undefined ? [onlyName, onlyPlace] : undefined;
    if (name !== undefined && place !== undefined && outcome !== undefined) {
      const group = place.endsWith(`.${name}`) ? place.slice(0, -name.length - 1) : place;
      builder.add([group, name], OUTCOMES[outcome] ?? 'failed');
      counted++;
    }
    const count = RAN.exec(line)?.[1];
    if (count !== undefined) ran = Math.max(ran, 0) + Number(count);
  }
  const onlyCounts = counted === 0 && ran > 0;
  return ran < 0 || onlyCounts ? undefined : builder.results(ran === counted);
}

function below(line: string, named: [string, string] | undefined): (string | undefined)[] {
  const outcome = named && OUTCOME.exec(line)?.[1];
  return outcome === undefined ? [] : [line, ...(named ?? []), outcome];
}
