import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdScript, LET_GO_AFTER } from '../../../src/engine/home/hold-script.ts';
import { HOOK_LINE, hookLine, hookScript } from '../../../src/engine/home/hook-line.ts';
import { SESSION, SHELLS } from '../../support/client/shells.ts';
import { few } from '../../support/long.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'untildone-waiting-'));
  mkdirSync(join(home, 'active'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const marker = (kind = '') => join(home, 'active', `${SESSION}${kind}`);

/** A hook that does as told. */
function writeHook(does: string): void {
  const entry = join(home, 'hook.cjs');
  writeFileSync(entry, `const fs = require('node:fs');\n${does}\n`);
  writeFileSync(join(home, 'hook.sh'), hookScript({ nodePath: process.execPath, hookEntry: entry }));
  writeFileSync(join(home, 'hold.sh'), holdScript());
}

/** Without a PATH: everything but node is built into the shell. */
const environment = () => [`UNTILDONE_HOME=${home}`, `CLAUDE_CODE_SESSION_ID=${SESSION}`, 'PATH='];

function call(shell: readonly string[] = ['/bin/sh'], { input = '', line = HOOK_LINE } = {}) {
  const { status, stdout } = spawnSync('/usr/bin/env', ['-i', ...environment(), ...shell, '-c', line], {
    input,
    encoding: 'utf8',
  });
  return { status, stdout };
}

const DIES = "process.kill(process.pid, 'SIGKILL');";
/** As the hook ends once it has answered. */
const ENDS = 'process.exit(process.exitCode || Number(process.env.UNTILDONE_ANSWERED));';
const ANSWERS = `fs.writeSync(1, JSON.stringify({ heard: String(fs.readFileSync(0)) }) + '\\n'); ${ENDS}`;
const HALF = `fs.writeSync(1, '{"decision":"blo');`;
/** What a line of 0.1.0 came to, in a session with a marker. */
const OLD_LINE = `h=$\{UNTILDONE_HOME:-$HOME/.untildone};[ -f "$h/active/$CLAUDE_CODE_SESSION_ID" ]||exit 0;command . "$h/hook.sh"||exit 1`;

describe.each(few(SHELLS, 1).map((shell) => ({ shell, name: shell.join(' ') })))(
  'where gates measure, under $name',
  ({ shell }) => {
    beforeEach(() => writeFileSync(marker(), 'measures\n'));

    test.each([
      ['is killed', DIES],
      ['is killed after half an answer', HALF + DIES],
      ['is killed after its answer', `fs.writeSync(1, '{"decision":"block"}'); ${DIES}`],
      ['is ended as by pkill', "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);"],
      ['breaks down', 'process.abort();'],
    ])('a hook that %s holds the session, with one answer', (_, does) => {
      writeHook(does);
      const { status, stdout } = call(shell);
      expect(status).toBe(0);
      const answer = JSON.parse(stdout) as { decision: string; reason: string };
      expect(Object.keys(answer)).toEqual(['decision', 'reason']);
      expect(answer.decision).toBe('block');
      expect(answer.reason).toContain('something ended the Stop hook');
      expect(answer.reason).toContain('Then stop again');
    });

    test.each([
      ['fails', 'process.exit(1);'],
      ['leaves as if all were well', 'process.exit(0);'],
      ['is empty', ''],
      ['is no program', 'half a progr'],
      ['prints something else before it answers', `fs.writeSync(1, 'a debugger listens'); ${ANSWERS}`],
    ])('a hook that %s holds the session', (_, does) => {
      writeHook(does);
      expect(JSON.parse(call(shell).stdout)).toMatchObject({
        decision: 'block',
        reason: expect.stringContaining('the hook failed before it answered'),
      });
    });

    test('a line of an older version, which does not name the event, holds at Stop and nowhere else', () => {
      writeHook(`${HALF}${DIES}`);
      const at = (event: string) =>
        JSON.parse(
          call(shell, { line: OLD_LINE, input: JSON.stringify({ hook_event_name: event }) }).stdout,
        ) as object;
      expect(Object.keys(at('UserPromptSubmit'))).toEqual(['systemMessage']);
      expect(Object.keys(at('Stop'))).toEqual(['decision', 'reason']);
      writeHook(ANSWERS);
      expect(at('Stop')).toEqual({ heard: '{"hook_event_name":"Stop"}' });
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

    test('a Stop that is answered ends the count, and so does a prompt to a session that was let go', () => {
      for (let round = 0; round < 2; round++) {
        writeHook(DIES);
        for (let i = 1; i < LET_GO_AFTER; i++) expect(call(shell).stdout).toContain('"block"');
        writeHook(ANSWERS);
        call(shell);
        expect(existsSync(marker('.cut'))).toBe(false);
      }
      const prompt = { line: hookLine('UserPromptSubmit') };
      for (const [count, isLeft] of [
        ['x', true],
        ['x'.repeat(LET_GO_AFTER), false],
      ] as const) {
        writeFileSync(marker('.cut'), `${count}\n`);
        call(shell, prompt);
        expect(existsSync(marker('.cut'))).toBe(isLeft);
      }
    });

    test.each<[string, (path: string) => unknown]>([
      ['a pipe', (path) => execFileSync('mkfifo', [path])],
      ['a folder', (path) => mkdirSync(join(path, 'more'), { recursive: true })],
      ['a link to nothing', (path) => symlinkSync('/nonexistent/file', path)],
      ['a link to a device', (path) => symlinkSync('/dev/null', path)],
    ])('%s in the place of a file of ours neither hangs nor lets go', (_, put) => {
      writeHook(DIES);
      for (const kind of ['', '.judging', '.cut', '.unheld']) {
        rmSync(marker(kind), { recursive: true, force: true });
        put(marker(kind));
        rmSync(marker(kind === '.cut' ? '.none' : '.cut'), { force: true });
        expect(call(shell).stdout).toContain('"decision":"block"');
      }
    });

    test('a count that cannot be kept lets go at once', () => {
      rmSync(join(home, 'active'), { recursive: true });
      mkdirSync(join(home, 'standing'));
      writeFileSync(join(home, 'standing/.on'), 'measures\n');
      writeHook(DIES);
      expect(Object.keys(JSON.parse(call(shell).stdout))).toEqual(['systemMessage']);
    });

    test.each([
      [undefined, 0],
      ['process.exitCode = 2;', 2],
    ])('a hook that answers is all that is heard: %s', (first = '', status) => {
      writeHook(first + ANSWERS);
      expect(call(shell, { input: 'a Stop' })).toEqual({ status, stdout: '{"heard":"a Stop"}\n' });
      expect(readdirSync(join(home, 'active'))).toEqual([SESSION]);
    });

    test('a hook that has nothing to say lets the session stop in silence', () => {
      writeHook(ENDS);
      expect(call(shell)).toEqual({ status: 0, stdout: '' });
    });

    test('at any other event nothing is refused, and it is told once', () => {
      writeHook(HALF + DIES);
      for (const event of ['UserPromptSubmit', 'PreToolUse', 'SessionStart', 'TaskCompleted'] as const) {
        rmSync(marker('.unheld'), { force: true });
        const { status, stdout } = call(shell, { line: hookLine(event) });
        expect([status, Object.keys(JSON.parse(stdout))]).toEqual([0, ['systemMessage']]);
        expect(call(shell, { line: hookLine(event) })).toEqual({ status: 0, stdout: '' });
      }
    });
  },
);

test('where only a promise is asked for, nobody is held, and it is told every time', () => {
  writeFileSync(marker(), '');
  writeHook(DIES);
  for (let i = 0; i < 2; i++)
    expect(JSON.parse(call().stdout)).toEqual({ systemMessage: expect.stringContaining('was let go') });
});

test('a session without a loop is held where standing gates measure, and let go where they do not', () => {
  mkdirSync(join(home, 'standing'));
  writeHook(DIES);
  for (const [content, answer] of [
    ['measures\n', 'decision'],
    ['', 'systemMessage'],
  ] as const) {
    writeFileSync(join(home, 'standing/.on'), content);
    expect(Object.keys(JSON.parse(call().stdout))[0]).toBe(answer);
  }
});

test('a line of today works with the script of an older version', () => {
  writeFileSync(marker(), 'measures\n');
  const old = readFileSync(join(import.meta.dirname, '../../fixtures/settings/hook-0.1.0.sh'), 'utf8');
  const script = old.replaceAll('@NODE@', process.execPath).replaceAll('@ENTRY@', join(home, 'hook.cjs'));
  const writeOld = (does: string) => {
    writeHook(does);
    writeFileSync(join(home, 'hook.sh'), script);
    rmSync(join(home, 'hold.sh'));
  };
  writeOld("process.stdout.write('answer to ' + fs.readFileSync(0));");
  expect(call(undefined, { input: 'a Stop' })).toEqual({ status: 0, stdout: 'answer to a Stop' });
  writeOld(`fs.writeFileSync(${JSON.stringify(marker('.judging'))}, process.ppid + '\\n'); ${DIES}`);
  expect(JSON.parse(call().stdout)).toMatchObject({ decision: 'block' });
});

test('a session of a run is the business of its driver, whatever is broken', () => {
  writeFileSync(marker(), 'measures\n');
  writeHook(DIES);
  writeFileSync(join(home, 'hook.sh'), '');
  expect(call(['/usr/bin/env', 'UNTILDONE_RUN=a-loop', '/bin/sh'])).toEqual({ status: 0, stdout: '' });
});

test('a client that ends the shell and the hook hears nothing', async () => {
  writeFileSync(marker(), 'measures\n');
  writeHook("fs.writeSync(2, 'up\\n'); setInterval(() => {}, 1000);");
  const child = spawn('/usr/bin/env', ['-i', ...environment(), '/bin/sh', '-c', HOOK_LINE], {
    detached: true,
  });
  let heard = '';
  const ended = new Promise((resolve) => child.on('close', (_, signal) => resolve(signal)));
  child.stdout.on('data', (data) => {
    heard += data;
  });
  child.stderr.once('data', () => process.kill(-(child.pid ?? 0), 'SIGTERM'));
  expect(await ended).toBe('SIGTERM');
  expect(heard).toBe('');
});
