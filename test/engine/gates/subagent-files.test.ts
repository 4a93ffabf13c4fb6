import { describe, expect, test } from 'vitest';
import { forbidGate } from '../../../src/engine/gates/forbid/index.ts';
import { describeChanges } from '../../../src/engine/gates/judge/changes.ts';
import { workScene } from '../../support/gates/work-scene.ts';

const TODO = { patterns: ['todo'], custom: [] };
const BOTH = { 'a.js': '// TODO: a\n', 'b.js': '// TODO: b\n' };

describe('where the files of a subagent are told', () => {
  test('forbidden lines are looked for in these alone', async () => {
    const work = await workScene({ 'a.js': 'one\n' });
    work.change(BOTH);
    const found = async (onlyPaths?: string[]) =>
      (await work.judge(forbidGate, TODO, onlyPaths ? { onlyPaths } : {})).evidence?.map((l) =>
        l.slice(0, 4),
      );
    expect(await found()).toEqual(['a.js', 'b.js']);
    expect(await found(['b.js'])).toEqual(['b.js']);
    expect(await found([])).toBeUndefined();
  });
  test('a model is shown these alone', async () => {
    const work = await workScene({ 'a.js': 'one\n' });
    const before = await work.workspace.tree();
    work.change(BOTH);
    const after = await work.workspace.tree();
    const shown = await describeChanges(work.workspace, before, after, 10_000, ['b.js']);
    expect(shown.text).toContain('1 changed:\nadded b.js');
    expect(shown.text).not.toContain('a.js');
    expect((await describeChanges(work.workspace, before, after, 10_000, [])).text).toBe(
      'No file was changed.',
    );
  });
});
