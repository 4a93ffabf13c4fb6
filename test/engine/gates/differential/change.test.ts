import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { Shown } from '../../../../src/engine/core/proof/take-back.ts';
import { type ChangeQuestion, judgeChange } from '../../../../src/engine/gates/differential/change.ts';
import type { FileChange } from '../../../../src/engine/ports/ports.ts';

type Files = Record<string, string>;

/** A project of scripts that share their names. The tests are one more script, which throws when something is wrong. */
class Project {
  readonly trees = new Map<string, Files>();
  readonly runs: Files[] = [];
  private readonly start: Files;
  private readonly now: Files;

  constructor(start: Files, now: Files) {
    this.start = start;
    this.now = now;
    this.trees.set('start', start).set('now', now);
  }

  private changes(): FileChange[] {
    const paths = [...new Set([...Object.keys(this.start), ...Object.keys(this.now)])];
    return paths.flatMap((path): FileChange[] => {
      if (this.start[path] === this.now[path]) return [];
      const change = !(path in this.start) ? 'added' : !(path in this.now) ? 'deleted' : 'modified';
      return [{ path, change }];
    });
  }

  judge(
    tests: string,
    {
      signal = new AbortController().signal,
      ...options
    }: Partial<ChangeQuestion> & { signal?: AbortSignal } = {},
  ) {
    const run = async (tree: string): Promise<Shown> => {
      const files = this.trees.get(tree) ?? {};
      this.runs.push(files);
      const code = Object.keys(files)
        .sort()
        .map((path) => files[path]);
      try {
        runInNewContext([...code, tests].join('\n'));
        return { failing: new Set() };
      } catch {
        return { failing: 'all' };
      }
    };
    return judgeChange(
      {
        changes: this.changes(),
        contentAt: async (tree, path) => this.trees.get(tree)?.[path],
        start: 'start',
        now: 'now',
        isTest: (path) => path.startsWith('test/'),
        compose: async ({ rest, from, takes, texts }) => {
          const [others, taken] = [this.trees.get(rest) ?? {}, this.trees.get(from) ?? {}];
          const kept = Object.entries(others).filter(([path]) => !takes(path));
          const other = Object.entries(taken).filter(([path]) => takes(path));
          const tree = `tree ${this.trees.size}`;
          this.trees.set(tree, { ...Object.fromEntries([...kept, ...other]), ...texts });
          return tree;
        },
        testsOf: () => 'all',
        expectedMs: () => 0,
        run,
        runs: 20,
        timeMs: 600_000,
        min: 0.8,
        clock: () => 0,
        ...options,
      },
      signal,
    );
  }
}

const ADD = 'function add(a, b) {\n  return a + b;\n}\n';
const SUB = 'function sub(a, b) {\n  return a - b;\n}\n';
const CHECK = 'function is(a, b) { if (a !== b) throw new Error("wrong"); }\n';

describe('changed code is taken back', () => {
  test('tests that check everything let it pass', async () => {
    const project = new Project(
      { 'a.js': ADD },
      { 'a.js': `${ADD}\n${SUB}`, 'b.js': 'function two() {\n  return 2;\n}\n' },
    );
    const found = await project.judge(`${CHECK} is(add(1, 2), 3); is(sub(2, 1), 1); is(two(), 2);`);
    expect(found).toMatchObject({ outcome: 'pass', share: 1, untested: [], notMeasured: [], runsUsed: 2 });
    expect(found.summary).toBe('all 4 changed lines are tested: undoing any of them makes a test fail');
  });

  test('a function that no test calls is named, with its lines', async () => {
    const project = new Project({ 'a.js': ADD }, { 'a.js': `${ADD}\n${SUB}` });
    const found = await project.judge(`${CHECK} is(add(1, 2), 3);`);
    expect(found.outcome).toBe('fail');
    expect(found.untested).toEqual([{ path: 'a.js', from: 5, to: 7, lines: 2 }]);
    expect(found.evidence).toEqual(['a.js:5-7: all tests still pass without these lines']);
    expect(found.summary).toBe('2 of 2 changed lines are untested, and the contract asks for tests of 80 %');
    expect(found.next).toContain('Test what they do');
  });

  test('an untested function that other untested code needs is named, too', async () => {
    const project = new Project(
      { 'a.js': '' },
      { 'a.js': `${SUB}\nfunction twice(a) {\n  return sub(a, -a);\n}\n` },
    );
    expect((await project.judge('')).untested).toHaveLength(2);
  });

  test('an untested branch in tested code is named', async () => {
    const body = (extra: string) => `function f(a) {\n${extra}  return a + 1;\n}\n`;
    const project = new Project(
      { 'a.js': body('') },
      { 'a.js': body('  if (a > 100) {\n    return a - 1;\n  }\n') },
    );
    const found = await project.judge(`${CHECK} is(f(1), 2);`);
    expect(found.untested).toEqual([{ path: 'a.js', from: 2, to: 4, lines: 2 }]);
    expect((await project.judge(`${CHECK} is(f(1), 2); is(f(200), 199);`)).untested).toEqual([]);
  });

  test('one untested line among many is a note, not a failure', async () => {
    const many = Array.from({ length: 9 }, (_, i) => `total += ${i + 1};\n`).join('\n');
    const project = new Project(
      { 'a.js': 'var total = 0;\n' },
      { 'a.js': `var total = 0;\n\n${many}\nvar unused = 1;\n` },
    );
    const found = await project.judge(`${CHECK} is(total, 45);`);
    expect(found).toMatchObject({ outcome: 'pass', share: 0.9 });
    expect(found.evidence[0]).toMatch(/^a\.js:\d+: all tests still pass without this line$/);
  });

  test('tests, documents and settings are not taken back', async () => {
    const project = new Project({}, { 'test/a.js': 'a();\n', 'README.md': '# A\n', 'package.json': '{}\n' });
    expect(await project.judge('')).toMatchObject({
      outcome: 'pass',
      runsUsed: 0,
      summary: 'no changed line that a test could notice',
    });
  });
});

describe('without a share that the contract asks for', () => {
  test('untested lines are told, and hold nobody', async () => {
    const project = new Project({ 'a.js': ADD }, { 'a.js': `${ADD}\n${SUB}` });
    const found = await project.judge(`${CHECK} is(add(1, 2), 3);`, { min: undefined });
    expect(found).toMatchObject({ outcome: 'pass', share: 0, summary: '2 of 2 changed lines are untested' });
    expect(found.evidence).toEqual(['a.js:5-7: all tests still pass without these lines']);
  });

  test('no time to look at anything holds nobody, either', async () => {
    const project = new Project({ 'a.js': ADD }, { 'a.js': `${ADD}\n${SUB}` });
    const found = await project.judge('', { min: undefined, timeMs: 10, expectedMs: () => 11 });
    expect(found).toMatchObject({ outcome: 'pass', runsUsed: 0 });
    expect(found.evidence.join()).toContain('not looked at whether 2 changed lines are tested');
  });

  test.each([
    ['one\n', 'the changed line is tested: undoing it makes a test fail'],
    ['one\n\ntwo\n', 'both changed lines are tested: undoing either makes a test fail'],
  ])('says what was seen: %j', async (lines, words) => {
    const code = lines.replace(/(\w+)/g, 'var $1 = 1;');
    const project = new Project({ 'a.js': '' }, { 'a.js': code });
    const uses = lines.trim().split(/\s+/).join('; ');
    expect((await project.judge(uses, { min: undefined })).summary).toBe(words);
  });
});

describe('honest refactors pass', () => {
  const before =
    'function area(w, h) {\n  var r = w * h;\n  return r;\n}\nfunction cube(n) {\n  return n * n * n;\n}\n';
  test.each<[string, string]>([
    ['a renamed variable', before.replace(/\br\b/g, 'result')],
    ['other code that does the same', before.replace('n * n * n', 'n ** 3')],
    [
      'an extracted function',
      before.replace('w * h', 'times(w, h)').concat('function times(a, b) {\n  return a * b;\n}\n'),
    ],
    ['a renamed function', before.replace('cube(n) {', 'cubed(n) {').concat('var cube = cubed;\n')],
    [
      'moved functions',
      before
        .split(/(?=function)/)
        .reverse()
        .join(''),
    ],
    ['other white space', before.replaceAll('  ', '\t')],
  ])('%s', async (_, now) => {
    const found = await new Project({ 'a.js': before }, { 'a.js': now }).judge(
      `${CHECK} is(area(2, 3), 6); is(area(0, 3), 0); is(cube(2), 8);`,
    );
    expect(found.outcome).toBe('pass');
  });

  test('a file that moved with a change is compared with where it was', async () => {
    const project = new Project(
      { 'a.js': `${ADD}${SUB}` },
      { 'b.js': `${ADD}${SUB.replace('a - b', 'a - b - 0')}` },
    );
    const found = await project.judge(`${CHECK} is(sub(2, 1), 1);`, {
      changes: [{ path: 'b.js', change: 'renamed', from: 'a.js' }],
    });
    expect(found).toMatchObject({
      outcome: 'pass',
      tested: [],
      same: [{ path: 'b.js', from: 5, to: 5, lines: 1 }],
    });
  });
});

describe('what could not be measured', () => {
  const project = () => new Project({ 'a.js': '' }, { 'a.js': `${ADD}\n${SUB}` });

  test('a run that shows nothing is no pass', async () => {
    const found = await project().judge('', { run: () => Promise.reject(new Error('it did not end')) });
    expect(found).toMatchObject({
      outcome: 'unproven',
      tested: [],
      untested: [],
      problems: ['it did not end'],
    });
    expect(found.notMeasured).toHaveLength(2);
    expect(found.summary).toBe('4 changed lines were not undone to see whether a test fails');
  });

  test('a room that cannot be opened is named', async () => {
    const found = await project().judge('', {
      run: async () => {
        throw new Error('the disk is full');
      },
    });
    expect(found).toMatchObject({ outcome: 'unproven', problems: ['the disk is full'] });
    expect(found.evidence).toContain('the disk is full');
  });

  test('time that is over ends it, and says how much was measured', async () => {
    let time = 0;
    const found = await project().judge(`${CHECK} is(add(1, 2), 3); is(sub(2, 1), 1);`, {
      clock: () => time,
      expectedMs: () => 60,
      timeMs: 100,
      run: async () => {
        time += 60;
        return { failing: 'all' };
      },
    });
    expect(found).toMatchObject({ outcome: 'pass', runsUsed: 1, share: 1 });
    expect(found.evidence.join('\n')).toContain('not looked at whether 2 changed lines are tested');
  });

  test('an abort ends it at once', async () => {
    const abort = new AbortController();
    let runs = 0;
    const found = await project().judge('', {
      signal: abort.signal,
      run: async () => {
        runs++;
        abort.abort();
        throw new Error('it was ended');
      },
    });
    expect(runs).toBe(1);
    expect(found.outcome).toBe('unproven');
  });

  test('a file that cannot be compared is named', async () => {
    const long = `a();\n${'b();\n'.repeat(500_000)}`;
    const found = await new Project({}, { 'a.js': long }).judge('');
    expect(found.problems).toEqual(['a.js is too long to be taken back']);
  });
});
