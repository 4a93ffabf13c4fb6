import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadProgram, type Program, runCli } from '../../support/in-process.ts';

/** Calls that are refused before a queue is asked for anything. */

let program: Program;
let folder: string;
beforeAll(async () => {
  program = await loadProgram();
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-refused-')));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: join(folder, 'checkout') });
  mkdirSync(join(folder, 'checkout'));
  git('init', '-q');
  mkdirSync(join(folder, 'with-token'));
  execFileSync('git', ['init', '-q'], { cwd: join(folder, 'with-token') });
  const origin = 'https://me:ghp_0123456789abcdef0123@host/owner/name.git';
  execFileSync('git', ['remote', 'add', 'origin', origin], { cwd: join(folder, 'with-token') });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const QUEUE = 'redis://127.0.0.1:1';
const call = (args: string[], more: { cwd?: string; env?: Record<string, string> } = {}) => {
  const env = { PATH: process.env.PATH ?? '', HOME: folder, UNTILDONE_QUEUE: QUEUE, ...more.env };
  return runCli(program, args, { line: '', env, cwd: join(folder, more.cwd ?? '.'), input: '', limitMs: 0 });
};
const REPO = ['--repo', 'https://host/owner/name.git'];

describe('submit', () => {
  test.each<[string[], string]>([
    [['x'], 'no repository is named, and this folder is in none: type --repo'],
    [['x', '--repo', 'https://me:secret@host/a.git'], 'must not hold a password or a token'],
    [['x', '--repo', 'https://ghp_0123456789abcdef0123@host/a.git'], 'must not hold a password or a token'],
    [['x', '--repo', 'ext::sh -c evil'], 'runs a program of its own'],
    [['x', '--repo', '-oProxyCommand=evil'], 'is no repository'],
    [['x', ...REPO, '--labels', 'a b'], '"a b" is no label'],
    [['x', ...REPO, '--env', 'TOKEN=geheim'], 'type --env TOKEN, and set it where the worker runs'],
    [['x', ...REPO, '--env', 'UNTILDONE_QUEUE'], 'no run gets it'],
    [['x', ...REPO, '--folder', '../up'], 'is no folder in the repository'],
    [['x', ...REPO, '--priority', '-1'], 'Type a whole number from 0'],
    [['x', ...REPO, '--count', '0'], 'Type a whole number from 1'],
    [['x', ...REPO, '--attempts', 'many'], 'Type a whole number from 1'],
    [['x', ...REPO, '--key', ' '], 'a key has 1 to 200 characters'],
    [['x', ...REPO, '--at', 'soon'], '"soon" is no time'],
    [['x', ...REPO, '--every', '1s'], 'too often'],
    [['x', ...REPO, '--cron', '* * *'], 'has 3 fields'],
    [['x', ...REPO, '--cron', '0 * * * *', '--every', '1h'], 'name one of them'],
    [['x', ...REPO, '--every', '1h', '--wait'], 'leave --at, --key and --wait out'],
    [['x', ...REPO, '--name', 'n'], '--name is the name of a schedule'],
    [['x', ...REPO, '--every', '1h', '--name', 'a/b'], 'is no name of a schedule'],
    [['x', ...REPO, '--each'], 'name the list with --features'],
    [['x', ...REPO, '--max-cost', '+5'], 'name the run (untildone fleet retry RUN)'],
    [['x', ...REPO, '--contract', 'none.yaml'], 'cannot read the contract'],
    [['x', ...REPO, '--prompt-file', 'none.md'], 'not both'],
    [[...REPO, '--prompt-file', 'none.md'], 'cannot read the prompt file'],
    [['x', ...REPO, '--queue', 'amqp://host'], 'begins with redis or rediss'],
  ])('%j', async (args, problem) => {
    const { stdout, stderr, exitCode } = await call(['submit', ...args]);
    expect(stderr).toContain(problem);
    expect(stderr).not.toMatch(/geheim|secret@|ghp_|\n {4}at /);
    expect([stdout, exitCode]).toEqual(['', 2]);
  });

  test('a checkout without a remote, and one whose remote holds a token', async () => {
    expect((await call(['submit', 'x'], { cwd: 'checkout' })).stderr).toContain(
      'has no remote called origin',
    );
    const { stderr } = await call(['submit', 'x'], { cwd: 'with-token' });
    expect(stderr).toContain('must not hold a password or a token');
    expect(stderr).not.toContain('ghp_');
  });

  test('is for a person', async () => {
    const { stderr, exitCode } = await call(['submit', 'x', ...REPO], { env: { CLAUDECODE: '1' } });
    expect([stderr, exitCode]).toEqual([expect.stringContaining('"untildone submit" is for a person'), 2]);
  });
});

describe('fleet', () => {
  test.each<[string[], string]>([
    [['pause'], 'name a run, or the whole fleet with --all'],
    [['pause', 'r1', '--all'], 'name a run, or the whole fleet with --all'],
    [['drain'], 'name a worker, or all of them with --all'],
    [['list', '--state', 'odd'], 'there is no state "odd"; there are: active, dead, waiting, delayed, ended'],
    [['list', '--limit', '0'], 'Type a whole number from 1'],
    [['prune', '--older', 'long'], 'Type a time like 30d'],
    [['reconcile', '--repo', 'https://a:b@c/d'], 'must not hold a password'],
    [['stauts'], "unknown command 'stauts' (Did you mean status?)"],
  ])('%j', async (args, problem) => {
    const { stdout, stderr, exitCode } = await call(['fleet', ...args]);
    expect(stderr).toContain(problem);
    expect([stdout, exitCode]).toEqual(['', 2]);
  });

  test('without a queue says what to set, as JSON, too', async () => {
    const env = { UNTILDONE_QUEUE: '' };
    expect((await call(['fleet', 'status'], { env })).stderr).toContain(
      'set UNTILDONE_QUEUE, or type --queue',
    );
    const { stderr } = await call(['fleet', 'status', '--json'], { env });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage', exit_code: 2 } });
  });

  test.each(['pause', 'resume', 'cancel', 'retry', 'remove', 'approve', 'reject', 'unschedule', 'drain'])(
    '%s is for a person',
    async (command) => {
      const { stderr } = await call(['fleet', command, 'r1'], { env: { CLAUDECODE: '1' } });
      expect(stderr).toContain(`"untildone fleet ${command}" is for a person`);
    },
  );
});

test('the secret is made once, kept from others, and shown only when asked for', async () => {
  const env = { UNTILDONE_HOME: join(folder, 'home') };
  const made = await call(['fleet', 'secret'], { env });
  expect(made.stdout).toContain(`Made the secret of the fleet in ${join(folder, 'home', 'fleet-secret')}`);
  expect(made.stdout).not.toMatch(/[0-9a-f]{64}/);
  const { stdout } = await call(['fleet', 'secret', '--show'], { env });
  expect(stdout).toMatch(/^[0-9a-f]{64}\n$/);
  const json = JSON.parse((await call(['fleet', 'secret', '--json'], { env })).stdout);
  expect(json).toEqual({ where: join(folder, 'home', 'fleet-secret'), made: false });
  const bad = await call(['fleet', 'secret'], { env: { ...env, UNTILDONE_FLEET_SECRET: 'short' } });
  expect(bad.stderr).toContain('UNTILDONE_FLEET_SECRET does not hold the secret of a fleet');
  expect(existsSync(join(folder, 'home', 'fleet-secret'))).toBe(true);
});
