import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNear } from '../../../src/cli/help/problems.ts';
import { loadProgram, type Program, runCli } from '../../support/in-process.ts';

let program: Program;
let project: string;
let env: Record<string, string>;
beforeAll(async () => {
  program = await loadProgram();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-problems-')));
  project = join(folder, 'project');
  mkdirSync(project);
  env = { PATH: process.env.PATH ?? '', HOME: folder, CLAUDE_CODE_SESSION_ID: '' };
});
afterAll(() => rmSync(env.HOME ?? '', { recursive: true, force: true }));

const runIn = (more: Record<string, string>, ...args: string[]) =>
  runCli(program, args, { line: '', env: { ...env, ...more }, cwd: project, input: '', limitMs: 0 });
const run = (...args: string[]) => runIn({}, ...args);

describe('a wrong call gets one line that says what to type', () => {
  const CALLS: [string[], RegExp][] = [
    [['statsu'], /unknown command 'statsu' \(Did you mean one of stats, status\?\); untildone --help shows/],
    [['stop'], /\(Did you mean one of untildone pause, untildone cancel\?\)/],
    [['ls'], /\(Did you mean untildone status\?\)/],
    [['--status'], /unknown option '--status' \(Did you mean untildone status\?\)/],
    [['update'], /\(Did you mean untildone contract update\?\)/],
    [['version'], /\(Did you mean untildone --version\?\)/],
    [['xyzzy'], /unknown command 'xyzzy'; untildone --help shows what there is/],
    [
      ['status', '--jsno'],
      /unknown option '--jsno' \(Did you mean --json\?\); untildone status --help shows/,
    ],
    [['status', '--test'], /unknown option '--test'; untildone status --help shows/],
    [['lock', 'onn'], /unknown command 'onn' \(Did you mean on\?\); untildone lock --help shows/],
    [['lock', 'status', '--jsn'], /\(Did you mean --json\?\); untildone lock status --help shows/],
    [['receipt', 'verfiy'], /no loop "verfiy".*did you mean: untildone receipt verify\?/],
    [['receipt', 'kye'], /did you mean: untildone receipt key\?/],
    [['pause', 'a', 'b'], /too many arguments.*untildone pause --help shows/],
    [['verify', '--format', 'jsno'], /Allowed choices are text, json, github; untildone verify --help/],
    [['allow'], /missing required argument 'exception'; untildone allow --help/],
    [['pause', '--note'], /argument missing; untildone pause --help/],
    [['import', '--from', 'csh'], /Allowed choices are harness, command/],
    [
      ['import', '--from', 'lock', '--session', 's1'],
      /--from lock is gone: .*as they are.*untildone claim lock/,
    ],
    [['completion', 'csh'], /Allowed choices are bash, zsh, fish/],
    [['verify'], /there is no untildone.yaml.*untildone init/],
    [['log'], /no loop in this project yet; see: untildone status --all/],
  ];
  test.each(CALLS.map(([args, says]) => [args.join(' '), args, says] as const))(
    '%s',
    async (_, args, says) => {
      const { exitCode, stdout, stderr } = await run(...args);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toMatch(/^untildone: [^\n]+\n$/);
      expect(stderr).toMatch(says);
    },
  );

  test.each(CALLS.map(([args]) => [args.join(' '), args] as const))('%s --json: as JSON', async (_, args) => {
    const { exitCode, stdout, stderr } = await run(...args, '--json');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'usage', message: expect.any(String), exit_code: 2 },
    });
  });
});

test('mistakes of a contract are told one by one in JSON, and in one line each in words', async () => {
  writeFileSync(join(project, 'untildone.yaml'), 'gates: { a: { rnu: "true" }, b: { run: 3 } }\n');
  const { error } = JSON.parse((await run('verify', '--format', 'json')).stderr);
  expect(error).toMatchObject({ code: 'contract', exit_code: 2 });
  expect(error.problems.length).toBeGreaterThan(1);
  expect((await run('verify')).stderr).toMatch(/^untildone: \S.*\n(?: +.*\n)+$/);
});

test('a task that speaks of --json behind -- is no wish for JSON', async () => {
  expect((await run('start', '--', 'fix --json')).stderr).toMatch(/^untildone: no session to own the loop/);
});

describe('a word is near another', () => {
  const name = fc.stringMatching(/^[a-z]{3,8}$/);
  test('after one slip', () => {
    fc.assert(
      fc.property(name, fc.nat(), fc.constantFrom('drop', 'double', 'swap'), (word, place, slip) => {
        const at = place % (word.length - 1);
        const [a = '', b = ''] = [word[at], word[at + 1]];
        const slips = { drop: '', double: `${a}${a}${b}`, swap: `${b}${a}` };
        const typed = word.slice(0, at) + slips[slip as keyof typeof slips] + word.slice(at + 2);
        if (slip !== 'drop' && typed !== word) expect(isNear(word, typed)).toBe(true);
        if (slip === 'drop') expect(isNear(word, word.slice(0, at) + word.slice(at + 1))).toBe(true);
      }),
    );
  });

  test('and not when it is the same, or quite another', () => {
    expect(isNear('verify', 'verify')).toBe(false);
    expect(isNear('key', '20261115-140634-071700')).toBe(false);
    expect(isNear('verify', 'vfy')).toBe(false);
  });
});

test('colours are for a terminal, and for those who ask for them', async () => {
  const coloured = async (more: Record<string, string>, ...args: string[]) =>
    (await runIn(more, ...args)).stdout.includes('\u001b[');
  expect(await coloured({}, '--help')).toBe(process.stdout.isTTY === true);
  expect(await coloured({ FORCE_COLOR: '1' }, 'run', '--help')).toBe(true);
  expect(await coloured({ FORCE_COLOR: '1' }, '--no-color', '--help')).toBe(false);
  expect(await coloured({ FORCE_COLOR: '1', NO_COLOR: '1' }, '--help')).toBe(false);
  expect(await coloured({ FORCE_COLOR: '1' }, 'status', '--json')).toBe(false);
});

test('completion without a name is for the shell that SHELL names', async () => {
  expect((await runIn({ SHELL: '/usr/bin/fish' }, 'completion')).stdout).toContain('complete -c untildone');
  expect(await runIn({ SHELL: '/bin/tcsh' }, 'completion')).toMatchObject({ exitCode: 2, stdout: '' });
});
