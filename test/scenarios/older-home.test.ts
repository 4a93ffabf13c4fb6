/** A home and a project of an older version (made by fixtures/homes/make-0.1.0.sh), read and gone on with by this one. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HOOK_LINE } from '../../src/engine/home/hook-line.ts';

/** Journals hold absolute paths: the home works at the path where it was made, and nowhere else. */
const AT = '/tmp/untildone-0.1.0-home';
const FIXTURE = resolve(import.meta.dirname, '../fixtures/homes/0.1.0.tar.gz');
const HOME = join(AT, 'home/.untildone');
const PROJECT = join(AT, 'project');
const LOOPS = join(HOME, 'projects/project-4fdbdca57af6/loops');
const DONE = '20260518-025339-7c3d43';
const ACTIVE = '20260518-025343-5ae7f7';
const SESSION = '22222222-2222-4222-8222-222222222222';
const MENDED = 'exports.add = (a, b) => a + b;\n';

const env = { PATH: process.env.PATH, HOME: join(AT, 'home'), CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0' };

/** Makes the folder, and waits for its end where another run has it. */
async function takeFolder(): Promise<void> {
  for (;;) {
    try {
      mkdirSync(AT);
      return writeFileSync(join(AT, 'taken-by'), String(process.pid));
    } catch {
      if (isLeftBehind()) rmSync(AT, { recursive: true, force: true });
      else await sleep(200);
    }
  }
}

function isLeftBehind(): boolean {
  try {
    const owner = readFileSync(join(AT, 'taken-by'), 'utf8');
    // A run writes its name right after it made the folder.
    if (owner === '') return false;
    process.kill(Number(owner), 0);
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPERM') return false;
    const made = statSync(AT, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    return Date.now() - made > 5000;
  }
}

interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run(command: string, args: string[], more: Record<string, string> = {}, input = ''): Result {
  const options = { cwd: PROJECT, env: { ...env, ...more }, input, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(command, args, options);
  return { code: status, stdout, stderr };
}

function ok(...args: string[]): string {
  const { code, stdout, stderr } = run(process.execPath, [join(AT, 'package/dist/untildone.cjs'), ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** An event, as Claude Code sends it: through the line that the older version wrote into the settings. */
function send(event: Record<string, string>): Record<string, string> {
  const settings = JSON.parse(readFileSync(join(PROJECT, '.claude/settings.json'), 'utf8'));
  const line: string = settings.hooks[event.hook_event_name ?? ''][0].hooks[0].command;
  const input = JSON.stringify({ session_id: SESSION, cwd: PROJECT, ...event });
  const from = { CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_PROJECT_DIR: PROJECT };
  const { code, stdout, stderr } = run('/bin/sh', ['-c', line], from, input);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout === '' ? {} : (JSON.parse(stdout) as Record<string, string>);
}

const stop = (message: string) => send({ hook_event_name: 'Stop', last_assistant_message: message });
const mend = () => writeFileSync(join(PROJECT, 'a.js'), MENDED);
const hookScript = () => readFileSync(join(HOME, 'hook.sh'), 'utf8');
const compiledCode = () => readdirSync(HOME).filter((name) => name.endsWith('.code'));

// Where /tmp is a link, paths of the project are not those that the journals name.
describe.skipIf(realpathSync('/tmp') !== '/tmp')('a home of the version before', () => {
  beforeAll(takeFolder);
  afterAll(() => rmSync(AT, { recursive: true, force: true }));
  beforeEach(() => {
    for (const name of ['home', 'project', 'package'])
      rmSync(join(AT, name), { recursive: true, force: true });
    execFileSync('tar', ['-xzf', FIXTURE, '-C', AT, '--no-same-owner']);
    // The newer version, installed in the place of the older one.
    cpSync(resolve(import.meta.dirname, '../../dist'), join(AT, 'package/dist'), { recursive: true });
  });

  test('is what an older version leaves: another hook script, and compiled code', () => {
    expect(hookScript()).toContain('--preserve-symlinks-main --v8-pool-size=1 "$entry" hook');
    expect(compiledCode()).toEqual(['hook.code', 'judge.code']);
  });

  test('is read: its loops, their journals and the receipt', () => {
    const { loops } = JSON.parse(ok('status', '--json'));
    expect(loops).toMatchObject([
      { id: ACTIVE, session: SESSION, status: 'active', iteration: 2, task: 'mend add again', ending: null },
      { id: DONE, status: 'verified_done', iteration: 2, ending: { cause: 'gates_passed' } },
    ]);
    for (const loop of [DONE, ACTIVE]) {
      const log = ok('log', loop);
      expect(log).toContain('held, iteration 2 begins');
      expect(log).not.toMatch(/DAMAGED|BROKEN/);
    }
    expect(ok('log', DONE)).toContain('ended as verified_done');
    const receipt = join(LOOPS, DONE, 'receipt.json');
    expect(ok('receipt', 'verify', receipt)).toContain("signed with this machine's key");
    // Its tree is in the shadow repository: the project has become another one since.
    expect(ok('receipt', 'verify', receipt, '--rerun')).toMatch(/^same {2}tests: node test\/a\.test\.js/m);
  });

  test('holds its session by the line and the script of the older version, until the work is done', () => {
    expect(stop('not yet').reason).toMatch(/iteration 3 of 50.*Fails: tests.*Passes: intact/s);
    // The hook that the older script started brought it up to date.
    expect(hookScript()).not.toContain('--v8-pool-size=1');
    mend();
    expect(stop('done').systemMessage).toContain(`loop ${ACTIVE} done, and verified`);
    expect(JSON.parse(ok('status', '--json')).loops[0]).toMatchObject({
      id: ACTIVE,
      status: 'verified_done',
    });
    const receipt = join(LOOPS, ACTIVE, 'receipt.json');
    expect(ok('receipt', 'verify', receipt, '--rerun')).toContain("signed with this machine's key");
    expect(ok('log', ACTIVE)).not.toMatch(/DAMAGED|BROKEN/);
    expect(stop('again')).toEqual({});
  });

  test('guards its tests and its contract as before', () => {
    writeFileSync(join(PROJECT, 'test/a.test.js'), '');
    writeFileSync(join(PROJECT, 'untildone.yaml'), 'gates: { tests: { run: "true" } }\n');
    const { reason } = stop('done');
    expect(reason).toContain('Fails: intact');
    expect(reason).toContain('untildone.yaml was changed since this loop began');
  });

  test('is upgraded by install: the script and the lines anew, no compiled code and no cap, the loop as it was', () => {
    const settings = () => readFileSync(join(PROJECT, '.claude/settings.json'), 'utf8');
    expect(settings()).toContain('"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0"');
    expect(ok('install')).toContain('Removed CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=0');
    expect(hookScript()).not.toContain('--v8-pool-size');
    expect(hookScript()).toContain(`entry='${join(AT, 'package/dist/untildone.cjs')}'`);
    expect(compiledCode()).toEqual([]);
    expect(settings()).toContain(JSON.stringify(HOOK_LINE));
    expect(settings()).not.toContain('BLOCK_CAP');
    expect(stop('not yet').reason).toContain('iteration 3 of 50');
  });

  test('is upgraded by start, too, and what was approved is still approved', () => {
    const started = ok('start', 'another', '--session', '33333333-3333-4333-8333-333333333333');
    expect(started).toContain('tests: fail now');
    expect(started).not.toContain('NOT JUDGED YET');
    expect(started).toContain('Remove it with: untildone install');
    expect(hookScript()).not.toContain('--v8-pool-size');
    expect(compiledCode()).toEqual([]);
    expect(stop('not yet').reason).toContain('Fails: tests');
  });
});
