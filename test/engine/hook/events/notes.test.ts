import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MemoryRule } from '../../../../src/engine/core/contract/contract.ts';
import type { LoopState } from '../../../../src/engine/core/loop/state.ts';
import type { Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import { memoryFor, updateMemory } from '../../../../src/engine/hook/events/notes.ts';
import type { LoopStop } from '../../../../src/engine/ports/session-loop.ts';
import { applyChanges, foreignFiles } from '../../../../src/engine/project/files.ts';
import { T0 } from '../../../support/core/samples.ts';

let root: string;
let project: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-memory-')));
  project = join(root, 'project');
  mkdirSync(project);
});
afterEach(() => {
  chmodSync(project, 0o755);
  rmSync(root, { recursive: true, force: true });
});

function put(path: string, text: string, age = 1000): string {
  const file = join(project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, age, age);
  return file;
}

const RULE: MemoryRule = {
  files: ['docs/plans/*/MEMORY.md'],
  lines: 100,
  inject: ['startup', 'compact'],
  update: true,
};
const told = (rule: Partial<MemoryRule> = {}, source = 'startup') =>
  memoryFor(project, { memory: { ...RULE, ...rule } }, source, foreignFiles);

describe('at the beginning of a session', () => {
  test('the notes are told, the newest first', () => {
    put('docs/plans/a/MEMORY.md', 'old notes', 1000);
    put('docs/plans/b/MEMORY.md', 'new notes', 2000);
    const { context = '', problems } = told();
    expect(context.indexOf('new notes')).toBeGreaterThan(0);
    expect(context.indexOf('old notes')).toBeGreaterThan(context.indexOf('new notes'));
    expect(problems).toEqual([]);
  });

  test('only such sessions as the contract names are told, and nothing where there are no notes', () => {
    expect(told()).toEqual({ problems: [] });
    put('docs/plans/a/MEMORY.md', 'notes');
    expect(told({}, 'resume')).toEqual({ problems: [] });
    expect(told({}, 'compact').context).toContain('notes');
    expect(memoryFor(project, {}, 'startup', foreignFiles)).toEqual({ problems: [] });
  });

  test('what lies outside of the project is not told, by whatever link', () => {
    const secret = join(root, 'secret.md');
    writeFileSync(secret, 'secret');
    mkdirSync(join(root, 'elsewhere'));
    writeFileSync(join(root, 'elsewhere', 'MEMORY.md'), 'secret');
    mkdirSync(join(project, 'docs/plans/a'), { recursive: true });
    symlinkSync(secret, join(project, 'docs/plans/a/MEMORY.md'));
    symlinkSync(join(root, 'elsewhere'), join(project, 'docs/plans/b'));
    put('docs/plans/c/MEMORY.md', 'mine');
    const { context, problems } = told();
    expect(context).toContain('mine');
    expect(context).not.toContain('secret');
    expect(problems).toHaveLength(2);
    expect(problems[0]).toContain('leads out of the project');
  });

  test('a project that is itself reached by a link is no problem', () => {
    put('docs/plans/a/MEMORY.md', 'notes');
    symlinkSync(project, join(root, 'link'));
    expect(memoryFor(join(root, 'link'), { memory: RULE }, 'startup', foreignFiles)).toMatchObject({
      context: expect.stringContaining('notes'),
      problems: [],
    });
  });

  test('a folder in place of a file is passed over', () => {
    mkdirSync(join(project, 'docs/plans/a/MEMORY.md'), { recursive: true });
    expect(told()).toEqual({ problems: [] });
  });
});

const FAILS: Verdict = {
  gate: 'tests',
  kind: 'run',
  class: 'measured',
  outcome: 'fail',
  summary: 'two tests fail',
  next: 'Mend the cart.',
};

function stop(more: Partial<LoopStop> = {}): LoopStop {
  return {
    project,
    contract: { memory: RULE },
    state: { loop: 'l1', status: 'active', iteration: 2, maxIterations: 50 } as LoopState,
    task: 'Build the shop',
    verdicts: [{ ...FAILS, gate: 'lint', outcome: 'pass', summary: 'fine' }, FAILS],
    now: T0,
    ...more,
  };
}

const update = (more: Partial<LoopStop> = {}) =>
  updateMemory(stop(more), foreignFiles, (changes) => applyChanges(changes, join(root, 'lock')));

describe('at a stop of a loop', () => {
  test('the newest notes get a section about it, and nothing else changes', () => {
    const old = put('docs/plans/a/MEMORY.md', 'old notes\n', 1000);
    const now = put('docs/plans/b/MEMORY.md', 'new notes\n', 2000);
    chmodSync(now, 0o640);
    expect(update()).toEqual([]);
    expect(readFileSync(old, 'utf8')).toBe('old notes\n');
    const text = readFileSync(now, 'utf8');
    expect(text.startsWith('new notes\n\n<!-- untildone:begin -->\n')).toBe(true);
    expect(text).toContain('- Passes: lint\n- Fails: tests: two tests fail\n- Next: Mend the cart.\n');
    expect(statSync(now).mode & 0o777).toBe(0o640);
  });

  test('the same again does not touch the file', () => {
    const file = put('docs/plans/a/MEMORY.md', 'notes\n');
    update();
    const { mtimeMs, ino } = statSync(file);
    expect(update({ now: T0 + 60_000, state: { ...stop().state, iteration: 3 } })).toEqual([]);
    expect(statSync(file)).toMatchObject({ mtimeMs, ino });
    update({ state: { ...stop().state, status: 'stalled' } });
    expect(readFileSync(file, 'utf8')).toContain('- Loop: l1, ended: stalled');
  });

  test('nothing is made where nothing is, and nothing written where the contract does not ask for it', () => {
    expect(update()).toEqual([]);
    expect(update({ contract: { memory: { ...RULE, files: ['MEMORY.md'] } } })).toEqual([]);
    const file = put('docs/plans/a/MEMORY.md', 'notes\n');
    expect(update({ contract: { memory: { ...RULE, update: false } } })).toEqual([]);
    expect(update({ contract: {} })).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe('notes\n');
  });

  test('a damaged section is left as it is, and that is said', () => {
    const text = 'notes\n<!-- untildone:begin -->\n';
    const file = put('docs/plans/a/MEMORY.md', text);
    expect(update()).toEqual([
      expect.stringMatching(/^untildone: memory: docs\/plans\/a\/MEMORY\.md is left as it is: /),
    ]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('a link out of the project is not written through', () => {
    const target = join(root, 'outside.md');
    writeFileSync(target, 'theirs\n');
    mkdirSync(join(project, 'docs/plans/a'), { recursive: true });
    symlinkSync(target, join(project, 'docs/plans/a/MEMORY.md'));
    expect(update()).toEqual([expect.stringContaining('leads out of the project')]);
    expect(readFileSync(target, 'utf8')).toBe('theirs\n');
  });

  test('what cannot be written is said, and never thrown', () => {
    put('docs/plans/a/MEMORY.md', 'notes\n');
    const failing = () => {
      throw new Error('the disk is full');
    };
    expect(updateMemory(stop(), foreignFiles, failing)).toEqual(['untildone: memory: the disk is full']);
    expect(updateMemory(stop(), foreignFiles, () => ['no space'])).toEqual(['untildone: memory: no space']);
  });
});
