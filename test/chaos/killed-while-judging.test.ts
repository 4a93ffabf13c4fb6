import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HOOK_LINE } from '../../src/engine/home/hook-line.ts';
import { newWorld, type World } from '../support/chaos/world.ts';
import { few, longTest } from '../support/long.ts';

let world: World;
beforeEach(() => {
  world = newWorld();
  rmSync(join(world.project, '.git'), { recursive: true });
  execFileSync('git', ['init', '--quiet'], { cwd: world.project, env: world.env });
});
afterEach(() => rmSync(world.folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(world.project, path)), { recursive: true });
  writeFileSync(join(world.project, path), text);
}

function cli(...args: string[]): string {
  const program = join(world.folder, 'dist', 'untildone.cjs');
  return execFileSync(process.execPath, [program, ...args], {
    cwd: world.project,
    env: world.env,
    encoding: 'utf8',
  });
}

/** A loop whose only gate runs what the agent wrote, as a child of the hook itself. */
function begin(): void {
  write('untildone.yaml', 'gates:\n  tests: { run: exec sh test/all.sh, work: [test/all.sh] }\n');
  write('test/all.sh', 'false\n');
  const fingerprint = /Fingerprint: (\w+)/.exec(cli('trust', '--show'))?.[1] ?? '';
  cli('trust', '--fingerprint', fingerprint);
  cli('start', 'a task', '--session', 's1');
}

/** The line that the client runs, with `/bin/sh -c`, as it does. */
function event(fields: Record<string, unknown>): Record<string, string> {
  const env = { ...world.env, CLAUDE_CODE_SESSION_ID: 's1', CLAUDE_PROJECT_DIR: world.project };
  const { status, stdout } = spawnSync('/bin/sh', ['-c', HOOK_LINE], {
    cwd: world.project,
    env,
    input: JSON.stringify({ session_id: 's1', ...fields }),
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  return stdout === '' ? {} : (JSON.parse(stdout) as Record<string, string>);
}

let said = 0;
const stop = () => event({ hook_event_name: 'Stop', last_assistant_message: `try ${++said}` });
const active = () => readdirSync(join(world.home, 'active')).sort();
const log = () => cli('log');
const deaths = () => [...log().matchAll(/cut off: something ended the hook while it judged tests, [^)]*/g)];

const killsHook = (signal: string) => `kill -s ${signal} $PPID\n`;

test('the first Stop of a loop is watched already, and one that asks only for a promise never is', () => {
  const marker = (session: string) => statSync(join(world.home, 'active', session)).size;
  cli('start', 'another', '--session', 's2', '--promise', 'DONE');
  begin();
  expect(marker('s1')).toBeGreaterThan(0);
  expect(marker('s2')).toBe(0);
});

test.each(few(['KILL', 'TERM', 'SEGV'], 1))(
  'a gate that ends the hook by SIG%s: held, written down, and verified once it is mended',
  (signal) => {
    begin();
    write('test/all.sh', killsHook(signal));
    expect(stop()).toEqual({
      decision: 'block',
      reason: expect.stringContaining('something ended the Stop hook'),
    });
    expect(active()).toEqual(['s1', 's1.cut', 's1.judging']);
    event({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } });
    expect(deaths()).toHaveLength(1);
    write('test/all.sh', 'true\n');
    expect(stop()).toEqual({ systemMessage: expect.stringContaining('done, and verified') });
    expect(active()).toEqual([]);
    expect(log()).toContain('held: 1 in a row');
  },
);

test('the third death in a row lets the session go, and the next prompt begins to count anew', () => {
  begin();
  write('test/all.sh', killsHook('KILL'));
  expect([stop(), stop(), stop()].map((answer) => Object.keys(answer)[0])).toEqual([
    'decision',
    'decision',
    'systemMessage',
  ]);
  event({ hook_event_name: 'UserPromptSubmit', prompt: 'go on' });
  expect(deaths().map(([words]) => words.split(', ')[1])).toEqual([
    'held: 1 in a row',
    'held: 2 in a row',
    'letGo: 3 in a row',
  ]);
  expect(active()).toEqual(['s1']);
  expect(Object.keys(stop())[0]).toBe('decision');
});

longTest('a Stop that was judged to its end sets the count back', () => {
  begin();
  for (let round = 0; round < 3; round++) {
    write('test/all.sh', killsHook('KILL'));
    expect([stop(), stop()].map((answer) => answer.decision)).toEqual(['block', 'block']);
    write('test/all.sh', `echo ${round}; false\n`);
    expect(stop().reason).toContain('Fails: tests');
    expect(active()).toEqual(['s1']);
  }
});
