import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forgetOldSessions } from '../../../src/cli/loop/remove-loops.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

const DAY_MS = 24 * 3_600_000;
const NO_PROCESS = 2 ** 22 + 1;

function scene() {
  const home = homeAt(join(temporaryFolder(), 'home'));
  createHome(home);
  const now = Date.now();
  const record = (session: string, daysAgo: number, pid = NO_PROCESS) => {
    const file = join(home.sessions, `${session}.at`);
    writeFileSync(file, `/a/project\n${pid}\n`);
    const time = new Date(now - daysAgo * DAY_MS);
    utimesSync(file, time, time);
    return file;
  };
  return { home, record, forget: () => forgetOldSessions(home, now) };
}

test('a session that ended long ago leaves no record behind', () => {
  const { record, forget } = scene();
  const file = record('old', 31);
  forget();
  expect(existsSync(file)).toBe(false);
});

test('what is newer, owns a loop, or binds a session to its loop stays', () => {
  const { home, record, forget } = scene();
  const binding = join(home.sessions, 'old.json');
  writeFileSync(binding, '{}');
  utimesSync(binding, new Date(0), new Date(0));
  writeFileSync(join(home.active, 'owner'), '');
  const kept = [record('new', 29), record('owner', 300), binding];
  forget();
  expect(kept.filter((file) => existsSync(file))).toEqual(kept);
});

test('a home without the folder is no problem', () => {
  expect(() => forgetOldSessions(homeAt(join(temporaryFolder(), 'none')), Date.now())).not.toThrow();
});
