import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { UsageError } from '../../../src/core/text/errors.ts';
import { createHome, type Home, homeAt } from '../../../src/home/layout.ts';
import { refuseInsideClient } from '../../../src/hook/start/person.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

let home: Home;
beforeEach(() => {
  home = homeAt(join(temporaryFolder(), 'home'));
  createHome(home);
});

const refused = (env: NodeJS.ProcessEnv) => {
  try {
    refuseInsideClient('cancel', home, env);
    return undefined;
  } catch (error) {
    return error;
  }
};
const record = (text: string) => {
  const file = join(home.sessions, 's1.at');
  writeFileSync(file, text);
  return file;
};

test('a terminal of its own is where people are', () => {
  expect(refused({})).toBeUndefined();
  expect(refused({ CLAUDECODE: '' })).toBeUndefined();
});

test('inside the client it is refused, in words that name the command', () => {
  const error = refused({ CLAUDECODE: '1' });
  expect(error).toBeInstanceOf(UsageError);
  expect((error as Error).message).toBe(
    '"untildone cancel" is for a person: run it in a terminal of your own, not from inside a Claude Code session',
  );
});

test('a client that is an ancestor gives it away, by its variable', () => {
  expect(refused({ CLAUDE_PID: String(process.ppid) })).toBeInstanceOf(UsageError);
  expect(refused({ CLAUDE_PID: String(process.pid) })).toBeUndefined();
  for (const nonsense of ['', 'x', '1', '0', '-1', '1.5', String(2 ** 30)])
    expect(refused({ CLAUDE_PID: nonsense })).toBeUndefined();
});

test('and by what its SessionStart recorded, whatever was taken out of the environment', () => {
  record(`/some/project\n${process.ppid}\n`);
  expect(refused({})).toBeInstanceOf(UsageError);
});

test('a client that is no ancestor is somebody else', () => {
  record(`/some/project\n${process.pid}\n`);
  expect(refused({})).toBeUndefined();
});

test('a number that was given to another process since is not the client', () => {
  const file = record(`/some/project\n${process.ppid}\n`);
  const lastYear = new Date(Date.now() - 365 * 24 * 3_600_000);
  utimesSync(file, lastYear, lastYear);
  expect(refused({})).toBeUndefined();
});

test('records that are damaged, or no files, keep nobody from anything', () => {
  record('nonsense');
  mkdirSync(join(home.sessions, 'folder.at'));
  writeFileSync(join(home.sessions, 'other.json'), `/some/project\n${process.ppid}\n`);
  expect(refused({})).toBeUndefined();
});

test('a home that was never made says nothing', () => {
  expect(() => refuseInsideClient('trust', homeAt('/nowhere/at/all'), {})).not.toThrow();
});
