import { ResultsBuilder, type TestOutcome, type TestResults } from '../../core/proof/test-results.ts';

/** The variable that names the folder for reports. */
export const REPORTS = 'UNTILDONE_REPORTS';

/**
 * A reporter for node:test that writes one line of JSON a test into a file of its own process. Unlike node's own reporters
 * it names the file of each test, and several runs of one command do not overwrite each other.
 */
export const NODE_REPORTER = `import { appendFileSync } from 'node:fs';
const file = process.env.${REPORTS} + '/node-' + process.pid + '.jsonl';
const put = (value) => appendFileSync(file, JSON.stringify(value) + '\\n');
export default async function* report(source) {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    put({ ok: type === 'test:pass', name: data.name, nesting: data.nesting, file: data.file,
      skipped: data.skip !== undefined || data.todo !== undefined, todo: data.todo !== undefined });
  }
  put({ end: true });
}
`;

interface Line {
  end?: true;
  ok?: boolean;
  name?: string;
  nesting?: number;
  file?: string;
  skipped?: boolean;
  todo?: boolean;
}

/** Whether a test that is to be done failed; undefined when there is none of this name. */
export function todoFailed(text: string, title: string): boolean | undefined {
  const found = text
    .split('\n')
    .flatMap(parsedLine)
    .filter(({ name }) => name === title);
  return found.length === 0 ? undefined : found.every(({ ok, todo }) => ok === false && todo === true);
}

/** Reads what the reporter wrote. Subtests come before the test that they belong to; that one is their group. */
export function readNodeReport(text: string, root: string): TestResults {
  const builder = new ResultsBuilder();
  let waiting: { nesting: number; file?: string; name: string[]; outcome: TestOutcome }[] = [];
  let whole = false;
  for (const line of text.split('\n').flatMap(parsedLine)) {
    whole = line.end === true;
    if (line.end || typeof line.name !== 'string') continue;
    const { name, nesting = 0, file = '' } = line;
    const isChild = (test: (typeof waiting)[number]) => test.nesting > nesting && test.file === file;
    const children = waiting.filter(isChild);
    waiting = waiting.filter((test) => !isChild(test));
    if (children.length > 0)
      waiting.push(...children.map((child) => ({ ...child, nesting, name: [name, ...child.name] })));
    else {
      const outcome = line.skipped ? 'skipped' : line.ok ? 'passed' : 'failed';
      waiting.push({ nesting, file, name: [name], outcome });
    }
  }
  for (const { file = '', name, outcome } of waiting)
    builder.add([inside(root, file), ...withoutRoot(name, root)], outcome);
  return builder.results(whole);
}

function parsedLine(text: string): Line[] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? [value as Line] : [];
  } catch {
    return [];
  }
}

function inside(root: string, path: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

/** A file that cannot be loaded counts as a test whose name is its path. */
function withoutRoot(name: readonly string[], root: string): string[] {
  return name.map((part) => inside(root, part));
}
