import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { requireInEsm } from '../../../../scripts/esm-require.mjs';
import { openRunReporter } from '../../../../src/engine/run/view/report.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { FakeTerminal } from '../../../support/run/fake-terminal.ts';
import { BASELINE, doneState, LIMITS, LOOP, STORY } from '../../../support/run/run-story.ts';

const PTY = 'script';
/** `script` of util-linux gives a program a real terminal; without it a made-up one has to do. */
const hasPty = spawnSync(PTY, ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

let folder: string;
const child = () => join(folder, 'child.mjs');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-view-'));
  const entryPoints = [fileURLToPath(new URL('../../../support/run/run-view-child.ts', import.meta.url))];
  const target = { platform: 'node', format: 'esm', banner: requireInEsm(), target: 'node20' } as const;
  if (hasPty) await build({ entryPoints, outfile: child(), bundle: true, ...target });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function onPty(scene: string, result: string): { terminal: ChildProcess; output(): string } {
  const command = `stty cols 70 rows 40; exec "${process.execPath}" "${child()}" ${scene} "${result}"`;
  const env = { ...process.env, TERM: 'xterm', TZ: 'UTC', NO_COLOR: '1' };
  const terminal = spawn(PTY, ['-qec', command, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  terminal.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return { terminal, output: () => output };
}

const resultOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

async function storyOnPty(): Promise<string> {
  const result = join(folder, 'resized');
  const { terminal, output } = onPty('resize', result);
  await once(terminal, 'close');
  expect(resultOf(result)).toBe('came to its end');
  return output();
}

/** The same story as the child's. */
async function storyOnFake(): Promise<string> {
  const fake = new FakeTerminal(70, 40);
  const world = { out: () => undefined, now: Date.now, env: { NO_COLOR: '1' }, project: '/project' };
  const stdout = fake as unknown as NodeJS.WriteStream;
  const reporter = openRunReporter({ json: false, quiet: false }, { ...world, stdout });
  reporter.begun(LOOP, 'Build the todo API', BASELINE, { limits: LIMITS, resumed: false });
  for (const event of STORY.slice(0, 10)) reporter.event(event);
  await vi.waitFor(() => expect(fake.writes).toHaveLength(1), { timeout: PATIENCE_MS });
  fake.resize(110);
  await vi.waitFor(() => expect(fake.writes).toHaveLength(2), { timeout: PATIENCE_MS });
  reporter.event({ type: 'ended', state: doneState() });
  return fake.writes.join('');
}

test('on a real terminal it draws in place, follows its size, and leaves the result', async () => {
  const output = await (hasPty ? storyOnPty() : storyOnFake());
  const screen = new FakeTerminal(110, 40);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  const frames = output.split(/(?<=\x1b\[\?7h)/);
  const states = frames.map((frame) => {
    screen.write(frame);
    return screen.text();
  });
  const last = states.pop() ?? '';
  for (const state of states) {
    expect(state).toMatch(/^context {3}\[#+\.+\] 62 % of 200k/m);
    expect(state.match(/^(context|now)/gm)).toHaveLength(2);
  }
  const widths = states.map((state) => Math.max(...state.split('\n').map((line) => line.length)));
  // At first cut at the border, then as wide as its widest line: the gauge.
  expect([widths[0], widths.at(-1)]).toEqual([69, 83]);
  expect(last).not.toMatch(/^(context|gates|now)/m);
  expect(last).toMatch(/^verified_done: .*\n( {2}.*\n)+ {2}receipt: untildone receipt [-\w]+$/m);
});

test('a terminal that goes away ends nothing', async () => {
  if (!hasPty) {
    const gone = new FakeTerminal();
    const stdout = gone as unknown as NodeJS.WriteStream;
    const world = { out: () => undefined, now: Date.now, env: {}, stdout };
    const reporter = openRunReporter({ json: false, quiet: false }, world);
    gone.emit('error', new Error('write EIO'));
    for (const event of STORY) reporter.event(event);
    expect(gone.writes).toEqual([]);
    return;
  }
  const result = join(folder, 'hung-up');
  const { terminal, output } = onPty('hang-up', result);
  await vi.waitFor(() => expect(output()).toContain('62 % of 200k'), { timeout: PATIENCE_MS });
  terminal.kill('SIGKILL');
  await once(terminal, 'close');
  await vi.waitFor(() => expect(resultOf(result)).toBe('came to its end'), { timeout: PATIENCE_MS });
});
