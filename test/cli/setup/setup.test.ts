import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadProgram, type Program, runCli } from '../../support/in-process.ts';

let program: Program;
let folder: string;
let project: string;
let env: Record<string, string>;

beforeAll(async () => {
  program = await loadProgram();
});
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "untildone 'setup'-")));
  project = join(folder, 'a project');
  env = { PATH: process.env.PATH ?? '', HOME: join(folder, 'home') };
  for (const name of ['home', 'program']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'program', 'untildone.cjs'), '//\n');
  mkdirSync(project);
  git('init', '-q');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: project, env: { ...env, GIT_CONFIG_NOSYSTEM: '1' } });
}

function write(path: string, text: string): void {
  mkdirSync(join(project, path, '..'), { recursive: true });
  writeFileSync(join(project, path), text);
}

/** No proof: that is for the live tests. */
async function run(args: string[], more: { cwd?: string; env?: Record<string, string> } = {}) {
  const command = { line: '', env: { ...env, ...more.env }, cwd: more.cwd ?? project, input: '', limitMs: 0 };
  const bin = join(folder, 'program', 'untildone.cjs');
  const { exitCode: code = 0, stdout, stderr } = await runCli(program, args, command, bin);
  return { code, stdout, stderr };
}
const setup = (args: string[] = [], more = {}) => run(['setup', '--no-proof', ...args], more);
const plan = async (...args: string[]) => JSON.parse((await setup(['--json', ...args])).stdout);
async function accepted(...args: string[]) {
  const { fingerprint } = await plan('--no-gates', ...args);
  return setup(['--no-gates', ...args, '--yes', '--accept', fingerprint]);
}
const refused = async (...args: Parameters<typeof setup>) => {
  const { code, stdout, stderr } = await setup(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^untildone: [^\n]+\n$/);
  return stderr;
};

/** Everything in the project but git's own files, with its text. */
function files(): Record<string, string> {
  const paths = readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.git'))
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(path, 'utf8')]));
}

const TESTED = '{"scripts": {"test": "exit 1"}}';
const CONTRACT = 'gates: { tests: { run: "touch ran" } }\n';

describe('without a terminal and without a yes', () => {
  test('the plan is shown with what each gate costs, and nothing is done', async () => {
    write('Makefile', 'test:\n\texit 1\n');
    const before = files();
    const { code, stdout } = await setup();
    expect(code).toBe(1);
    const fingerprint = /^Fingerprint: ([0-9a-f]{64})$/m.exec(stdout)?.[1];
    expect(stdout).toMatch(/^ {2}fail +tests +\d+\.\d s {2}`make test` fails with exit code 2$/m);
    expect(stdout).toContain('Fails before any work: tests\n');
    expect(stdout).toContain('Proposed: done when tests, tidy, intact, honest pass. All of it: --show\n');
    expect(stdout).toContain('Known failures: tests. They hold nobody until they have passed once.\n');
    expect(stdout).toContain('Left out: proof: the command that it compares fails as a whole\n');
    expect((await setup(['--show'])).stdout).toContain('  known_failures:\n    - { gate: tests, since: ');
    expect(stdout).toContain('Nothing was done.\n');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      `To do exactly this without being asked: untildone setup --no-proof --yes --accept ${fingerprint}`,
    );
    expect(files()).toEqual(before);
    expect((await run(['status', '--json'])).stdout).toContain('no hooks of untildone are installed');
  });

  test('a contract that came with the project runs nothing before you agree', async () => {
    write('untildone.yaml', CONTRACT);
    const { code, stdout } = await setup();
    expect(code).toBe(1);
    expect(stdout).toContain('Its gates are run once when you have agreed.');
    expect(existsSync(join(project, 'ran'))).toBe(false);
    expect(await plan()).toMatchObject({ result: 'nothing_done', gates: [], trusted: false });
  });

  test.each([
    [['--yes'], '--yes needs --accept'],
    [['--accept', 'x'], 'add --yes'],
    [['--accept'], "option '--accept <sha>' argument missing"],
    [['--yes', '--accept', '0'.repeat(64)], 'something was changed since you looked, so nothing was done'],
    [['--scope', 'world'], 'Allowed choices are project, local, user'],
  ])('%j is refused', async (args, words) => {
    write('package.json', TESTED);
    const before = files();
    expect(await refused(args)).toContain(words);
    expect(files()).toEqual(before);
  });

  test('a fingerprint of earlier does nothing when a command has changed since', async () => {
    write('package.json', TESTED);
    const { fingerprint } = await plan('--no-gates');
    write('package.json', '{"scripts": {"test": "curl evil"}}');
    expect(await refused(['--yes', '--accept', fingerprint])).toContain('something was changed');
    expect(existsSync(join(project, 'untildone.yaml'))).toBe(false);
  });

  test('inside Claude Code the plan can be seen, but not agreed to', async () => {
    write('package.json', TESTED);
    const inside = { env: { CLAUDECODE: '1' } };
    expect((await setup(['--no-gates'], inside)).code).toBe(1);
    const { fingerprint } = await plan('--no-gates');
    expect(await refused(['--yes', '--accept', fingerprint], inside)).toContain('is for a person');
    expect(await refused(['--undo'], inside)).toContain('is for a person');
  });
});

describe('with the fingerprint that was shown', () => {
  test.each(['project', 'local', 'user'] as const)(
    'contract, trust and hooks are there (%s); a second time changes nothing; undo takes all back',
    async (scope) => {
      write('package.json', TESTED);
      write('.claude/settings.json', '{"model": "opus"}\n');
      const before = files();
      const { code, stdout, stderr } = await accepted('--scope', scope);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(
        /^Wrote untildone\.yaml\..*\nTrusted\.\nAdded the hooks to .*settings.*json\.$/m,
      );
      expect(stdout).toContain('\nNext: claude\n  and type there: Run untildone start "what is to be done"');
      expect(JSON.parse((await run(['status', '--json'])).stdout).hooks).toEqual({
        would_run: true,
        problem: null,
      });
      const after = files();
      const again = await plan('--scope', scope, '--no-gates');
      expect(again).toMatchObject({ result: 'already_set_up', trusted: true, hooks: { installed: true } });
      expect((await setup(['--scope', scope, '--no-gates'])).code).toBe(0);
      expect(files()).toEqual(after);
      const undone = await run(['setup', '--undo']);
      expect(undone).toMatchObject({ code: 0, stderr: '' });
      expect(undone.stdout).toContain('Removed untildone.yaml, which setup had written.');
      expect(files()).toEqual(before);
      expect(await plan('--no-gates')).toMatchObject({ result: 'nothing_done', trusted: false });
      expect((await run(['setup', '--undo'])).code).toBe(1);
    },
  );

  test('a contract that is there is used as it is, judged after you agreed, and stays when all is taken back', async () => {
    write('untildone.yaml', CONTRACT);
    write('.gitignore', 'ran\n');
    const { fingerprint } = await plan();
    const { stdout } = await setup(['--yes', '--accept', fingerprint]);
    expect(stdout).toContain('untildone.yaml: is here, and is used as it is.');
    expect(stdout).toMatch(/^ {2}pass +tests +\d+\.\d s/m);
    expect(existsSync(join(project, 'ran'))).toBe(true);
    const undone = (await run(['setup', '--undo'])).stdout;
    expect(undone).toContain('Kept untildone.yaml: setup did not write it.');
    expect(readFileSync(join(project, 'untildone.yaml'), 'utf8')).toBe(CONTRACT);
  });

  test('what you changed, installed or trusted yourself is not taken back, and it says so', async () => {
    write('package.json', TESTED);
    await run(['install']);
    await accepted();
    write('untildone.yaml', CONTRACT);
    const shown = (await run(['trust', '--show'])).stdout;
    await run(['trust', '--fingerprint', /^Fingerprint: (\w+)$/m.exec(shown)?.[1] ?? '']);
    const { stdout } = await run(['setup', '--undo']);
    expect(stdout).toContain('Took back the trust in the contract.');
    expect(stdout).toContain('Kept your trust in contracts of this project that you gave otherwise.');
    expect(stdout).toContain('Kept untildone.yaml: it was changed since setup wrote it.');
    expect(stdout).not.toContain('settings.json');
    expect(readFileSync(join(project, '.claude/settings.json'), 'utf8')).toContain('UNTILDONE_HOME');
    expect(await plan('--no-gates')).toMatchObject({ result: 'already_set_up' });
  });

  test('hooks of your own settings stay while another project needs them', async () => {
    write('package.json', TESTED);
    await accepted('--scope', 'user');
    const first = project;
    project = join(folder, 'another');
    mkdirSync(project);
    write('package.json', TESTED);
    await accepted('--scope', 'user');
    project = first;
    const { stdout } = await run(['setup', '--undo']);
    expect(stdout).toContain('they hold sessions of other projects, too (another)');
    expect(readFileSync(join(folder, 'home/.claude/settings.json'), 'utf8')).toContain('UNTILDONE_HOME');
  });

  // As a kill between two steps leaves it: each step that was done is found, the rest is done.
  test.each<[string, RegExp, (made: { contract: string }) => Promise<unknown>]>([
    [
      'the contract alone',
      /^untildone\.yaml: is here/m,
      async ({ contract }) => write('untildone.yaml', contract),
    ],
    [
      'contract and trust',
      /^What it runs is trusted already\.$/m,
      async ({ contract }) => {
        write('untildone.yaml', contract);
        const { fingerprint } = await plan('--no-gates');
        await run(['trust', '--fingerprint', fingerprint]);
      },
    ],
    ['the hooks alone', /^The hooks are in .* already\.$/m, () => run(['install'])],
  ])('after an interruption that left %s, it says so, and the rest is done', async (_, said, left) => {
    write('package.json', TESTED);
    const { contract } = await plan('--no-gates');
    await left({ contract: contract.text });
    const { code, stdout } = await accepted();
    expect(code).toBe(0);
    expect(stdout).toMatch(said);
    expect(stdout).toContain('Next: claude');
    expect(await plan('--no-gates')).toMatchObject({ result: 'already_set_up' });
  });
});

describe('a clear line in', () => {
  const notes = async (more = {}) =>
    JSON.parse((await setup(['--json', '--no-gates'], more)).stdout).notes as string[];

  test('a folder without git, without tests', async () => {
    rmSync(join(project, '.git'), { recursive: true });
    expect(await notes()).toEqual([
      expect.stringContaining('This is no git repository.'),
      expect.stringContaining('No command that tests this project was found'),
    ]);
  });

  test('a machine without git', async () => {
    write('package.json', TESTED);
    expect(await notes({ env: { PATH: '/nonexistent' } })).toEqual([
      expect.stringContaining('git was not found on PATH'),
    ]);
  });

  test('a folder of a project', async () => {
    write('package.json', TESTED);
    write('src/a.js', '');
    const cwd = join(project, 'src');
    expect(await notes({ cwd })).toEqual([
      `This folder is a part of ${project}. Claude Code has to be started there.`,
    ]);
    const { fingerprint } = await plan('--no-gates');
    const { stdout } = await setup(['--no-gates', '--yes', '--accept', fingerprint], { cwd });
    expect(stdout).toContain(`Next: cd '${project.replaceAll("'", "'\\''")}' && claude`);
    expect(existsSync(join(project, 'untildone.yaml'))).toBe(true);
  });

  test('a project with an active loop; it cannot be undone under it', async () => {
    write('untildone.yaml', 'gates: { tests: { run: exit 1 } }\n');
    await accepted();
    const started = (await run(['start', 'a task', '--session', 's1'])).stdout;
    const loop = /^Loop (\S+) started/m.exec(started)?.[1] ?? '?';
    expect(await notes()).toEqual([expect.stringContaining(`A loop is active here (${loop})`)]);
    expect(await refused(['--undo'])).toContain(`untildone cancel ${loop}`);
    await run(['cancel', loop]);
    expect((await run(['setup', '--undo'])).code).toBe(0);
  });

  test('a home folder', async () => {
    expect(await refused([], { cwd: env.HOME })).toContain('is your home folder, not a project');
    // A home in git counts as the project of every folder below.
    mkdirSync(join(folder, 'home/.git'));
    mkdirSync(join(folder, 'home/work'));
    expect(await refused([], { cwd: join(folder, 'home/work') })).toContain('make it one with git init');
  });

  test.each<[string, () => void, string]>([
    ['settings that are read-only', () => readOnly('.claude/settings.json', '{}'), 'is read-only'],
    ['settings that are no JSON', () => write('.claude/settings.json', '{ no'), 'settings.json:1:3'],
    ['a contract with a mistake', () => write('untildone.yaml', 'gates: 5\n'), 'untildone.yaml:1:8'],
    ['a contract with another name', () => write('untildone.yml', CONTRACT), 'rename it'],
    [
      'a link to nowhere for a contract',
      () => symlinkSync('/nonexistent/x', join(project, 'untildone.yaml')),
      'leads nowhere',
    ],
  ])('%s: nothing is done', async (_, make, words) => {
    write('package.json', TESTED);
    make();
    const before = files();
    expect(await refused(['--no-gates'])).toContain(words);
    expect(await refused(['--yes', '--accept', 'x'])).toContain(words);
    expect(files()).toEqual(before);
  });

  function readOnly(path: string, text: string): void {
    write(path, text);
    chmodSync(join(project, path), 0o444);
  }
});

test('called by npx, it says npx in what to type', async () => {
  write('package.json', TESTED);
  const { stdout } = await setup(['--no-gates'], { env: { npm_command: 'exec' } });
  expect(stdout).toContain(': npx untildone setup --no-proof --no-gates --yes --accept ');
});
