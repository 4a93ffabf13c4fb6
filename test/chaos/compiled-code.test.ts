import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { permissionsCount, runCommand } from '../../src/dev/conformance/run-command.ts';
import { quoteForShell } from '../../src/engine/core/shell/words.ts';
import { newWorld, startLoop, type World } from '../support/chaos/world.ts';
import { otherNode } from '../support/node-of-program.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const SESSION = 'compiled-code';
/** From 22.8 on. */
const ASK = 'typeof require("node:module").enableCompileCache';
const isKept = execFileSync(process.execPath, ['--print', ASK], { encoding: 'utf8' }).trim() === 'function';
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
  env: Record<string, string> = {},
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
    env: { ...world.env, ...env },
    cwd: world.project,
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
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

test('every newer Node keeps compiled code', () => {
  expect(isKept).toBe(otherNode !== undefined || existsSync(join(world.home, 'compile-cache')));
});

describe.runIf(isKept)('compiled code that Node keeps', () => {
  const bundle = (name: string) => join(world.folder, 'dist', name);
  const identity = (file: string) => {
    const { ino, mtimeNs } = statSync(file, { bigint: true });
    return { file, ino, mtimeNs };
  };
  const forget = () => rmSync(join(world.home, 'compile-cache'), { recursive: true, force: true });
  /** What Node says of the cache of a bundle, without its own answers. */
  const saidOf = (name: string, event: string) => {
    const { err } = hook(event, [], {}, { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' });
    return err.split('\n').filter((line) => line.includes(bundle(name)));
  };
  const accepted = expect.stringMatching(/ was accepted/);

  test.each([
    { event: 'Stop', name: 'hook.cjs' },
    { event: 'PreToolUse', name: 'tool.cjs' },
  ])('the first $event writes it, the second uses it and leaves it as it is', ({ event, name }) => {
    forget();
    expect(saidOf(name, event)).not.toContainEqual(accepted);
    const first = cached().map(identity);
    expect(first).toHaveLength(1);
    expect(saidOf(name, event)).toContainEqual(accepted);
    expect(cached().map(identity)).toEqual(first);
  });

  test('one entry for each bundle and Node, however often the bundle changes; a changed one is compiled anew', () => {
    forget();
    hook('PreToolUse');
    const file = bundle('hook.cjs');
    const text = readFileSync(file, 'utf8');
    // Of the same length: V8 alone would run the code of the other text.
    const other = text.replaceAll('The work is not done yet', 'The work is NOT done yet');
    expect(other).not.toBe(text);
    for (const now of [text, other, text, other]) {
      // Other worlds link the same file.
      rmSync(file);
      writeFileSync(file, now);
      const reason = now === text ? 'is not done yet' : 'is NOT done yet';
      for (const _ of ['compiled', 'from the cache']) expect(hook('Stop').out).toContain(reason);
      expect(cached()).toHaveLength(2);
    }
    rmSync(file);
    writeFileSync(file, text);
  });

  test('the entry of another bundle in its place is not run', () => {
    forget();
    hook('Stop');
    const [ofHook = ''] = cached();
    hook('PreToolUse');
    const [ofTool = ''] = cached().filter((entry) => entry !== ofHook);
    copyFileSync(ofTool, ofHook);
    expect(saidOf('hook.cjs', 'Stop')).not.toContainEqual(accepted);
    expect(readFileSync(ofHook)).not.toEqual(readFileSync(ofTool));
    expect(saidOf('hook.cjs', 'Stop')).toContainEqual(accepted);
  });

  test.runIf(permissionsCount())('a folder that cannot be read or written changes no answer', async () => {
    const held = async () => {
      const event = {
        hook_event_name: 'Stop',
        session_id: SESSION,
        last_assistant_message: `Part ${++said}.`,
      };
      const line = [process.execPath, bundle('untildone.cjs'), 'hook'].map(quoteForShell).join(' ');
      const { env, project: cwd } = world;
      const input = JSON.stringify(event);
      return runCommand({ line, env, cwd, input, limitMs: PATIENCE_MS, unprivileged: true });
    };
    forget();
    hook('Stop');
    const folder = dirname(cached()[0] ?? '');
    for (const mode of [0o500, 0]) {
      chmodSync(folder, mode);
      expect(await held()).toMatchObject({ exitCode: 0, stderr: '' });
      expect((await held()).stdout).toContain('"decision":"block"');
    }
    chmodSync(folder, 0o700);
  });

  const onFullDisk = async (env: Record<string, string> = {}) => {
    const event = { hook_event_name: 'Stop', session_id: SESSION, last_assistant_message: 'On a full disk.' };
    const line = [process.execPath, bundle('untildone.cjs'), 'hook'].map(quoteForShell).join(' ');
    const { exitCode, stdout, stderr } = await runCommand({
      line,
      cwd: world.project,
      input: JSON.stringify(event),
      limitMs: PATIENCE_MS,
      env: { ...world.env, ...env },
      fullDisk: true,
    });
    return { exitCode, stdout, stderr };
  };

  test('on a full disk the answer is the one without it, and what is left of entries does not pile up', async () => {
    forget();
    const without = await onFullDisk({ NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(without.stdout).toContain('nothing is proven');
    expect(await onFullDisk()).toEqual(without);
    const entries = cached();
    const [left = ''] = entries;
    expect(statSync(left).size).toBe(0);
    for (let n = 0; n < 120; n++) writeFileSync(`${left}${n}`, '');
    expect(await onFullDisk()).toEqual(without);
    expect(cached()).toHaveLength(entries.length);
  });

  test('goes with untildone prune, whichever Node it is of', () => {
    hook('Stop');
    const older = join(world.home, 'compile-cache', 'v22.0.0-x64-00000000-0');
    mkdirSync(older, { recursive: true });
    writeFileSync(join(older, '2a4506c7'), 'of an older Node');
    expect(cached().length).toBeGreaterThan(1);
    execFileSync(process.execPath, [bundle('untildone.cjs'), 'prune'], {
      env: world.env,
      cwd: world.project,
    });
    expect(cached()).toEqual([]);
  });
});
