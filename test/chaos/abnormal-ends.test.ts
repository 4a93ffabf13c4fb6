import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { LET_GO_AFTER } from '../../src/engine/home/hold-script.ts';
import { hookLine } from '../../src/engine/home/hook-line.ts';
import { type LineEnd, type LineWorld, lineWorld } from '../support/chaos/line-world.ts';
import { seededRandom } from '../support/chaos/random.ts';
import { isLong, rounds } from '../support/long.ts';

/** The output of the gate differs every time: the same failure again and again would be a stall. */
const GATE = 'date +%N; false\n';

let at: LineWorld;
beforeAll(() => {
  at = lineWorld(GATE);
});
afterAll(() => at.close());

/** What the tests break, as it was. */
const broken = new Map<string, string>();
afterEach(() => {
  for (const [path, text] of broken) {
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, text);
  }
  broken.clear();
  for (const kind of ['.judging', '.cut', '.unheld'])
    rmSync(at.beside(kind), { recursive: true, force: true });
  at.write('test/all.sh', GATE);
  at.run({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } });
});

/** Takes a file away, to be put back after the test. Bundles are links that all worlds share: nobody writes into one. */
function take(path: string): string {
  const text = readFileSync(path, 'utf8');
  broken.set(path, text);
  unlinkSync(path);
  return text;
}

/** One answer, whole: Claude Code takes anything else for text, and lets the session go. */
function answer(end: LineEnd): Record<string, string> {
  expect({ status: end.status, lines: end.stdout.trimEnd().split('\n').length }).toEqual({
    status: 0,
    lines: 1,
  });
  return JSON.parse(end.stdout) as Record<string, string>;
}

function expectHeld(end: LineEnd): void {
  expect(answer(end)).toMatchObject({ decision: 'block', reason: expect.stringContaining('untildone') });
}

const KILLS = isLong ? 140 : 8;

test.runIf(process.platform === 'linux')(
  `Node killed alone at ${KILLS} moments of a Stop: one answer each time, and it holds`,
  async () => {
    const random = seededRandom();
    onTestFailed(() => void process.stderr.write(`repeat with UNTILDONE_SEED=${random.seed}\n`));
    const life = Math.max(...[0, 1, 2].map(() => timed(() => expectHeld(at.stop()))));
    let killed = 0;
    for (let i = 0; i < KILLS; i++) {
      at.run({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } });
      const end = await at.killedStop(random.next() * life);
      expectHeld(end);
      if (end.killed) killed++;
      // Killed so often in a row, the session would be let go: that is another test.
      rmSync(at.beside('.cut'), { force: true });
    }
    expect(killed).toBeGreaterThan(KILLS / 4);
  },
);

function timed(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

function breakBundle(name: string, text?: string): void {
  const path = join(at.world.folder, 'dist', name);
  const whole = take(path);
  if (text === 'half') writeFileSync(path, whole.slice(0, whole.length / 2));
  else if (text !== undefined) writeFileSync(path, text);
}

function breakBundles(text?: string): void {
  for (const name of ['hook.cjs', 'events.cjs']) breakBundle(name, text);
}

function breakScript(put: (path: string, whole: string) => unknown): void {
  const path = join(at.world.home, 'hook.sh');
  put(path, take(path));
}

type Breakage = [name: string, breaks: () => unknown];

const DOES_NOT_COME_UP: Breakage[] = [
  ['a preload that is missing', () => ({ NODE_OPTIONS: '--require /nonexistent/preload.js' })],
  ['options that Node refuses', () => ({ NODE_OPTIONS: '--no-such-option' })],
  ['too little memory', () => ({ NODE_OPTIONS: '--max-old-space-size=1' })],
  ['a preload that leaves as if all were well', () => ({ NODE_OPTIONS: `--require ${leaver()}` })],
  ['half an entry', () => breakBundle('untildone.cjs', 'half')],
  ['an empty entry', () => breakBundle('untildone.cjs', '')],
  ['an entry that is gone', () => breakBundle('untildone.cjs')],
  ['half of the bundles for Stops and other events', () => breakBundles('half')],
  ['empty bundles for Stops and other events', () => breakBundles('')],
  ['bundles for Stops and other events that are gone', () => breakBundles()],
  ['a script that is gone', () => breakScript(() => {})],
  ['an empty script', () => breakScript((path) => writeFileSync(path, ''))],
  ['a script with an error', () => breakScript((path) => writeFileSync(path, 'if then\n'))],
  ['half a script', () => breakScript((path, text) => writeFileSync(path, text.slice(0, text.length / 2)))],
  ['a script that is a folder', () => breakScript((path) => mkdirSync(path))],
  ['a script that is a pipe', () => breakScript((path) => execFileSync('mkfifo', [path]))],
];

function leaver(): string {
  const path = join(at.world.folder, 'leave.cjs');
  writeFileSync(path, 'process.exit(0)\n');
  return path;
}

test.each(DOES_NOT_COME_UP.filter((_, i) => isLong || i % 4 === 3))(
  '%s holds at Stop, is told elsewhere, and lets go in the end with a word',
  (_, breaks) => {
    const env = (breaks() ?? {}) as Record<string, string>;
    const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'go on' };
    const elsewhere = at.run(prompt, { env, line: hookLine('UserPromptSubmit') });
    expect(answer(elsewhere)).toEqual({ systemMessage: expect.stringContaining('untildone') });
    for (let i = 1; i < LET_GO_AFTER; i++) expectHeld(at.stop({ env }));
    expect(answer(at.stop({ env }))).toEqual({ systemMessage: expect.stringContaining('let go') });
  },
);

test('a judge bundle that is cut, empty or gone is held by the hook itself, and let go in the end with a word', () => {
  const path = join(at.world.folder, 'dist/judge.cjs');
  const whole = take(path);
  for (const text of [whole.slice(0, whole.length / 2), '', undefined]) {
    if (text === undefined) rmSync(path);
    else writeFileSync(path, text);
    const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'go on' };
    // A prompt needs no gates.
    expect(at.run(prompt, { line: hookLine('UserPromptSubmit') })).toMatchObject({ status: 0, stdout: '' });
    expect(answer(at.stop())).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('install untildone again'),
    });
  }
  expect(answer(at.stop())).toEqual({ systemMessage: expect.stringContaining('may stop') });
});

test('a script cut off after any line holds', () => {
  breakScript((path, whole) => {
    const lines = whole.split('\n');
    const step = Math.ceil(lines.length / rounds(lines.length, 8));
    for (let n = 0; n < lines.length - 2; n += step) {
      writeFileSync(path, lines.slice(0, n).join('\n'));
      rmSync(at.beside('.cut'), { force: true });
      expectHeld(at.stop());
    }
  });
});

describe('what lies in the place of our files', () => {
  const THINGS: [string, (path: string) => void][] = [
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
    ['a folder', (path) => void mkdirSync(path)],
    ['a link to nothing', (path) => symlinkSync('/nonexistent/file', path)],
    ['a link to a device', (path) => symlinkSync('/dev/null', path)],
    ['a link to itself', (path) => symlinkSync(path, path)],
  ];
  const PLACES = ['', '.judging', '.cut', '.unheld'];
  const all = PLACES.flatMap((kind) => THINGS.map(([name, put]) => ({ kind, name, put })));
  const few = all.filter(({ name, kind }) => name === 'a pipe' && kind !== '.unheld');

  test.each(isLong ? all : few)('$name as $kind: held, by the gates and by the shell', ({ kind, put }) => {
    if (kind === '') take(at.beside());
    put(at.beside(kind));
    expect(answer(at.stop()).reason).toContain('Fails: tests');
    rmSync(at.beside(kind), { force: true, recursive: true });
    put(at.beside(kind));
    at.write('test/all.sh', 'kill -9 $PPID\n');
    expect(answer(at.stop()).reason).toContain('something ended the Stop hook');
  });

  test('a judging whose mark is changed while it goes on is answered once', () => {
    at.write('test/all.sh', `printf x >> '${at.beside('.judging')}'; false\n`);
    expect(answer(at.stop()).reason).toContain('Fails: tests');
    at.write('test/all.sh', `rm '${at.beside('.judging')}'; kill -9 $PPID\n`);
    expectHeld(at.stop());
  });
});

test.runIf(existsSync('/dev/full'))('an answer that cannot be printed holds by its exit code', () => {
  const line = hookLine('Stop');
  const full = at.stop({ line: `{ ${line}; } >/dev/full` });
  expect(full).toMatchObject({ status: 2, stderr: expect.stringContaining('Fails: tests') });
  const closed = at.stop({ line: `{ ${line}; } >&-` });
  expect(closed).toMatchObject({ status: 2, stderr: expect.stringContaining('Fails: tests') });
  at.write('test/all.sh', 'kill -9 $PPID\n');
  const killed = at.stop({ line: `{ ${line}; } >/dev/full` });
  expect(killed).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('something ended the Stop hook'),
  });
  at.write('test/all.sh', 'true\n');
  expect(at.stop({ line: `{ ${line}; } >/dev/full` }).status).toBe(0);
});
