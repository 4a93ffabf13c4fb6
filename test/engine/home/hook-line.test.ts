import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdScript } from '../../../src/engine/home/hold-script.ts';
import {
  HOOK_LINE,
  hookLine,
  hookScript,
  isOtherToolsLine,
  isOurLine,
  OTHER_TOOLS_LINE,
  parseSessionRecord,
  SESSION_START_LINE,
} from '../../../src/engine/home/hook-line.ts';
import { SESSION, SHELLS } from '../../support/client/shells.ts';

let root: string;
let home: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'untildone-line-'));
  home = join(root, '.untildone');
  mkdirSync(join(home, 'active'), { recursive: true });
  mkdirSync(join(home, 'sessions'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Result {
  code: number | null;
  out: string;
  err: string;
}

/** With an empty PATH, any program that is not built into the shell leaves "not found" on stderr. */
function run(
  line: string,
  environment: Record<string, string>,
  shell: string[] = ['/bin/sh'],
  input = '',
): Result {
  const variables = Object.entries({ PATH: '', ...environment }).map(([name, value]) => `${name}=${value}`);
  const result = spawnSync('/usr/bin/env', ['-i', ...variables, ...shell, '-c', line], {
    input,
    encoding: 'utf8',
  });
  return { code: result.status, out: result.stdout, err: result.stderr };
}

const SILENCE: Result = { code: 0, out: '', err: '' };

function activate(at = home, session = SESSION): void {
  writeFileSync(join(at, 'active', session), '');
}

function writeScript(entryText: string | undefined, nodePath = process.execPath, at = home): string {
  const entry = join(at, 'hook.cjs');
  if (entryText !== undefined) writeFileSync(entry, entryText);
  writeFileSync(join(at, 'hook.sh'), hookScript({ nodePath, hookEntry: entry }));
  writeFileSync(join(at, 'hold.sh'), holdScript());
  return entry;
}

/** As the hook ends once it has answered. */
const ENDS = "process.on('exit', () => process.exitCode ||= Number(process.env.UNTILDONE_ANSWERED));";
const ECHO = `process.stdin.on('data', (data) => process.stdout.write(JSON.stringify({ got: String(data) }))); ${ENDS}`;

const GOT_X = '{"got":"x"}\n';

/** The line of an event that is neither a Stop nor a beginning. */
const ANY_LINE = hookLine('UserPromptSubmit');

describe.each(SHELLS.map((shell) => ({ shell, name: shell.join(' ') })))(
  'the line under $name',
  ({ shell }) => {
    describe.each([
      { name: 'any event', line: ANY_LINE },
      { name: 'Stop', line: HOOK_LINE },
      { name: 'SessionStart', line: SESSION_START_LINE },
    ])('for $name', ({ line }) => {
      const env = () => ({ HOME: root, CLAUDE_CODE_SESSION_ID: SESSION });

      test('is silent and starts nothing when the session is not held', () => {
        writeScript(ECHO);
        expect(run(line, env(), shell)).toEqual(SILENCE);
      });

      test('is silent when there is no untildone home at all', () => {
        rmSync(home, { recursive: true });
        expect(run(line, env(), shell)).toEqual(SILENCE);
        expect(existsSync(home)).toBe(false);
      });

      test('is silent when HOME is unset or empty', () => {
        expect(run(line, { CLAUDE_CODE_SESSION_ID: SESSION }, shell)).toEqual(SILENCE);
        expect(run(line, { HOME: '', CLAUDE_CODE_SESSION_ID: SESSION }, shell)).toEqual(SILENCE);
      });

      test('asks the hook whose event it is when the session is not named, if there is any marker', () => {
        writeScript(ECHO);
        const unnamed: Record<string, string>[] = [
          {},
          { CLAUDE_CODE_SESSION_ID: '' },
          { CLAUDE_CODE_SESSION_ID: '.' },
        ];
        for (const more of unnamed) expect(run(line, { HOME: root, ...more }, shell, 'x')).toEqual(SILENCE);
        activate();
        for (const more of unnamed)
          expect(run(line, { HOME: root, ...more }, shell, 'x')).toEqual({ ...SILENCE, out: GOT_X });
      });

      test('leaves other sessions alone', () => {
        writeScript(ECHO);
        activate(home, 'another-session');
        expect(run(line, env(), shell)).toEqual(SILENCE);
      });

      test('hands stdin to the hook of a held session and answers with its exit code', () => {
        writeScript(`${ECHO} process.exitCode = 2;`);
        activate();
        expect(run(line, env(), shell, 'an event')).toEqual({
          code: 2,
          out: '{"got":"an event"}\n',
          err: '',
        });
      });

      test.each(["it's here", 'two  words', '"quoted" $HOME `x`', 'back\\slash', '-dash', 'new\nline'])(
        'works in a home called %j',
        (name) => {
          const odd = join(root, name);
          mkdirSync(join(odd, 'active'), { recursive: true });
          mkdirSync(join(odd, 'sessions'));
          writeScript(ECHO, process.execPath, odd);
          activate(odd);
          const environment = { UNTILDONE_HOME: odd, CLAUDE_CODE_SESSION_ID: SESSION };
          expect(run(line, environment, shell, 'x')).toEqual({ code: 0, out: GOT_X, err: '' });
        },
      );

      test('prefers UNTILDONE_HOME to the home in HOME, and an empty one is as none', () => {
        writeScript(ECHO);
        activate();
        expect(run(line, { ...env(), UNTILDONE_HOME: join(root, 'elsewhere') }, shell)).toEqual(SILENCE);
        expect(run(line, { ...env(), UNTILDONE_HOME: '' }, shell, 'x').out).toBe(GOT_X);
      });

      test('a script that is missing, a folder, or broken is told, and never refuses', () => {
        activate();
        writeScript(ECHO);
        const script = join(home, 'hook.sh');
        const told = () => {
          rmSync(join(home, 'active', `${SESSION}.unheld`), { force: true });
          const { code, out } = run(line, env(), shell);
          expect({ code, ...JSON.parse(out) }).toEqual({
            code: 0,
            systemMessage: expect.stringContaining('hook.sh in its home is missing or broken'),
          });
        };
        rmSync(script);
        told();
        for (const text of ['if then', '', '# half']) {
          writeFileSync(script, text);
          told();
        }
        rmSync(script);
        mkdirSync(script);
        told();
        rmSync(join(home, 'active', SESSION));
        expect(run(line, env(), shell)).toEqual(SILENCE);
      });

      test('of which both scripts are missing is silent', () => {
        activate();
        expect(run(line, env(), shell)).toEqual(SILENCE);
      });
    });

    describe('at SessionStart', () => {
      const env = (more: Record<string, string> = {}) => ({
        HOME: root,
        CLAUDE_CODE_SESSION_ID: SESSION,
        CLAUDE_PROJECT_DIR: '/home/dev/my project',
        CLAUDE_PID: '4711',
        ...more,
      });
      const record = () => readFileSync(join(home, 'sessions', `${SESSION}.at`), 'utf8');
      beforeEach(() => void writeScript(ECHO));

      test('keeps the project and the client of the session, for this user only', () => {
        expect(run(`umask 000;${SESSION_START_LINE}`, env(), shell)).toEqual(SILENCE);
        expect(record()).toBe('/home/dev/my project\n4711\n');
        expect(statSync(join(home, 'sessions', `${SESSION}.at`)).mode & 0o777).toBe(0o600);
      });

      test('writes it anew when the session is resumed by another client', () => {
        run(SESSION_START_LINE, env(), shell);
        run(SESSION_START_LINE, env({ CLAUDE_PID: '42' }), shell);
        expect(parseSessionRecord(record())).toEqual({ project: '/home/dev/my project', pid: 42 });
      });

      test('keeps a project whose name holds quotes, percent signs and line ends', () => {
        const project = `/a%s/it's "b"\n$(c)\\n`;
        expect(run(SESSION_START_LINE, env({ CLAUDE_PROJECT_DIR: project }), shell)).toEqual(SILENCE);
        expect(parseSessionRecord(record())).toEqual({ project, pid: 4711 });
      });

      test('writes nothing for a session id that is no plain word', () => {
        for (const id of ['../escape', 'a/b', 'a b', '*', '']) {
          expect(run(SESSION_START_LINE, env({ CLAUDE_CODE_SESSION_ID: id }), shell)).toEqual(SILENCE);
        }
        expect(readdirSync(join(home, 'sessions'))).toEqual([]);
        expect(readdirSync(root)).toEqual(['.untildone']);
      });

      test('is silent when the record cannot be written', () => {
        const place = join(home, 'sessions', `${SESSION}.at`);
        mkdirSync(place);
        expect(run(SESSION_START_LINE, env(), shell)).toEqual(SILENCE);
        rmSync(place, { recursive: true });
        execFileSync('mkfifo', [place]);
        expect(run(SESSION_START_LINE, env(), shell)).toEqual(SILENCE);
      });

      test('leaves the umask of the hook alone', () => {
        writeScript(`process.stdout.write(process.umask().toString(8)); ${ENDS}`);
        activate();
        expect(run(`umask 022;${SESSION_START_LINE}`, env(), shell).out).toBe('22\n');
      });
    });

    describe('the script', () => {
      const env = (more: Record<string, string> = {}) => ({
        HOME: root,
        CLAUDE_CODE_SESSION_ID: SESSION,
        ...more,
      });

      function program(name: string, text: string): string {
        const folder = join(root, 'bin');
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
        return folder;
      }

      test('says once a session that node is missing, and lets the session go', () => {
        writeScript(ECHO, '/nonexistent/bin/node');
        activate();
        const first = run(ANY_LINE, env(), shell);
        expect(first).toMatchObject({ code: 0, err: '' });
        const { systemMessage } = JSON.parse(first.out) as { systemMessage: string };
        expect(systemMessage).toMatch(
          /^untildone: node was not found.*\/nonexistent\/bin\/node.*NOT being held/,
        );
        expect(run(ANY_LINE, env(), shell)).toEqual(SILENCE);
        activate(home, 'second');
        expect(run(ANY_LINE, env({ CLAUDE_CODE_SESSION_ID: 'second' }), shell).out).toBe(first.out);
      });

      test('runs the node on PATH when the recorded one is gone', () => {
        const entry = writeScript(ECHO, '/nonexistent/bin/node');
        activate();
        const PATH = program('node', 'echo "from PATH: $*"; exit 64');
        expect(run(ANY_LINE, env({ PATH }), shell)).toEqual({
          code: 0,
          out: `from PATH: ${entry} hook\n`,
          err: '',
        });
      });

      test('prefers the recorded node, which is known to be new enough, to the one on PATH', () => {
        writeScript(ECHO);
        activate();
        const PATH = program('node', 'echo old');
        expect(run(ANY_LINE, env({ PATH }), shell, 'x').out).toBe(GOT_X);
      });

      test('says once a session that the hook is gone, and names the cure', () => {
        const entry = writeScript(undefined);
        activate();
        const first = run(ANY_LINE, env(), shell);
        expect(first).toMatchObject({ code: 0, err: '' });
        const { systemMessage } = JSON.parse(first.out) as { systemMessage: string };
        expect(systemMessage).toContain(`${entry} is gone`);
        expect(systemMessage).toContain('NOT being held');
        expect(systemMessage).toContain('untildone install');
        expect(run(ANY_LINE, env(), shell)).toEqual(SILENCE);
      });

      test('runs no untildone on PATH when the hook is gone: nobody chose that program', () => {
        const entry = writeScript(undefined);
        activate();
        const PATH = program('untildone', 'read -r line; echo "untildone $1: $line"');
        expect(run(ANY_LINE, env({ PATH }), shell, 'event\n').out).toContain(`${entry} is gone`);
      });

      test('hides NODE_EXTRA_CA_CERTS from node and keeps it under another name', () => {
        writeScript(
          'const { NODE_EXTRA_CA_CERTS: node, UNTILDONE_EXTRA_CA_CERTS: kept } = process.env;' +
            `console.log(JSON.stringify({ node, kept })); ${ENDS}`,
        );
        activate();
        const withIt = run(ANY_LINE, env({ NODE_EXTRA_CA_CERTS: "/my certs/it's.pem" }), shell);
        expect(JSON.parse(withIt.out)).toEqual({ kept: "/my certs/it's.pem" });
        expect(JSON.parse(run(ANY_LINE, env(), shell).out)).toEqual({});
      });

      test.each(["it's", '"a" \\n $(touch x) `y`', 'ünï\ncode'])('quotes paths like %j', (name) => {
        const folder = join(root, name);
        mkdirSync(folder);
        const hookEntry = join(folder, 'hook.cjs');
        writeFileSync(join(home, 'hook.sh'), hookScript({ nodePath: join(folder, 'node'), hookEntry }));
        writeFileSync(join(home, 'hold.sh'), holdScript());
        activate();
        const { systemMessage } = JSON.parse(run(ANY_LINE, env(), shell).out) as { systemMessage: string };
        expect(systemMessage).toContain(join(folder, 'node'));
        writeFileSync(hookEntry, ECHO);
        writeFileSync(join(home, 'hook.sh'), hookScript({ nodePath: process.execPath, hookEntry }));
        expect(run(ANY_LINE, env(), shell, 'x').out).toBe(GOT_X);
        expect(readdirSync(root).sort()).toEqual(['.untildone', name].sort());
      });
    });
  },
);

test.each([
  ['a loop that may have been left behind is looked for', '.loops'],
  ['where a project with a trusted contract stands is kept', '.trusted'],
])('%s when a session begins, and only then', (_, marker) => {
  writeScript(ECHO);
  const env = { HOME: root, CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_PROJECT_DIR: '/a project' };
  expect(run(SESSION_START_LINE, env, ['/bin/sh'], 'x')).toEqual(SILENCE);
  mkdirSync(join(home, 'standing/a project'), { recursive: true });
  writeFileSync(join(home, `standing/a project/${marker}`), '/a/loop\n');
  expect(run(SESSION_START_LINE, env, ['/bin/sh'], 'x').out).toBe(GOT_X);
  expect(run(ANY_LINE, env, ['/bin/sh'], 'x')).toEqual(SILENCE);
});

test('the lines of all versions are recognised as ours, and lines of others are not', () => {
  const settings = readFileSync(join(import.meta.dirname, '../../fixtures/settings/0.1.0.json'), 'utf8');
  const { hooks } = JSON.parse(settings) as { hooks: Record<string, { hooks: { command: string }[] }[]> };
  const old = Object.values(hooks).flatMap((groups) => groups.flatMap((group) => group.hooks));
  expect(old).toHaveLength(16);
  expect(old.map(({ command }) => isOurLine(command))).toEqual(old.map(() => true));
  expect(old.filter(({ command }) => isOtherToolsLine(command))).toHaveLength(1);
  for (const line of [HOOK_LINE, ANY_LINE, SESSION_START_LINE, OTHER_TOOLS_LINE])
    expect(isOurLine(line)).toBe(true);
  expect(isOurLine('~/.untildone-notes/hook.sh')).toBe(false);
  expect(isOurLine('untildone hook')).toBe(false);
});

test('the lines are short and name neither machine nor user', () => {
  for (const line of [HOOK_LINE, ANY_LINE, SESSION_START_LINE, OTHER_TOOLS_LINE]) {
    expect(line.length).toBeLessThan(140);
    expect(line).not.toContain('\n');
  }
});

test('a torn or foreign session record is none', () => {
  for (const text of ['', '/p', '/p\n', '/p\n12', '\n12\n', '/p\n0\n', '/p\nabc\n']) {
    expect(parseSessionRecord(text)).toBeUndefined();
  }
});

test('the line for tools that change nothing goes on only where the rules of the project speak of them', () => {
  writeScript(ECHO);
  writeFileSync(join(home, 'active', SESSION), '');
  const environment = { HOME: root, CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_PROJECT_DIR: '/a project' };
  expect(run(OTHER_TOOLS_LINE, environment)).toEqual(SILENCE);
  mkdirSync(join(home, 'standing/a project'), { recursive: true });
  writeFileSync(join(home, 'standing/a project/.tools'), '');
  expect(run(OTHER_TOOLS_LINE, environment, ['/bin/sh'], 'x').out).toBe(GOT_X);
  const ours = [HOOK_LINE, SESSION_START_LINE, OTHER_TOOLS_LINE];
  expect(ours.map(isOtherToolsLine)).toEqual([false, false, true]);
  expect(isOurLine(OTHER_TOOLS_LINE)).toBe(true);
});
