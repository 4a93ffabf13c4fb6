import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/files/workers.ts';
import { loadProgram, type Program, runCli } from '../support/in-process.ts';

/** Commands that only show something leave every file as it was, and make no home. */

let program: Program;
beforeAll(async () => {
  program = await loadProgram();
});

const SHOW = [
  ['--help'],
  ['--version'],
  ['help', 'status'],
  ['status'],
  ['status', '--json'],
  ['status', '--all', '--ended'],
  ['stats'],
  ['stats', '--all', '--json'],
  ['log'],
  ['log', '--json'],
  ['receipt'],
  ['receipt', 'verify', 'untildone.yaml'],
  ['trust', '--show'],
  ['lessons'],
  ['lock', 'status'],
  ['lock', 'status', '--json'],
  ['state', 'show', 's1'],
  ['import'],
  ['import', '--from', 'harness', '--dry-run'],
  ['install', '--dry-run'],
  ['uninstall', '--dry-run'],
  ['prune', '--dry-run'],
];

let folder: string;
let project: string;
let env: Record<string, string>;

beforeEach(() => {
  folder = realpathSync(temporaryFolder());
  project = join(folder, 'project');
  mkdirSync(join(project, '.claude'), { recursive: true });
  env = { PATH: process.env.PATH ?? '', HOME: folder };
  execFileSync('git', ['init', '-q'], { cwd: project, env: { ...env, GIT_CONFIG_NOSYSTEM: '1' } });
  writeFileSync(join(project, 'untildone.yaml'), 'gates: { tests: { run: "true" } }\n');
  writeFileSync(
    join(project, '.claude/ralph-loop.local.md'),
    '---\nactive: true\niteration: 1\nmax_iterations: 5\ncompletion_promise: "X"\n---\nwork\n',
  );
});

/** Every path below a folder, with what it is and when it was changed. */
function filesOf(path: string, below = ''): string[] {
  return readdirSync(join(path, below)).flatMap((name) => {
    const at = join(below, name);
    const stat = lstatSync(join(path, at));
    const what = `${at} ${stat.mode} ${stat.mtimeMs}`;
    return stat.isDirectory()
      ? [what, ...filesOf(path, at)]
      : [`${what} ${readFileSync(join(path, at), 'utf8')}`];
  });
}

async function leavesAll(args: string[]): Promise<void> {
  const before = filesOf(folder);
  const command = { line: '', env, cwd: project, input: '', limitMs: 0 };
  const { exitCode, stderr } = await runCli(program, args, command);
  // Where there is nothing to show, that is said.
  if (exitCode !== 0) expect(stderr).toMatch(/no loop in this project|no receipt|not a receipt/);
  expect(filesOf(folder)).toEqual(before);
}

describe('where there is no home', () => {
  test.each(SHOW.map((args) => [args.join(' '), args] as const))('untildone %s', async (_, args) => {
    await leavesAll(args);
  });
});

describe('where there is one', () => {
  test('nothing in it, or in the project, is changed', async () => {
    const run = (args: string[]) =>
      runCli(program, args, { line: '', env, cwd: project, input: '', limitMs: 0 });
    const { stdout } = await run(['trust', '--show']);
    await run(['trust', '--fingerprint', /^Fingerprint: (\S+)$/m.exec(stdout)?.[1] ?? '']);
    const begun = await run(['start', '--session', 's1', '--promise', 'DONE', 'a task']);
    expect(begun.exitCode).toBe(0);
    // What SessionStart records; an old record may be swept away, but not by a command that shows something.
    writeFileSync(join(folder, '.untildone/sessions/old.at'), `${project}\n1\n`);
    execFileSync('touch', ['-d', '2020-01-01', join(folder, '.untildone/sessions/old.at')]);
    for (const args of SHOW) await leavesAll(args);
  });
});
