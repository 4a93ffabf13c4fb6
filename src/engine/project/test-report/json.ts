import { ResultsBuilder, type TestOutcome, type TestResults } from '../../core/proof/test-results.ts';

type Fields = Record<string, unknown>;

/** Reads the JSON of vitest and jest, or of mocha; undefined for anything else. `root` is cut off the paths of files. */
export function readRunnerJson(text: string, root: string): TestResults | undefined {
  const report = parsed(text);
  if (!report) return undefined;
  if (Array.isArray(report.testResults)) return readJest(report, root);
  if (Array.isArray(report.tests) && typeof report.stats === 'object') return readMocha(report, root);
  return undefined;
}

const OUTCOMES: Record<string, TestOutcome> = { passed: 'passed', failed: 'failed' };

function readJest(report: Fields, root: string): TestResults {
  const builder = new ResultsBuilder();
  for (const file of objects(report.testResults)) {
    const path = inside(root, file.name);
    const tests = objects(file.assertionResults);
    for (const { ancestorTitles, title, status } of tests) {
      const groups = Array.isArray(ancestorTitles) ? ancestorTitles.map(String) : [];
      builder.add([path, ...groups, String(title)], OUTCOMES[String(status)] ?? 'skipped');
    }
    // A file that cannot be loaded has no tests.
    if (tests.length === 0 && file.status === 'failed') builder.add([path], 'failed');
  }
  return builder.results(typeof report.numTotalTests === 'number');
}

function readMocha(report: Fields, root: string): TestResults {
  const builder = new ResultsBuilder();
  const pending = new Set(objects(report.pending).map(({ fullTitle }) => fullTitle));
  for (const { file, fullTitle, err } of objects(report.tests)) {
    const failed = typeof err === 'object' && err !== null && Object.keys(err).length > 0;
    const outcome = failed ? 'failed' : pending.has(fullTitle) ? 'skipped' : 'passed';
    builder.add([inside(root, file), String(fullTitle)], outcome);
  }
  return builder.results(true);
}

/** Reads the events of `go test -json`. A test with subtests is their group and counts for itself no more. */
export function readGoJson(text: string): TestResults | undefined {
  const events = text.split('\n').flatMap(goEvent);
  if (events.length === 0) return undefined;
  const builder = new ResultsBuilder();
  const groups = new Set(
    events.map(({ pack, test }) => `${pack}\0${test.slice(0, Math.max(0, test.lastIndexOf('/')))}`),
  );
  const open = new Set<string>();
  const failing = new Set<string>();
  for (const { pack, test, action } of events) {
    const outcome = GO_OUTCOMES[action];
    if (action === 'start' || action === 'run') open.add(`${pack}\0${test}`);
    if (!outcome) continue;
    open.delete(`${pack}\0${test}`);
    // A package that cannot be built fails without a test.
    const counts = test === '' ? outcome === 'failed' && !failing.has(pack) : !groups.has(`${pack}\0${test}`);
    if (counts) builder.add([pack, test], outcome);
    if (outcome === 'failed') failing.add(pack);
  }
  return builder.results(open.size === 0);
}

/** What the tests printed, as `go test` shows it without `-json`. Lines that are no events stay. */
export function goOutput(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const event = line.startsWith('{') ? parsed(line) : undefined;
      if (!event || typeof event.Action !== 'string') return `${line}\n`;
      return typeof event.Output === 'string' ? event.Output : '';
    })
    .join('');
}

interface GoEvent {
  pack: string;
  /** Empty for the package itself. */
  test: string;
  action: string;
}

function goEvent(line: string): GoEvent[] {
  const event = line.startsWith('{') ? parsed(line) : undefined;
  if (!event || typeof event.Action !== 'string' || typeof event.Package !== 'string') return [];
  return [
    { pack: event.Package, test: typeof event.Test === 'string' ? event.Test : '', action: event.Action },
  ];
}

const GO_OUTCOMES: Record<string, TestOutcome> = { pass: 'passed', fail: 'failed', skip: 'skipped' };

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

function objects(value: unknown): Fields[] {
  return Array.isArray(value)
    ? value.filter((each): each is Fields => typeof each === 'object' && each !== null)
    : [];
}

function inside(root: string, path: unknown): string {
  if (typeof path !== 'string') return '';
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
