import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type VerifyOptions, verifyCommand } from '../../../src/cli/contract/verify.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { commit, git } from '../../support/project/project-scene.ts';
import { initRepository } from '../../support/repository.ts';

/** A repository whose last commit deleted a test, and shallow clones of it. */
let folder: string;
let lines: string[];
beforeEach(() => {
  folder = temporaryFolder();
  lines = [];
});

function originWith(contract: string): void {
  const origin = join(folder, 'origin');
  write('origin/untildone.yaml', contract);
  write('origin/test/a.test.ts', "test('a', () => { expect(1).toBe(1); });\n");
  write('origin/test/b.test.ts', "test('b', () => { expect(2).toBe(2); });\n");
  initRepository(origin);
  commit(origin, 'with tests');
  rmSync(join(origin, 'test/b.test.ts'));
  commit(origin, 'without one');
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function clone(...options: string[]): string {
  const to = join(folder, 'clone');
  git(folder, 'clone', '-q', ...options, `file://${join(folder, 'origin')}`, to);
  return to;
}

function verifyIn(project: string, options: Partial<VerifyOptions> = {}): Promise<number> {
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const env = { PATH: process.env.PATH, HOME: folder };
  const ports = openPorts(home, env, async () => judgeBundle);
  lines = [];
  const plan = { fresh: true, format: 'text' as const, ...options };
  return verifyCommand(plan, { ...ports, home, project, env, judges: ports.judges }, (line) => {
    lines.push(line);
  });
}

const INTACT = 'gates: { ok: { run: "true" }, intact: { tests_intact: true } }\n';

describe('a clone of depth 1 has nothing to compare with', () => {
  test('its gates are skipped, and that is not done', async () => {
    originWith(INTACT);
    const project = clone('--depth', '1');
    expect(await verifyIn(project)).toBe(2);
    expect(lines.find((line) => line.startsWith('skip'))).toContain('git fetch --unshallow');
    expect(lines.at(-1)).toBe(
      'untildone: NOT verified: skipped: intact. What was judged passes; to accept that: --allow-skipped intact',
    );
    expect(await verifyIn(project, { format: 'github' })).toBe(2);
    expect(lines.join('\n')).toContain('::warning title=untildone::NOT verified: skipped: intact');
  });
  test('a file that CI made beside the work is no start of the work', async () => {
    originWith(INTACT);
    const project = clone('--depth', '1');
    write('clone/report.xml', '<made-by-ci/>\n');
    expect(await verifyIn(project)).toBe(2);
    write('clone/test/a.test.ts', "test.skip('a', () => { expect(1).toBe(1); });\n");
    expect(await verifyIn(project)).toBe(1);
  });
  test.each([
    [
      'inside all',
      'gates: { ok: { run: "true" }, intact: { tests_intact: true }, both: { all: [ok, intact] } }',
      2,
    ],
    [
      'inside any',
      'gates: { ok: { run: "true" }, intact: { tests_intact: true }, one: { any: [intact, ok] } }',
      0,
    ],
    [
      'alone in any',
      'gates: { ok: { run: "true" }, intact: { tests_intact: true }, one: { any: [intact] } }',
      2,
    ],
    ['forbid', 'gates: { ok: { run: "true" }, tidy: { forbid: [todo] } }', 2],
    ['changed', 'gates: { ok: { run: "true" }, worked: { changed: true } }', 2],
    ['nothing that compares', 'gates: { ok: { run: "true" } }', 0],
  ])('%s', async (_, contract, code) => {
    originWith(`${contract}\n`);
    expect(await verifyIn(clone('--depth', '1'))).toBe(code);
    expect(lines.at(-1)).toContain(code === 0 ? 'done, and verified' : 'NOT verified');
  });
  test('what was fetched, or named, is compared', async () => {
    originWith(INTACT);
    const project = clone('--depth', '1');
    await expect(verifyIn(project, { base: 'HEAD~1' })).rejects.toThrow(
      '"HEAD~1" is no commit, branch or tag of this repository; this clone is shallow: get the rest with git fetch --unshallow',
    );
    git(project, 'fetch', '-q', '--deepen', '1');
    expect(await verifyIn(project, { base: 'HEAD~1' })).toBe(1);
    expect(lines.join('\n')).toContain('test/b.test.ts');
  });
});

describe('gates that may be skipped', () => {
  test('are named one by one, and stay visible', async () => {
    originWith('gates: { ok: { run: "true" }, intact: { tests_intact: true }, tidy: { forbid: [todo] } }\n');
    const project = clone('--depth', '1');
    expect(await verifyIn(project, { allowSkipped: ['intact'] })).toBe(2);
    expect(lines.at(-1)).toContain('NOT verified: skipped: tidy.');
    expect(await verifyIn(project, { allowSkipped: ['intact', 'tidy'] })).toBe(0);
    expect(lines.at(-1)).toBe('untildone: done, and verified; skipped: intact, tidy');
  });
  test('a name that is no gate is refused', async () => {
    originWith(INTACT);
    await expect(verifyIn(clone(), { allowSkipped: ['intackt'] })).rejects.toThrow(
      'there is no gate "intackt"; there are: ok, intact',
    );
  });
  test('do not cover what fails', async () => {
    originWith(INTACT);
    expect(await verifyIn(clone(), { base: 'HEAD~1', allowSkipped: ['intact'] })).toBe(1);
  });
});

test('a whole clone that ends where the shared branch ends has nothing to compare with, either', async () => {
  originWith(INTACT);
  expect(await verifyIn(clone())).toBe(2);
  expect(lines.find((line) => line.startsWith('skip'))).toContain('name another with --base');
});

test('gates of a session are named and break nothing', async () => {
  originWith(
    'gates: { ok: { run: "true" }, said: { promise: DONE }, open: { tasks: true }, asked: { approve: Good? } }\ndone: [ok, said, open, asked]\n',
  );
  expect(await verifyIn(clone())).toBe(0);
  expect(lines.at(-1)).toBe('untildone: done, and verified; judged only in a session: said, open, asked');
  expect(await verifyIn(join(folder, 'clone'), { gates: ['said'] })).toBe(2);
});

test('JSON has what was not judged, and why', async () => {
  originWith('gates: { ok: { run: "true" }, intact: { tests_intact: true }, said: { promise: DONE } }\n');
  await verifyIn(clone('--depth', '1'), { format: 'json' });
  expect(JSON.parse(lines.join('\n'))).toMatchObject({
    result: 'skipped',
    not_judged: [
      { gate: 'said', why: 'session', reason: 'only a session can state it' },
      { gate: 'intact', why: 'nothing_to_compare', reason: expect.stringContaining('shallow') },
    ],
  });
});
