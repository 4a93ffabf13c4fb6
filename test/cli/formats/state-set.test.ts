import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import {
  content,
  file,
  held,
  home,
  init,
  lines,
  put,
  set,
  text,
  useStateFiles,
  world,
} from '../../support/cli/state-files.ts';
import { T0 } from '../../support/core/samples.ts';
import { makeFifo } from '../../support/files/workers.ts';
import { rounds } from '../../support/long.ts';

useStateFiles();

describe('set', () => {
  test('writes flags, numbers and text by dotted keys, and when', () => {
    init({ file: 'orchestrator' });
    world().now = T0 + 60_000;
    set(
      'orchestrator',
      'conditions.plan_approved=true',
      'phase=implementation',
      'iterations=2',
      'note=a=b',
      'x.y.z=-5',
    );
    expect(content('orchestrator')).toMatchObject({
      phase: 'implementation',
      iterations: 2,
      note: 'a=b',
      x: { y: { z: -5 } },
      conditions: { plan_approved: true, memory_search: false },
      created_at: '2026-01-01T00:00:00Z',
      last_updated: '2026-01-01T00:01:00Z',
    });
    expect(lines).toContain('orchestrator.json: conditions.plan_approved = true');
  });

  test('everything else stays byte by byte: unknown keys, their order, large numbers, indentation, mode', () => {
    const before =
      '{\r\n\t"id": 12345678901234567890,\r\n\t"iteration": 1,\r\n\t"mine": {"a": 1.0 },\r\n\t"last_updated": "x"\r\n}';
    put('loop', before);
    set('loop', 'iteration=2');
    expect(text('loop')).toBe(
      before.replace('"iteration": 1', '"iteration": 2').replace('"x"', '"2026-01-01T00:00:00Z"'),
    );
    expect(statSync(file('loop')).mode & 0o777).toBe(0o644);
  });

  test('makes a quality gate and tasks that are not there yet; for the others it names init', () => {
    set(
      'quality-gate',
      'last_result=failed',
      'stages.security.status=failed',
      'stages.security.details=a key is in the code',
    );
    expect(content('quality-gate')).toMatchObject({
      session_id: 's1',
      last_result: 'failed',
      stages: { security: { status: 'failed', details: 'a key is in the code' } },
    });
    set('tasks/3', 'subject=write the docs');
    expect(content('tasks/3')).toMatchObject({ id: '3', status: 'pending', subject: 'write the docs' });
    expect(held()).toBe(true);
    set('tasks/3.json', 'status=completed');
    set('quality-gate.json', 'last_result=passed', 'stages.security.status=passed');
    expect(held()).toBe(false);
    expect(() => set('loop', 'iteration=2')).toThrow(
      /there is no .*loop\.json; type: untildone state init s1 loop/,
    );
    expect(existsSync(file('loop'))).toBe(false);
  });

  test('null on the way makes room', () => {
    put('quality-gate', '{"stages": null}');
    set('quality-gate', 'stages.security.status=pending');
    expect(content('quality-gate').stages).toEqual({ security: { status: 'pending' } });
  });

  test.each([
    ['phase', /is not KEY=VALUE/],
    ['=x', /is not KEY=VALUE/],
    ['a..b=1', /is not a key/],
    ['a b=1', /is not a key/],
    ['__proto__.polluted=true', /is not a key/],
    ['conditions.constructor.x=1', /is not a key/],
    ['a.b.c.d.e.f.g.h.i=1', /is not a key/],
    ['verified_done=yes', /verified_done is true, false or null/],
    ['conditions.plan_approved=1', /is true, false or null/],
    ['iterations=many', /is a whole number/],
    ['complexity=-1', /is a whole number/],
    ['complexity=7.5', /is a whole number/],
    ['conditions=true', /conditions is an object; name a key in it/],
    ['task.name=x', /task is a string, so nothing can be set in it/],
  ])('%s is refused, and nothing is written', (word, words) => {
    init({ file: 'orchestrator' });
    const before = text('orchestrator');
    expect(() => set('orchestrator', 'phase=other', word)).toThrow(UsageError);
    expect(() => set('orchestrator', 'phase=other', word)).toThrow(words);
    expect(text('orchestrator')).toBe(before);
    expect({}).not.toHaveProperty('polluted');
  });

  test('nothing to set is wrong use', () => {
    init();
    expect(() => set('loop')).toThrow(/nothing to set; type/);
  });

  test.each(['orchestra', 'tasks/', 'tasks/../loop', 'tasks//x', '../s2/loop', 'tasks/a b', ''])(
    'the file %j is refused',
    (name) => {
      expect(() => set(name, 'status=pending')).toThrow(/is no file of the state; type orchestrator, loop/);
      expect(existsSync(join(home(), '.ralph'))).toBe(false);
    },
  );

  test.each([
    ['{ torn', /line 1, column \d+: not JSON/],
    ['[]', /the file is a list/],
    ['{"iteration": 1, "iteration": 2}', /stands twice/],
  ])('a file that is %s is left alone', (broken, words) => {
    put('loop', broken);
    expect(() => set('loop', 'iteration=3')).toThrow(words);
    expect(text('loop')).toBe(broken);
  });

  test('a link, a folder and a pipe are left alone', () => {
    mkdirSync(dirname(file('loop')), { recursive: true });
    const elsewhere = join(home(), 'elsewhere.json');
    writeFileSync(elsewhere, '{}');
    symlinkSync(elsewhere, file('loop'));
    expect(() => set('loop', 'iteration=3')).toThrow(/symbolic link/);
    expect(() => init({ force: true })).toThrow(/symbolic link/);
    expect(readFileSync(elsewhere, 'utf8')).toBe('{}');
    makeFifo(file('quality-gate'));
    expect(() => set('quality-gate', 'last_result=passed')).toThrow(/not a regular file/);
    mkdirSync(file('tasks/1'), { recursive: true });
    expect(() => set('tasks/1', 'status=completed')).toThrow(/not a regular file/);
  });

  test('a misspelt condition is written and pointed out', () => {
    init({ file: 'orchestrator' });
    set('orchestrator', 'conditions.plan_aproved=true');
    expect(lines).toContain(
      'Note: "plan_aproved" is none of the nine conditions; did you mean plan_approved?',
    );
    expect(content('orchestrator').conditions).toMatchObject({ plan_aproved: true });
  });

  test('any text comes back as text', () => {
    init();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        fc.pre(!/^(?:true|false|null|-?\d+)$/.test(value));
        set('loop', `last_error=${value}`);
        expect(content('loop').last_error).toBe(value);
      }),
      { numRuns: rounds(50, 15) },
    );
  });
});

describe('many at once', () => {
  let bundle: string | undefined;
  afterAll(() => {
    if (bundle) rmSync(dirname(bundle), { recursive: true, force: true });
  });

  function setter(): string {
    bundle = join(mkdtempSync(join(tmpdir(), 'untildone-state-')), 'set.cjs');
    const contents = `
      import { stateSet } from './state.ts';
      const [, , from, to] = process.argv;
      const world = { env: { HOME: process.env.HOME }, now: 0, out() {} };
      for (let i = Number(from); i < Number(to); i++) stateSet('s1', 'loop', ['k' + i + '=' + i], world);
    `;
    const resolveDir = join(import.meta.dirname, '../../../src/cli/formats');
    const stdin = { contents, resolveDir, loader: 'ts' as const };
    const mainFields = ['module', 'main'];
    buildSync({
      stdin,
      outfile: bundle,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      mainFields,
      logLevel: 'silent',
    });
    return bundle;
  }

  test('no key is lost', async () => {
    init();
    const path = setter();
    const one = (from: number) =>
      new Promise<void>((resolve, reject) => {
        const args = [path, String(from), String(from + 10)];
        execFile(process.execPath, args, { env: { HOME: home() } }, (error) =>
          error ? reject(error) : resolve(),
        );
      });
    await Promise.all([0, 10, 20, 30].map(one));
    const found = content('loop');
    for (let i = 0; i < 40; i++) expect(found[`k${i}`]).toBe(i);
    expect(readdirSync(dirname(file('loop')))).toEqual(['loop.json']);
  });
});
