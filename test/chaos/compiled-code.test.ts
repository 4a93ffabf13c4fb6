import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newWorld, startLoop, type World } from '../support/chaos/world.ts';

const SESSION = 'compiled-code';
let world: World;

beforeAll(() => {
  world = newWorld();
  startLoop(world, SESSION);
});

afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

let said = 0;

/** The event as `hook.sh` hands it over. */
function hook(
  event: string,
  flags: string[] = [],
  more: object = {},
): { code: number | null; out: string; err: string } {
  const input = JSON.stringify({
    hook_event_name: event,
    session_id: SESSION,
    last_assistant_message: `Part ${++said}.`,
    ...(event === 'PreToolUse' ? { tool_name: 'Bash', tool_input: { command: 'ls' } } : {}),
    ...more,
  });
  const bin = join(world.folder, 'dist', 'untildone.cjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, bin, 'hook'], {
    input,
    env: world.env,
    cwd: world.project,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

const heldAt = (iteration: number) => ({
  code: 0,
  out: expect.stringMatching(`^\\{"decision":"block","reason":"untildone: iteration ${iteration}\\b`),
  err: '',
});

/** What Node has left there; nothing before 22.8. */
function cached(): string[] {
  const folder = join(world.home, 'compile-cache');
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test('damaged compiled code changes no answer, wherever the damage is', () => {
  expect(hook('Stop')).toEqual(heldAt(2));
  for (const [i, share] of [0, 0.001, 0.3, 0.6, 0.99].entries()) {
    for (const file of cached()) {
      const bytes = readFileSync(file);
      const place = Math.floor(bytes.length * share);
      bytes.set(
        bytes.subarray(place, place + 64).map((byte) => byte ^ 0xff),
        place,
      );
      writeFileSync(file, bytes);
    }
    expect(hook('Stop')).toEqual(heldAt(3 + i));
  }
});

test('a file where the compiled code would go changes no answer', () => {
  const folder = join(world.home, 'compile-cache');
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, 'not a folder');
  expect(hook('Stop')).toEqual(heldAt(8));
  rmSync(folder);
});

test('code that an earlier version kept is not run, and goes when its script is written anew', () => {
  const names = ['hook.code', 'judge.code', 'hook.code.4711.tmp'];
  for (const name of names) writeFileSync(join(world.home, name), 'untildone'.repeat(1000));
  writeFileSync(join(world.home, 'hook.sh'), '# of an earlier version\n');
  mkdirSync(join(world.home, 'own.code'));
  expect(hook('Stop')).toEqual(heldAt(9));

  startLoop(world, 'another');
  expect(readdirSync(world.home).filter((name) => name.includes('.code'))).toEqual(['own.code']);
});

test('without a home the hook makes none', () => {
  const env = { ...world.env, UNTILDONE_HOME: join(world.folder, 'nowhere') };
  const bin = join(world.folder, 'dist', 'untildone.cjs');
  const input = JSON.stringify({ hook_event_name: 'Stop', session_id: SESSION });
  expect(spawnSync(process.execPath, [bin, 'hook'], { input, env, encoding: 'utf8' }).status).toBe(0);
  expect(existsSync(env.UNTILDONE_HOME)).toBe(false);
});

/** Our own files that a hook has loaded when it ends. */
function loadedAt(event: string): string[] {
  const list = join(world.folder, 'loaded.txt');
  const preload = join(world.folder, 'preload.cjs');
  writeFileSync(
    preload,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, Object.keys(require.cache).join('\\n')));`,
  );
  expect(hook(event, ['--require', preload]).code).toBe(0);
  const files = readFileSync(list, 'utf8').split('\n');
  return files.filter((file) => file !== preload).map((file) => basename(file));
}

test.each([
  { event: 'Stop', bundle: 'hook.cjs' },
  { event: 'UserPromptSubmit', bundle: 'events.cjs' },
  { event: 'PreToolUse', bundle: 'tool.cjs' },
  { event: 'PostToolUseFailure', bundle: 'tool.cjs' },
])('a $event in a loop that only asks for a promise loads $bundle, and nothing more', ({ event, bundle }) => {
  expect(loadedAt(event).sort()).toEqual([bundle, 'untildone.cjs']);
});

test('an event that only looks like a tool call is answered as what it is', () => {
  const quoted = { note: { hook_event_name: 'PreToolUse' } };
  const { out } = hook('Stop', [], quoted);
  expect(JSON.parse(out)).toMatchObject({ decision: 'block' });
});
