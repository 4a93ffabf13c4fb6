import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newWorld, startLoop, type World } from './world.ts';

const SESSION = 'kept-code';
let world: World;
const codeFile = () => join(world.home, 'hook.code');

beforeAll(() => {
  world = newWorld();
  startLoop(world, SESSION);
});

afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

let said = 0;

/** The event as `hook.sh` hands it over. */
function hook(event: string, flags: string[] = []): { code: number | null; out: string; err: string } {
  const input = JSON.stringify({
    hook_event_name: event,
    session_id: SESSION,
    last_assistant_message: `Part ${++said}.`,
    ...(event === 'PreToolUse' ? { tool_name: 'Bash', tool_input: { command: 'ls' } } : {}),
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

test('the first Stop, and no other event, leaves its code behind, and the next ones are answered from it', () => {
  expect(hook('PreToolUse')).toEqual({ code: 0, out: '', err: '' });
  expect(existsSync(codeFile())).toBe(false);

  expect(hook('Stop')).toEqual(heldAt(2));
  const kept = readFileSync(codeFile());
  expect(statSync(codeFile()).mode & 0o777).toBe(0o600);
  expect(hook('Stop')).toEqual(heldAt(3));
  expect(hook('PreToolUse')).toEqual({ code: 0, out: '', err: '' });
  expect(readFileSync(codeFile()).equals(kept)).toBe(true);
});

test('damaged code changes no answer, and the next Stop puts it right', () => {
  const whole = readFileSync(codeFile());
  for (const [i, share] of [0.001, 0.3, 0.6, 0.99].entries()) {
    const bytes = Buffer.from(whole);
    const place = Math.floor(bytes.length * share);
    bytes[place] = (bytes[place] ?? 0) ^ 0xff;
    writeFileSync(codeFile(), bytes);

    expect(hook('Stop')).toEqual(heldAt(4 + i));
    expect(readFileSync(codeFile()).equals(bytes)).toBe(false);
  }
  expect(readdirSync(world.home).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

/** The modules of Node that a hook has loaded when it ends. */
function loadedAt(event: string): string[] {
  const list = join(world.folder, 'loaded.txt');
  const preload = join(world.folder, 'preload.cjs');
  writeFileSync(
    preload,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join('\\n')));`,
  );
  expect(hook(event, ['--require', preload]).code).toBe(0);
  return readFileSync(list, 'utf8').split('\n');
}

test.each(['Stop', 'PreToolUse'])(
  'a %s loads nothing of Node that takes longer than answering it',
  (event) => {
    const loaded = loadedAt(event);
    expect(loaded).toContain('NativeModule fs');
    const dear = [
      'crypto',
      'os',
      'stream',
      'child_process',
      'tty',
      'net',
      'zlib',
      'internal/abort_controller',
    ];
    expect(dear.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([]);
  },
);
