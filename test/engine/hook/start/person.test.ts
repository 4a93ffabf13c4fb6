import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { UsageError } from '../../../../src/engine/core/text/errors.ts';
import { createHome, type Home, homeAt } from '../../../../src/engine/home/layout.ts';
import { refuseInsideClient } from '../../../../src/engine/hook/start/person.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';

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
    '"untildone cancel" is for a person. Inside a Claude Code session untildone cannot tell you from the agent, ' +
      'not even with "!": type it in another terminal',
  );
});

const typedAs = (words: string[], { cwd = '/a project', env = {}, program = '/bin/untildone.cjs' } = {}) => {
  try {
    refuseInsideClient(
      'approve',
      home,
      { CLAUDECODE: '1', ...env },
      { argv: ['node', program, ...words], cwd },
    );
    return undefined;
  } catch (error) {
    return (error as Error).message.split('in another terminal')[1];
  }
};

test('the same line is named for another terminal, exactly as it can be typed there', () => {
  expect(typedAs(['cancel'])).toBe(": cd '/a project' && untildone cancel");
  expect(typedAs(['reject', '--note', "it's wrong"])).toBe(
    `: cd '/a project' && untildone reject --note 'it'\\''s wrong'`,
  );
  expect(typedAs(['trust'], { cwd: '/p', env: { UNTILDONE_HOME: '/h h' } })).toBe(
    ": cd /p && UNTILDONE_HOME='/h h' untildone trust",
  );
});

test.each([
  ['a program of somebody else', ['run'], { program: '/bin/mine.js' }],
  ['what steers a terminal', ['cancel'], { cwd: '/a\u001b[2J' }],
  ['a line break', ['reject', '--note', 'a\nb'], {}],
  ['a long text', ['start', 'x'.repeat(600)], {}],
])('no line is named for %s', (_, words, options) => {
  expect(typedAs(words, options)).toBe('');
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
