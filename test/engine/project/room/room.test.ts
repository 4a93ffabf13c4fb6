import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Workspace } from '../../../../src/engine/ports/ports.ts';
import type { Room } from '../../../../src/engine/ports/rooms.ts';
import { openRoom, type RoomRequest } from '../../../../src/engine/project/room/room.ts';
import { openWorkspace } from '../../../../src/engine/project/trees/workspace.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { initRepository } from '../../../support/repository.ts';

let root: string;
let project: string;
let workspace: Workspace;
let counter: string;
const opened: Room[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'untildone-room-test-'));
  project = join(root, 'project');
  counter = join(root, 'setups-run');
  mkdirSync(project);
  initRepository(project);
  workspace = openWorkspace({
    project,
    shadowDir: join(root, 'home/shadow'),
    indexFile: join(root, 'home/index'),
  });
  write('.gitignore', 'node_modules/\n');
  write('deps.txt', 'one\n');
  write('main.txt', 'main\n');
});

afterEach(async () => {
  for (const room of opened.splice(0)) await room.dispose();
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(join(project, path, '..'), { recursive: true });
  writeFileSync(join(project, path), text);
}

/** Copies the dependencies' names into node_modules and into the home, and counts how often it ran. */
const SETUP = () => ({
  run: [
    `echo run >>'${counter}'; mkdir -p node_modules/dep "$HOME/.cache" && cp deps.txt node_modules/dep/index.js && echo kept >"$HOME/.cache/dep"`,
  ],
  inputs: ['deps.txt'],
  timeoutMs: PATIENCE_MS,
});

async function room(
  more: Partial<RoomRequest> = {},
  environment: Record<string, string> = {},
): Promise<Room> {
  const made = await openRoom(
    { tree: await workspace.tree(), ...more },
    {
      folder: join(root, 'home/rooms'),
      shadowDir: join(root, 'home/shadow'),
      key: 'a key',
      environment: ({ home }) => ({ PATH: process.env.PATH ?? '', ...environment, HOME: home }),
    },
  );
  opened.push(made);
  return made;
}

async function output(inside: Room, command: string): Promise<string> {
  const { output } = await inside.shell.run({
    command,
    cwd: inside.dir,
    timeoutMs: PATIENCE_MS,
    oneStream: true,
  });
  return output.trim();
}

const timesSetUp = () => readFileSync(counter, 'utf8').trim().split('\n').length;

test('a room holds the tree, committed or not, and nothing that git ignores', async () => {
  write('node_modules/dep/index.js', 'of the agent');
  const clean = await room();
  expect(await output(clean, 'ls -A | sort | tr "\\n" " "')).toBe('.git .gitignore deps.txt main.txt');
  expect(await output(clean, 'git status --porcelain')).toBe('');
});

test('commands have an empty home, an own folder for temporary files, and the environment they are given', async () => {
  const clean = await room({}, { HOME: root, COLOUR: 'green', TMPDIR: root });
  expect(await output(clean, 'ls -A "$HOME" "$TMPDIR" | wc -w')).toBe('2');
  expect(await output(clean, 'echo $COLOUR')).toBe('green');
  expect(await output(clean, 'echo "$HOME $TMPDIR"')).not.toContain(`${root} `);
});

describe('a setup', () => {
  test('sees its inputs alone, and what it makes is in the room and in its home', async () => {
    const setup = { ...SETUP(), run: [...SETUP().run, 'test ! -e main.txt'] };
    const clean = await room({ setup });
    expect(await output(clean, 'cat node_modules/dep/index.js "$HOME/.cache/dep" main.txt')).toBe(
      'one\nkept\nmain',
    );
  });

  test('runs once for the same inputs, and again for others; both are kept', async () => {
    const first = await room({ setup: SETUP() });
    await first.dispose();
    write('main.txt', 'changed\n');
    const second = await room({ setup: SETUP() });
    expect(await output(second, 'cat node_modules/dep/index.js main.txt')).toBe('one\nchanged');
    await second.dispose();
    expect(timesSetUp()).toBe(1);
    write('deps.txt', 'two\n');
    const third = await room({ setup: SETUP() });
    expect(await output(third, 'cat node_modules/dep/index.js')).toBe('two');
    await third.dispose();
    write('deps.txt', 'one\n');
    await (await room({ setup: SETUP() })).dispose();
    expect(timesSetUp()).toBe(2);
  });

  test.each([
    ['changes', 'echo bad >node_modules/dep/index.js'],
    ['adds', 'echo bad >node_modules/added'],
    ['removes', 'rm -r node_modules'],
    ['removes the home', 'rm -r "$HOME"'],
    ['replaces', 'rm node_modules/dep/index.js; mkdir node_modules/dep/index.js'],
    ['links', 'rm -r node_modules/dep; ln -s /etc node_modules/dep'],
  ])('is as it was when a command %s what it made, without running again', async (_, command) => {
    const first = await room({ setup: SETUP() });
    await output(first, command);
    await first.dispose();
    const second = await room({ setup: SETUP() });
    expect(await output(second, 'cat node_modules/dep/index.js "$HOME/.cache/dep"; ls node_modules')).toBe(
      'one\nkept\ndep',
    );
    expect(timesSetUp()).toBe(1);
  });

  test('runs again when what was kept of it was changed by somebody else', async () => {
    const first = await room({ setup: SETUP() });
    await first.dispose();
    const kept = join(root, 'home/rooms/0/setups');
    execFileSync('sh', ['-c', `find '${kept}' -name index.js -exec sh -c 'echo bad >"$1"' x {} ';'`]);
    const second = await room({ setup: SETUP() });
    expect(await output(second, 'cat node_modules/dep/index.js')).toBe('one');
    expect(timesSetUp()).toBe(2);
  });

  test('outlives a process that was killed while its room was open', async () => {
    const first = await room({ setup: SETUP() });
    // As after a kill: nothing was moved back, and the lock's owner is gone.
    rmSync(join(root, 'home/rooms/0.lock'));
    const second = await room({ setup: SETUP() });
    expect(second.dir).toBe(first.dir);
    expect(await output(second, 'cat node_modules/dep/index.js "$HOME/.cache/dep"')).toBe('one\nkept');
    expect(timesSetUp()).toBe(1);
    opened.splice(0, 1);
  });

  test.each<[string, string, string[]]>([
    ['echo fetching; echo no such package; echo bye; exit 3', ': no such package', ['bye']],
    ['echo fetching; exit 3', '', ['fetching']],
  ])('that fails says first what it says first of the error: %s', async (command, why, evidence) => {
    const setup = { ...SETUP(), run: [command] };
    await expect(room({ setup })).rejects.toMatchObject({
      message: `the setup \`${command}\` fails with exit code 3${why}`,
      evidence,
    });
    expect(existsSync(join(root, 'home/rooms/0.lock'))).toBe(false);
  });

  test('that changes its own inputs, or has none, is refused', async () => {
    const changes = { ...SETUP(), run: ['echo more >>deps.txt'] };
    await expect(room({ setup: changes })).rejects.toThrow('changes deps.txt, which is one of its inputs');
    const none = { ...SETUP(), inputs: ['nothing.lock'] };
    await expect(room({ setup: none })).rejects.toThrow('no file of the project fits nothing.lock');
  });
});

test('two rooms at once do not share anything', async () => {
  const [first, second] = [await room({ setup: SETUP() }), await room({ setup: SETUP() })];
  expect(second.dir).not.toBe(first.dir);
  await output(first, 'rm -r node_modules "$HOME"');
  expect(await output(second, 'cat node_modules/dep/index.js')).toBe('one');
});

test('files that git ignores are there when they were kept at the start', async () => {
  writeFileSync(join(root, 'kept'), 'secret of the start');
  const clean = await room({ needs: [{ path: 'config/.env.test', copy: join(root, 'kept') }] });
  expect(await output(clean, 'cat config/.env.test')).toBe('secret of the start');
});
