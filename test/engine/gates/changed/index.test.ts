import { describe, expect, test } from 'vitest';
import {
  askForChange,
  DEFAULT_LIMITS,
  promiseContract,
} from '../../../../src/engine/core/contract/contract.ts';
import type { GateOptions } from '../../../../src/engine/core/contract/gate-options.ts';
import { changedGate } from '../../../../src/engine/gates/changed/index.ts';
import { contextOf, type Files, workScene } from '../../../support/gates/work-scene.ts';
import { scene, write } from '../../../support/project/project-scene.ts';

const START: Files = { 'src/a.ts': 'export {};\n', 'docs/a.md': 'words\n', 'MEMORY.md': 'Notes.\n' };

async function judged(after: Files, options: GateOptions['changed'] = {}, onlyPaths?: string[]) {
  const work = await workScene(START);
  work.change(after);
  return work.judge(changedGate, options, onlyPaths ? { onlyPaths } : {});
}

describe('something was changed', () => {
  test.each<[string, Files, string]>([
    ['added', { 'src/b.ts': 'new\n' }, 'added: src/b.ts'],
    ['modified', { 'src/a.ts': 'other\n' }, 'modified: src/a.ts'],
    ['deleted', { 'src/a.ts': undefined }, 'deleted: src/a.ts'],
  ])('when a file was %s', async (_, after, line) => {
    expect(await judged(after)).toEqual({
      outcome: 'pass',
      summary: '1 file was changed since the start',
      evidence: [line],
    });
  });

  test('and committed since', async () => {
    const work = await workScene(START);
    work.change({ 'src/a.ts': 'other\n' });
    work.commit();
    expect(await work.judge(changedGate, {})).toMatchObject({ outcome: 'pass' });
  });

  test('names a few of many', async () => {
    const files = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`src/${i}.ts`, `${i}\n`]));
    const { summary, evidence } = await judged(files, { paths: ['src/**'] });
    expect(summary).toBe('25 files were changed in src/** since the start');
    expect(evidence).toHaveLength(11);
    expect(evidence?.at(-1)).toBe('and 15 more');
  });

  test('of a subagent only among what is its own', async () => {
    const after = { 'src/a.ts': 'other\n', 'src/b.ts': 'new\n' };
    expect((await judged(after, {}, ['src/b.ts'])).evidence).toEqual(['added: src/b.ts']);
    expect(await judged(after, {}, ['src/c.ts'])).toMatchObject({ outcome: 'fail' });
  });

  test('outside of a loop is what is not committed', async () => {
    const work = await workScene(START);
    work.change({ 'src/a.ts': 'other\n' });
    const context = contextOf(work, {});
    expect(await changedGate.judge({}, context, new AbortController().signal)).toMatchObject({
      outcome: 'pass',
      summary: '1 file was changed since the last commit',
    });
  });
});

describe('nothing was changed', () => {
  test('when everything is as it was', async () => {
    expect(await judged({})).toMatchObject({
      outcome: 'fail',
      summary: 'nothing was changed since the start',
    });
  });

  test('when it lies elsewhere, or is excepted', async () => {
    expect(await judged({ 'docs/a.md': 'more\n' }, { paths: ['src/**'] })).toMatchObject({
      outcome: 'fail',
      summary: 'nothing was changed in src/** since the start',
      next: 'Next: do the work itself: no file in src/** was changed so far.',
    });
    const except = ['docs/**', 'PLAN.md'];
    const after = { 'docs/a.md': 'more\n', 'PLAN.md': 'a plan\n' };
    expect(await judged(after, { except })).toMatchObject({ outcome: 'fail' });
    expect(await judged({ ...after, 'src/b.ts': 'x\n' }, { except })).toMatchObject({
      outcome: 'pass',
      evidence: ['added: src/b.ts'],
    });
  });

  test('when only the loop wrote down where it stands', async () => {
    const section = '<!-- untildone:begin -->\n- Loop: l1, active\n<!-- untildone:end -->\n';
    expect(await judged({ 'MEMORY.md': `Notes.\n\n${section}` })).toMatchObject({ outcome: 'fail' });
    expect(await judged({ 'MEMORY.md': `Notes, and more.\n\n${section}` })).toMatchObject({
      outcome: 'pass',
    });
  });
});

test('without a start and without a commit nobody can tell', async () => {
  const place = scene({ git: false });
  write(place.project, 'a.txt', 'a');
  const context = contextOf(place, {});
  expect(await changedGate.judge({}, context, new AbortController().signal)).toMatchObject({
    outcome: 'unproven',
  });
});

describe('asked for by untildone itself', () => {
  const implicit = (start: 'green' | 'unjudged', promise?: true) => {
    const { contract, gate } = askForChange(promiseContract('X', DEFAULT_LIMITS), start);
    const spec = contract.gates[gate];
    if (spec?.kind !== 'changed') throw new Error('another gate');
    return { ...spec.options, implicit: { start, promise } };
  };

  test.each<[string, Files]>([
    ['nothing', {}],
    ['the contract', { 'untildone.yaml': 'gates: {}\n' }],
    ['settings', { '.claude/settings.json': '{}', '.claude/settings.local.json': '{}' }],
    ['state of a format', { '.claude/ralph-loop.local.md': 'x', '.claude/runtime/locks/.lock_active': '' }],
  ])('%s is no change', async (_, after) => {
    const { outcome, evidence, next } = await judged(after, implicit('green'));
    expect({ outcome, evidence }).toEqual({
      outcome: 'fail',
      evidence: [
        'Every other gate passed before you began, so only a change can show that you did the task.',
      ],
    });
    expect(next).toContain('If it needs no change, say so, and why');
  });
  test.each<[string, Files]>([
    ['source', { 'src/a.ts': 'other\n' }],
    ['a skill', { '.claude/skills/x/SKILL.md': 'x\n' }],
    ['the contract of a package', { 'packages/a/untildone.yaml': 'x\n' }],
  ])('%s is a change', async (_, after) => {
    expect(await judged(after, implicit('green'))).toMatchObject({ outcome: 'pass' });
  });
  test('the promise is named as the way to claim that nothing needs to change', async () => {
    expect((await judged({}, implicit('green', true))).next).toContain('state the promise again');
  });
  test('a commit counts only where nobody knows what passed at the start', async () => {
    const work = await workScene(START);
    work.commit();
    expect(await work.judge(changedGate, implicit('unjudged'))).toMatchObject({ outcome: 'pass' });
    expect(await work.judge(changedGate, implicit('green'))).toMatchObject({ outcome: 'fail' });
  });
});
