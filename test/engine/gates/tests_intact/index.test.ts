import { describe, expect, test } from 'vitest';
import type { Judgement } from '../../../../src/engine/gates/gate.ts';
import { testsIntactGate } from '../../../../src/engine/gates/tests_intact/index.ts';
import { contextOf, type WorkScene, workScene } from '../../../support/gates/work-scene.ts';
import { git, scene } from '../../../support/project/project-scene.ts';

const one = (name: string, value = 1) => `test('${name}', () => {\n  expect(f()).toBe(${value});\n});\n`;
const START = {
  'src/a.ts': 'export const f = () => 1;\n',
  'test/a.test.ts': `${one('adds')}${one('divides', 2)}`,
  'test/b.test.ts': one('multiplies', 3),
};

async function idsIn(work: WorkScene): Promise<string[]> {
  return idsOf(await work.judge(testsIntactGate, {}));
}

/** The forms of tests stand below what is found. */
function idsOf({ evidence = [] }: Judgement): string[] {
  return evidence.flatMap((line) => /^\S.*\[([^\]]+)\]$/.exec(line)?.[1] ?? []);
}

describe('says what and where', () => {
  test('a skip, with its line, its test and its id', async () => {
    const work = await workScene(START);
    work.change({ 'test/a.test.ts': `${one('adds')}${one('divides', 2).replace('test(', 'test.skip(')}` });
    expect(await work.judge(testsIntactGate, {})).toMatchObject({
      outcome: 'fail',
      summary: 'the tests were weakened in one place',
      evidence: ['test/a.test.ts:4 added .skip to "divides" [skip:test/a.test.ts:divides]'],
    });
  });

  test('a deleted file, with what was in it', async () => {
    const work = await workScene(START);
    work.change({ 'test/a.test.ts': undefined });
    expect((await work.judge(testsIntactGate, {})).evidence).toEqual([
      'test/a.test.ts is no longer there as a test file with 2 tests, among them "adds", "divides" [deleted:test/a.test.ts]',
    ]);
  });

  test('whether committed or not', async () => {
    const work = await workScene(START);
    work.change({ 'test/b.test.ts': undefined });
    work.commit();
    expect(await idsIn(work)).toEqual(['deleted:test/b.test.ts']);
  });
});

describe('what was not weakened passes', () => {
  test('nothing changed; only the code changed; tests were added', async () => {
    const work = await workScene(START);
    const passes = { outcome: 'pass', summary: 'no test was weakened' };
    expect(await work.judge(testsIntactGate, {})).toEqual(passes);
    work.change({ 'src/a.ts': 'export const f = () => 2;\n' });
    expect(await work.judge(testsIntactGate, {})).toEqual(passes);
    work.change({
      'test/a.test.ts': `${START['test/a.test.ts']}${one('subtracts')}`,
      'test/c.test.ts': one('more'),
    });
    expect(await work.judge(testsIntactGate, {})).toEqual(passes);
  });

  test('a renamed test file, a test moved to another file, a file split in two', async () => {
    const work = await workScene(START);
    work.change({ 'test/b.test.ts': undefined, 'spec/b.spec.ts': START['test/b.test.ts'] });
    expect(await idsIn(work)).toEqual([]);
    work.change({ 'test/a.test.ts': one('adds'), 'test/divide.test.ts': one('divides', 2) });
    expect(await idsIn(work)).toEqual([]);
    work.change({ 'test/a.test.ts': undefined, 'test/add.test.ts': one('adds') });
    expect(await idsIn(work)).toEqual([]);
  });

  test('a test that moved and was skipped on the way was not only moved', async () => {
    const work = await workScene(START);
    const skipped = one('divides', 2).replace('test(', 'test.skip(');
    work.change({ 'test/a.test.ts': one('adds'), 'test/divide.test.ts': skipped });
    expect(await idsIn(work)).toEqual(['skip:test/divide.test.ts:divides']);
  });

  test('a skip that moved with its test is an old one', async () => {
    const skipped = one('divides', 2).replace('test(', 'test.skip(');
    const work = await workScene({ 'test/a.test.ts': `${one('adds')}${skipped}` });
    work.change({ 'test/a.test.ts': one('adds'), 'test/divide.test.ts': skipped });
    expect(await idsIn(work)).toEqual([]);
  });

  test('files that only look like tests', async () => {
    const work = await workScene({ 'test/fixtures/x.test.ts': one('x'), 'vendor/y.test.ts': one('y') });
    work.change({ 'test/fixtures/x.test.ts': undefined, 'vendor/y.test.ts': undefined });
    expect(await idsIn(work)).toEqual([]);
  });
});

describe('ways out are closed', () => {
  test('a test file renamed to what no runner picks up', async () => {
    const work = await workScene(START);
    work.change({ 'test/b.test.ts': undefined, 'test/b.test.ts.bak': START['test/b.test.ts'] });
    expect(await idsIn(work)).toEqual(['deleted:test/b.test.ts']);
  });

  test('a moved test that lost its assertions on the way', async () => {
    const work = await workScene(START);
    work.change({
      'test/b.test.ts': undefined,
      'test/c.test.ts': "test('multiplies', () => {\n  f();\n});\n",
    });
    expect(await idsIn(work)).toEqual(['assertions:test/c.test.ts:multiplies']);
  });

  test('a real test replaced by one that says nothing', async () => {
    const work = await workScene(START);
    work.change({ 'test/b.test.ts': "test('works', () => {\n  expect(true).toBe(true);\n});\n" });
    expect(await idsIn(work)).toEqual(['removed:test/b.test.ts:multiplies']);
  });

  test('an only in a new file; a new test that is skipped took nothing away', async () => {
    const work = await workScene(START);
    work.change({
      'test/n.test.ts': `${one('x').replace('test(', 'test.only(')}${one('y').replace('test(', 'xit(')}`,
    });
    expect(await idsIn(work)).toEqual(['only:test/n.test.ts:x']);
  });

  test('a test made unreadable, untracked and ignored, or hidden from git', async () => {
    const work = await workScene(START);
    work.change({ '.gitignore': 'test/b.test.ts\n' });
    work.commit();
    expect(await idsIn(work)).toEqual([]);
    git(work.project, 'rm', '--quiet', '--cached', 'test/b.test.ts');
    expect(await idsIn(work)).toEqual(['deleted:test/b.test.ts']);
  });
});

describe('a test that no longer runs is a loss, whatever other gates measure', () => {
  const skipped = { 'test/b.test.ts': one('multiplies', 3).replace('test(', 'test.skip(') };

  test('beside a differential gate, too, with both forms', async () => {
    const work = await workScene(START);
    work.change(skipped);
    const judged = await work.judge(testsIntactGate, {}, { hasDifferential: true });
    expect(judged).toMatchObject({
      outcome: 'fail',
      evidence: ['test/b.test.ts:1 added .skip to "multiplies" [skip:test/b.test.ts:multiplies]'],
    });
    work.change({ 'test/a.test.ts': one('adds'), 'test/b.test.ts': START['test/b.test.ts'] });
    expect((await work.judge(testsIntactGate, {}, { hasDifferential: true })).evidence).toEqual([
      'test/a.test.ts removed the test "divides" [removed:test/a.test.ts:divides]',
      "  - test('divides', () => {",
      '  - expect(f()).toBe(2);',
      '  - })',
    ]);
  });

  test('the agent is told first; when it stops again, you are asked once about all, and your answer counts', async () => {
    const work = await workScene(START);
    work.change({ ...skipped, 'test/a.test.ts': one('adds') });
    const held = await work.judge(testsIntactGate, {});
    expect(held.asksIfRepeated).toContain('removed the test "divides"');
    expect(held.asksIfRepeated).toContain('added .skip to "multiplies"');
    const answered = (said: 'approved' | 'rejected') => ({
      answers: { gate: { said, at: 1_800_000_000_000, digest: held.fingerprint } },
    });
    expect(await work.judge(testsIntactGate, {}, answered('approved'))).toMatchObject({
      outcome: 'pass',
      exceptions: [expect.stringContaining('removed:'), expect.stringContaining('skip:')],
    });
    const refused = await work.judge(testsIntactGate, {}, answered('rejected'));
    expect(refused).toMatchObject({ outcome: 'fail', next: expect.stringContaining('a person said no') });
    expect(refused.asksIfRepeated).toBeUndefined();
    work.change({ 'test/b.test.ts': undefined });
    expect(await work.judge(testsIntactGate, {}, answered('approved'))).toMatchObject({ outcome: 'fail' });
  });

  test('what is only suspicious is a note, and stands in the summary', async () => {
    const two = (lines: string) => `test('both', () => {\n${lines}});\n`;
    const work = await workScene({
      'test/a.test.ts': two('  expect(f(1)).toBe(2);\n  expect(g(3)).toBe(4);\n'),
    });
    work.change({ 'test/a.test.ts': two('  expect(f(1)).toBe(2);\n') });
    expect(await work.judge(testsIntactGate, {})).toEqual({
      outcome: 'pass',
      summary: 'no test was lost; one edit looks weaker: "both" has 1 assertion, it had 2',
      notes: ['test/a.test.ts:1 "both" has 1 assertion, it had 2 [assertions:test/a.test.ts:both]'],
    });
  });
});

describe('a loss that the rest of the change explains', () => {
  const LIB = {
    'src/lib.js': 'export function total(a) { return a.length; }\nexport function parse(t) { return t; }\n',
    'test/lib.test.js':
      "test('total of one', () => { expect(total([7])).toBe(1); });\ntest('total of none', () => { expect(total([])).toBe(0); });\ntest('parses', () => { expect(parse('x9')).toBe('x9'); });\n",
  };

  test('the subject of the test went, too: it is named', async () => {
    const work = await workScene(LIB);
    work.change({
      'src/lib.js': 'export function total(a) { return a.length; }\n',
      'test/lib.test.js': LIB['test/lib.test.js'].replace(/test\('parses'.*\n/, ''),
    });
    expect(await work.judge(testsIntactGate, {})).toEqual({
      outcome: 'pass',
      summary: 'no test was lost; "parses" went together with parse',
      notes: ['"parses" went together with parse'],
    });
  });

  test('a subject that is still there explains nothing', async () => {
    const work = await workScene(LIB);
    work.change({ 'test/lib.test.js': LIB['test/lib.test.js'].replace(/test\('parses'.*\n/, '') });
    expect(await idsIn(work)).toEqual(['removed:test/lib.test.js:parses']);
  });

  test('a copy of the test in a function that nobody calls explains nothing', async () => {
    const work = await workScene(LIB);
    const body = "{ expect(parse('x9')).toBe('x9'); }";
    work.change({
      'test/lib.test.js': LIB['test/lib.test.js'].replace(
        /test\('parses'.*\n/,
        `function parses() ${body}\n`,
      ),
    });
    expect(await idsIn(work)).toEqual(['removed:test/lib.test.js:parses']);
  });

  test('tests became rows of a table, or one test took in another', async () => {
    const work = await workScene(LIB);
    const parses = "test('parses', () => { expect(parse('x9')).toBe('x9'); });\n";
    work.change({
      'test/lib.test.js': `test.each([[[7], 1], [[], 0]])('total of %j', (a, n) => { expect(total(a)).toBe(n); });\n${parses}`,
    });
    expect((await work.judge(testsIntactGate, {})).outcome).toBe('pass');
    work.change({
      'test/lib.test.js':
        "test('all', () => { expect(total([7])).toBe(1); expect(total([])).toBe(0); expect(parse('x9')).toBe('x9'); });\n",
    });
    expect((await work.judge(testsIntactGate, {})).outcome).toBe('pass');
  });

  test('a copy that says the same stayed', async () => {
    const again = "test('parses again', () => { expect(parse('x9')).toBe('x9'); });\n";
    const work = await workScene({ 'test/lib.test.js': `${LIB['test/lib.test.js']}${again}` });
    work.change({ 'test/lib.test.js': LIB['test/lib.test.js'] });
    expect((await work.judge(testsIntactGate, {})).outcome).toBe('pass');
  });
});

test('a language whose parser cannot be loaded is named, and a deleted file is noticed all the same', async () => {
  const work = await workScene(START);
  work.change({ 'test/a.test.ts': undefined, 'test/b.test.ts': one('other') });
  const source = { matches: () => Promise.reject(new Error('no such file')) };
  const judged = await work.judge(testsIntactGate, {}, { source });
  expect(judged).toMatchObject({
    outcome: 'fail',
    evidence: [expect.stringContaining('[deleted:test/a.test.ts]')],
    notes: ['tests in typescript were not read: no such file'],
  });
});

describe('the person decides', () => {
  test('a finding is allowed by its id, the others stay', async () => {
    const work = await workScene(START);
    work.change({
      'test/a.test.ts': one('adds').replace('test(', 'test.skip('),
      'test/b.test.ts': undefined,
    });
    expect(await idsIn(work)).toEqual([
      'removed:test/a.test.ts:divides',
      'skip:test/a.test.ts:adds',
      'deleted:test/b.test.ts',
    ]);
    const allowed = ['skip:test/a.test.ts:adds', 'deleted:test/b.test.ts'];
    const partly = await work.judge(testsIntactGate, {}, { allowed });
    expect(idsOf(partly)).toEqual(['removed:test/a.test.ts:divides']);
    const all = await work.judge(
      testsIntactGate,
      {},
      { allowed: [...allowed, 'removed:test/a.test.ts:divides'] },
    );
    expect(all).toEqual({ outcome: 'pass', summary: 'no test was weakened (3 allowed)' });
  });

  test('paths of the contract narrow what is looked at', async () => {
    const work = await workScene(START);
    work.change({ 'test/a.test.ts': undefined, 'test/b.test.ts': undefined });
    const { evidence } = await work.judge(testsIntactGate, { paths: ['test/**', '!test/b.*'] });
    expect(evidence).toEqual([expect.stringContaining('[deleted:test/a.test.ts]')]);
  });
});

test('the same weakening has the same fingerprint wherever it stands', async () => {
  const work = await workScene(START);
  work.change({ 'test/b.test.ts': one('multiplies', 3).replace('test(', 'test.skip(') });
  const first = await work.judge(testsIntactGate, {});
  work.change({ 'test/b.test.ts': `\n\n${one('multiplies', 3).replace('test(', 'test.skip(')}` });
  const second = await work.judge(testsIntactGate, {});
  expect(second.evidence).not.toEqual(first.evidence);
  expect(second.fingerprint).toBe(first.fingerprint);
});

test('without a loop the last commit is what tests are compared with', async () => {
  const work = await workScene(START);
  work.change({ 'test/b.test.ts': undefined });
  const context = contextOf(work, { tree: await work.workspace.tree() });
  expect(await testsIntactGate.judge({}, context, new AbortController().signal)).toMatchObject({
    outcome: 'fail',
  });
});

test('with nothing to compare with it is unproven', async () => {
  const context = contextOf(scene({ git: false }), {});
  expect(await testsIntactGate.judge({}, context, new AbortController().signal)).toMatchObject({
    outcome: 'unproven',
  });
});

describe('scripts that assert without a runner', () => {
  const JAVASCRIPT = "import assert from 'node:assert';\nassert.equal(f(), 1);\nassert(g());\n";
  const PYTHON = 'from a import f\nassert f() == 1\nassert f(2) == 2\n';
  test.each([
    ['test.js', JAVASCRIPT],
    ['test/run.mjs', JAVASCRIPT],
    ['test/a.test.js', JAVASCRIPT],
    ['tests/check.py', PYTHON],
    ['test_a.py', PYTHON],
  ])('%s may not be emptied', async (path, text) => {
    const ids = [];
    for (const after of ['', text.split('\n').slice(0, 2).join('\n')]) {
      const work = await workScene({ 'README.md': 'x\n', [path]: text });
      work.change({ [path]: after, 'src/a.ts': 'export {};\n' });
      ids.push((await idsIn(work)).length);
    }
    // Shortened, it is only suspicious.
    expect(ids).toEqual([1, 0]);
  });
  test('helpers, and scripts that say as much as before, may be changed', async () => {
    const helper =
      "import assert from 'node:assert';\nexport function same(a, b) {\n  assert.equal(a, b);\n}\n";
    const work = await workScene({ 'test/helper.js': helper, 'test.js': JAVASCRIPT });
    work.change({ 'test/helper.js': undefined, 'test.js': JAVASCRIPT.replace('g()', 'h()') });
    expect(await idsIn(work)).toEqual([]);
  });
});

test('changed tests that cannot be read are unproven, never a pass', async () => {
  const work = await workScene(START);
  work.change({ 'test/b.test.ts': one('other') });
  const source = { matches: () => Promise.reject(new Error('no such file')) };
  const judged = await work.judge(testsIntactGate, {}, { source });
  expect(judged).toMatchObject({ outcome: 'unproven', summary: 'changed tests could not be read' });
  const settled = await work.judge(testsIntactGate, {}, { source, hasDifferential: true });
  expect(settled).toMatchObject({ outcome: 'pass', notes: [expect.stringContaining('were not read')] });
});
