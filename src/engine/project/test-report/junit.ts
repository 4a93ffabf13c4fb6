import sax from 'sax';
import { ResultsBuilder, type TestOutcome, type TestResults } from '../../core/proof/test-results.ts';

/** Reads JUnit's XML, as written by node:test, pytest, surefire, gradle, vitest, jest-junit and phpunit. */
export function readJunit(text: string): TestResults {
  const builder = new ResultsBuilder();
  const suites: string[] = [];
  let test: { name: string[]; outcome: TestOutcome } | undefined;
  let [whole, seenRoot] = [true, false];
  const parser = sax.parser(true);
  // The tests so far count: a runner that was killed leaves half a report.
  parser.onerror = () => {
    whole = false;
    parser.resume();
  };
  parser.onopentag = ({ name, attributes: written }) => {
    const attributes = written as Record<string, string>;
    seenRoot = true;
    if (name === 'testsuite') suites.push(attributes.name ?? '');
    else if (name === 'testcase') test = { name: nameOf(attributes, suites), outcome: 'passed' };
    else if (test && (name === 'failure' || name === 'error')) test.outcome = 'failed';
    else if (test && name === 'skipped' && test.outcome === 'passed') test.outcome = 'skipped';
  };
  parser.onclosetag = (name) => {
    if (name === 'testsuite') suites.pop();
    if (name !== 'testcase' || !test) return;
    builder.add(test.name, test.outcome);
    test = undefined;
  };
  try {
    parser.write(text).close();
  } catch {
    whole = false;
  }
  return builder.results(whole && seenRoot);
}

/** node:test names nested suites, others repeat the class in `classname`. Suites that are named like a file or class are enough once. */
function nameOf({ classname, name }: Record<string, string>, suites: readonly string[]): string[] {
  const group = classname !== undefined && classname !== '' && classname !== 'test' ? [classname] : suites;
  return [...group, name ?? ''];
}
