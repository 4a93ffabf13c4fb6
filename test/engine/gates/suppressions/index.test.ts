import { describe, expect, test } from 'vitest';
import { suppressionsGate } from '../../../../src/engine/gates/suppressions/index.ts';
import { workScene } from '../../../support/gates/work-scene.ts';
import { few } from '../../../support/long.ts';

const CODE = 'export const a = 1;\n';
const MUTED = '// eslint-disable-next-line no-var\nvar b = 2;\n';

describe('lines that were added', () => {
  test('are named with the advice to mend the cause, and with a question for when the agent insists', async () => {
    const work = await workScene({ 'src/a.js': CODE });
    work.change({ 'src/a.js': `${CODE}${MUTED}if (process.env.VITEST) b = 3;\n` });
    const found = await work.judge(suppressionsGate, {});
    expect(found).toMatchObject({
      outcome: 'fail',
      summary: 'added since the start: 1 muted linter, 1 place that asks whether it is being tested',
      evidence: [
        'src/a.js:2 lint: // eslint-disable-next-line no-var [eslint-disable:src/a.js]',
        'src/a.js:4 sniffing: if (process.env.VITEST) b = 3; [runner-variable:src/a.js]',
      ],
      next: expect.stringContaining('mend what they hide'),
      asksIfRepeated: expect.stringContaining('may these stay? src/a.js:2'),
    });
    expect(found.asks).toBeUndefined();
  });
  test('that were moved or were there are not new, and nothing changed is a pass', async () => {
    const work = await workScene({ 'src/a.js': CODE + MUTED, 'src/b.js': CODE });
    expect(await work.judge(suppressionsGate, {})).toMatchObject({ outcome: 'pass' });
    work.change({ 'src/a.js': CODE, 'src/b.js': CODE + MUTED });
    expect(await work.judge(suppressionsGate, {})).toMatchObject({
      outcome: 'pass',
      summary: 'nothing was muted',
    });
  });
  test('count inside a block comment that began before', async () => {
    const work = await workScene({ 'src/a.js': '/*\n hello\n*/\n' });
    work.change({ 'src/a.js': '/*\n eslint-disable\n*/\n' });
    expect((await work.judge(suppressionsGate, {})).evidence?.[0]).toContain('src/a.js:2');
  });
});

describe('what you allowed', () => {
  const begun = async () => {
    const work = await workScene({ 'src/a.js': CODE });
    work.change({ 'src/a.js': CODE + MUTED, 'src/c.js': '/* c8 ignore next */\nf();\n' });
    return work;
  };
  test('by name is an exception that the receipt lists', async () => {
    const work = await begun();
    const allowed = ['eslint-disable:src/a.js', 'c8-ignore:src/c.js'];
    expect((await work.judge(suppressionsGate, {}, { allowed: allowed.slice(0, 1) })).outcome).toBe('fail');
    expect(await work.judge(suppressionsGate, {}, { allowed })).toMatchObject({
      outcome: 'pass',
      exceptions: [expect.stringContaining(allowed[0] ?? ''), expect.stringContaining(allowed[1] ?? '')],
    });
  });
  test('in the contract is a note, by group or by name', async () => {
    const work = await begun();
    const found = await work.judge(suppressionsGate, { allow: ['lint', 'c8-ignore'] });
    expect(found).toMatchObject({ outcome: 'pass', summary: 'nothing was muted' });
    expect(found.notes).toHaveLength(2);
    expect(found.notes?.[0]).toMatch(/^allowed by the contract: src\/a\.js:2 /);
    expect((await work.judge(suppressionsGate, { paths: ['src/c.js'] })).summary).toBe(
      'added since the start: 1 place left out of coverage',
    );
  });
  test('by an answer holds for exactly what was found then', async () => {
    const work = await begun();
    const { fingerprint: digest } = await work.judge(suppressionsGate, {});
    const answers = { gate: { said: 'approved' as const, at: 0, digest } };
    const found = await work.judge(suppressionsGate, {}, { answers });
    expect(found).toMatchObject({
      outcome: 'pass',
      summary: expect.stringContaining('that a person allowed'),
    });
    expect(found.exceptions).toHaveLength(2);
    work.change({ 'src/d.js': '// @ts-nocheck\n' });
    expect((await work.judge(suppressionsGate, {}, { answers })).outcome).toBe('fail');
  });
  test('a no is told, and not asked again while the lines stay', async () => {
    const work = await begun();
    const { fingerprint: digest } = await work.judge(suppressionsGate, {});
    const answers = { gate: { said: 'rejected' as const, at: 0, note: 'use let', digest } };
    const found = await work.judge(suppressionsGate, {}, { answers });
    expect(found).toMatchObject({ outcome: 'fail', next: expect.stringContaining('"use let"') });
    expect(found.asksIfRepeated).toBeUndefined();
  });
});

describe('settings', () => {
  const lines = async (start: Record<string, string>, change: Record<string, string>) => {
    const work = await workScene(start);
    work.change(change);
    return ((await work.judge(suppressionsGate, {})).evidence ?? []).map((line) => line.split(' ')[0]);
  };
  test('in a folder that was there are named, in a new package they belong there', async () => {
    const start = { 'src/a.js': CODE, 'packages/a/package.json': '{}' };
    expect(await lines(start, { 'src/.eslintrc.json': '{}' })).toEqual(['src/.eslintrc.json:1']);
    expect(await lines(start, { 'src/ruff.toml': '' })).toEqual(['src/ruff.toml:1']);
    expect(await lines(start, { 'src/tsconfig.json': '{}' })).toEqual(['src/tsconfig.json:1']);
    expect(await lines(start, { 'packages/b/package.json': '{}', 'packages/b/tsconfig.json': '{}' })).toEqual(
      [],
    );
  });
  test('the first ones at the root are no finding, second ones are', async () => {
    expect(await lines({ 'a.js': CODE }, { 'eslint.config.js': 'export default [];\n' })).toEqual([]);
    expect(await lines({ 'eslint.config.js': '' }, { '.eslintrc.json': '{}' })).toEqual(['.eslintrc.json:1']);
    expect(await lines({ 'eslint.config.js': '' }, { '.eslintignore': 'src' })).toEqual(['.eslintignore:1']);
  });
  test.each(
    few<[start: string, text: string, added: string]>(
      [
        ['package.json', '{ "eslintConfig": {} }', '.eslintrc.json'],
        ['pyproject.toml', '[tool.ruff.lint]\nselect = ["E"]\n', 'ruff.toml'],
        ['setup.cfg', '[flake8]\nmax-line-length = 90\n', '.flake8'],
        ['setup.cfg', '[mypy]\nstrict = true\n', 'mypy.ini'],
        ['tox.ini', '[flake8]\n', '.flake8'],
      ],
      2,
    ),
  )('beside those in %s (%j): %s', async (start, text, added) => {
    // JSON says nothing line by line: what comes after it has to name rules.
    const less = start.endsWith('.json') || text.includes('=') ? [`${added}:1`] : [];
    expect(await lines({ [start]: text }, { [added]: '' })).toEqual(less);
    expect(await lines({ [start]: '{}' }, { [added]: '' })).toEqual([]);
  });
  test.each<[string, string, string, string, string]>([
    ['setup.cfg', '[flake8]\nmax-line-length = 90\n', '.flake8', '[flake8]\nmax-line-length=90\n', 'pass'],
    [
      'setup.cfg',
      '[flake8]\nmax-line-length = 90\n',
      '.flake8',
      '[flake8]\nmax-line-length=90\nignore = E1\n',
      'fail',
    ],
    ['setup.cfg', '[mypy]\nstrict = true\n', 'mypy.ini', '[mypy]\n', 'fail'],
    [
      '.eslintrc.json',
      '{ "extends": "x" }',
      'eslint.config.js',
      'export default [js.configs.recommended];',
      'pass',
    ],
    ['.eslintrc.json', '{ "extends": "x" }', 'eslint.config.js', 'export default [];', 'fail'],
  ])(
    'that appear beside those of the checker are told, and hold where they say less: %s %j, %s %j: %s',
    async (start, then, added, now, outcome) => {
      const work = await workScene({ [start]: then });
      work.change({ [added]: now });
      const found = await work.judge(suppressionsGate, {});
      expect(found.outcome).toBe(outcome);
      if (outcome === 'pass') expect(found.notes?.join()).toContain(`${added}:1`);
    },
  );
  test('that leave out more are named', async () => {
    expect(await lines({ 'ruff.toml': 'ignore = []\n' }, { 'ruff.toml': 'ignore = ["E"]\n' })).toEqual([
      'ruff.toml:1',
    ]);
  });
});
