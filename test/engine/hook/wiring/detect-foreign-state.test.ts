import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ALL_FORMATS } from '../../../../src/engine/formats/all.ts';
import { FORMAT_NAMES, type StatePlace } from '../../../../src/engine/formats/format.ts';
import { HOOK_LINE, hookScript } from '../../../../src/engine/home/hook-line.ts';
import { homeAt } from '../../../../src/engine/home/layout.ts';
import { foreignPlaceOf, hasForeignSigns } from '../../../../src/engine/hook/wiring/detect-foreign-state.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';

function scene(env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const project = join(folder, 'project');
  const home = homeAt(join(folder, 'untildone'));
  mkdirSync(project);
  mkdirSync(home.root);
  const hookEntry = join(folder, 'hook.cjs');
  writeFileSync(hookEntry, "console.log('{}'); process.exitCode = Number(process.env.UNTILDONE_ANSWERED);\n");
  writeFileSync(join(home.root, 'hook.sh'), hookScript({ nodePath: process.execPath, hookEntry }));
  const variables = { HOME: folder, CLAUDE_PROJECT_DIR: project, CLAUDE_CODE_SESSION_ID: 's1', ...env };
  const place = foreignPlaceOf({ session: 's1', cwd: project }, undefined, variables, 0);
  const line = () =>
    execFileSync('/bin/sh', ['-c', HOOK_LINE], {
      env: { ...variables, UNTILDONE_HOME: home.root },
      encoding: 'utf8',
    }).trim();
  return { place, home, line, looks: () => hasForeignSigns(place, home, () => false) };
}

function make(path: string | undefined): void {
  if (path === undefined) throw new Error('no path');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
}

test('all of them are there', () => {
  expect(ALL_FORMATS.map((d) => d.name).sort()).toEqual([...FORMAT_NAMES].sort());
});

describe.each(ALL_FORMATS.map((d) => [d.name, d] as const))('the state of %s', (_, format) => {
  test('wakes the hook, by the installed line and by the look inside', () => {
    const { place, line, looks } = scene();
    expect([line(), looks()]).toEqual(['', false]);
    make(format.path(place));
    expect([line(), looks()]).toEqual(['{}', true]);
  });
});

test('a folder of its own for a feature list wakes it, too', () => {
  const { place, line, looks } = scene({ RALPH_LOOP_DIR: 'my/loop' });
  const path = ALL_FORMATS.find((d) => d.name === 'feature-list')?.path(place as StatePlace);
  expect(path).toBe(join(place.folder, 'my/loop'));
  make(path);
  expect([line(), looks()]).toEqual(['{}', true]);
});
