import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOOK_LINE, hookScript, LET_GO_AFTER } from '../../src/home/hook-line.ts';
import { SESSION, SHELLS } from '../support/client/shells.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'untildone-waiting-'));
  mkdirSync(join(home, 'active'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const marker = (kind = '') => join(home, 'active', `${SESSION}${kind}`);

/** A hook that begins to judge, and then does as told. */
function writeHook(then: string, begins = "fs.writeFileSync(mark, process.ppid + '\\n');"): void {
  const entry = join(home, 'hook.cjs');
  const names = `const fs = require('node:fs'); const mark = ${JSON.stringify(marker('.judging'))};`;
  writeFileSync(entry, `${names}\n${begins}\n${then}\n`);
  writeFileSync(join(home, 'hook.sh'), hookScript({ nodePath: process.execPath, hookEntry: entry }));
}

/** Without a PATH: everything but node is built into the shell. */
const environment = () => [`UNTILDONE_HOME=${home}`, `CLAUDE_CODE_SESSION_ID=${SESSION}`, 'PATH='];

function call(shell: readonly string[] = ['/bin/sh'], input = '') {
  const { status, stdout } = spawnSync('/usr/bin/env', ['-i', ...environment(), ...shell, '-c', HOOK_LINE], {
    input,
    encoding: 'utf8',
  });
  return { status, stdout };
}

const DIES = "process.kill(process.pid, 'SIGKILL');";
const ANSWERS = "fs.unlinkSync(mark); process.stdout.write('answer to ' + fs.readFileSync(0));";

describe.each(SHELLS.map((shell) => ({ shell, name: shell.join(' ') })))(
  'where gates measure, under $name',
  ({ shell }) => {
    beforeEach(() => writeFileSync(marker(), 'measures\n'));

    test.each([
      ['is killed', DIES],
      ['is ended as by pkill', "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);"],
      ['breaks down', 'process.abort();'],
      ['fails', 'process.exit(1);'],
      ['leaves as if all were well', 'process.exit(0);'],
    ])('a hook that %s while it judges holds the session', (_, then) => {
      writeHook(then);
      const { status, stdout } = call(shell);
      expect(status).toBe(0);
      const answer = JSON.parse(stdout) as { decision: string; reason: string };
      expect(Object.keys(answer)).toEqual(['decision', 'reason']);
      expect(answer.decision).toBe('block');
      expect(answer.reason).toContain('something ended the Stop hook');
      expect(answer.reason).toContain('Then stop again');
    });

    test(`the death number ${LET_GO_AFTER} in a row lets go, and so does every further one`, () => {
      writeHook(DIES);
      const kinds = Array.from({ length: LET_GO_AFTER + 2 }, () =>
        Object.keys(JSON.parse(call(shell).stdout)),
      );
      const held = kinds.slice(0, LET_GO_AFTER - 1);
      expect(held).toEqual(held.map(() => ['decision', 'reason']));
      expect(kinds.slice(LET_GO_AFTER - 1)).toEqual(Array(3).fill(['systemMessage']));
      expect(readFileSync(marker('.cut'), 'utf8')).toBe(`${'x'.repeat(LET_GO_AFTER)}\n`);
    });

    test('a count that cannot be kept lets go at once', () => {
      mkdirSync(marker('.cut'));
      writeHook(DIES);
      expect(Object.keys(JSON.parse(call(shell).stdout))).toEqual(['systemMessage']);
    });

    test('a hook that answers is all that is heard', () => {
      writeHook(`${ANSWERS} process.exitCode = 2;`);
      expect(call(shell, 'a Stop')).toEqual({ status: 2, stdout: 'answer to a Stop' });
      expect(readdirSync(join(home, 'active'))).toEqual([SESSION]);
    });

    test('a death before or after the judging is an error like any other', () => {
      writeHook(DIES, '');
      expect(call(shell)).toEqual({ status: 137, stdout: '' });
      writeHook(`fs.unlinkSync(mark); ${DIES}`);
      expect(call(shell)).toEqual({ status: 137, stdout: '' });
    });

    test('what another hook of the session judges is no concern of this one', () => {
      writeHook(DIES, "fs.writeFileSync(mark, '1\\n');");
      expect(call(shell)).toEqual({ status: 137, stdout: '' });
      expect(existsSync(marker('.cut'))).toBe(false);
    });
  },
);

test('where only a promise is asked for, the hook takes the place of the shell', () => {
  writeFileSync(marker(), '');
  writeHook('process.stdout.write(String(process.pid));', '');
  const line = `printf '%s ' "$$";${HOOK_LINE}`;
  const { stdout } = spawnSync('/usr/bin/env', ['-i', ...environment(), '/bin/sh', '-c', line], {
    encoding: 'utf8',
  });
  const [shell, hook] = stdout.split(' ');
  expect(hook).toBe(shell);
});

test('a client that ends the shell and the hook hears nothing', async () => {
  writeFileSync(marker(), 'measures\n');
  writeHook("fs.writeSync(1, 'up\\n'); setInterval(() => {}, 1000);");
  const child = spawn('/usr/bin/env', ['-i', ...environment(), '/bin/sh', '-c', HOOK_LINE], {
    detached: true,
  });
  let heard = '';
  const ended = new Promise((resolve) => child.on('close', (_, signal) => resolve(signal)));
  child.stdout.on('data', (data) => {
    heard += data;
    if (heard === 'up\n') process.kill(-(child.pid ?? 0), 'SIGTERM');
  });
  expect(await ended).toBe('SIGTERM');
  expect(heard).toBe('up\n');
});
