import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHome, homeAt } from '../../src/engine/home/layout.ts';
import { FileStore } from '../../src/engine/home/store.ts';
import { callHook, newWorld, type World } from '../support/chaos/world.ts';
import { contractWith, frozenWith, run } from '../support/hook/judging.ts';
import { rounds } from '../support/long.ts';

const DAY = 86_400_000;
const ENDED = 60;
const KILLS = rounds(8, 3);
/** How long after its list a prune is killed at the latest. */
const LATEST_MS = 48;

let world: World;
beforeAll(() => {
  world = newWorld();
});
afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

function makeLoops(): FileStore {
  const home = homeAt(world.home);
  createHome(home);
  let now = Date.now() - 40 * DAY;
  const store = new FileStore(home, { now: () => now });
  const { project } = world;
  const contract = frozenWith(contractWith({ tests: run() }), { project });
  const parts = { project, dialect: 'native' as const, task: 'a task', transcriptOffset: 0, contract };
  for (let i = 0; i < ENDED; i++) {
    const ref = store.create({ ...parts, loop: `ended-${i}`, session: `s${i}` });
    store.append(ref, () => ({ kind: 'command', command: 'cancel' }));
  }
  now = Date.now();
  const living = store.create({ ...parts, loop: 'living', session: 'living' });
  rooms = join(living.dir, '../../rooms');
  for (let room = 0; room < ROOMS; room++) makeRoom(join(rooms, String(room)));
  return store;
}

const ROOMS = 12;
const FILES = 40;
let rooms: string;

/** A clean room that was left long ago. */
function makeRoom(room: string): void {
  const setup = join(room, 'setups', 'one');
  mkdirSync(setup, { recursive: true });
  for (let file = 0; file < FILES; file++) writeFileSync(join(setup, String(file)), 'x');
  for (const folder of [setup, room]) utimesSync(folder, 1, 1);
}

function filesInRooms(): number[] {
  const numbers = readdirSync(rooms).filter((name) => /^\d+$/.test(name));
  return numbers.map((name) => readdirSync(join(rooms, name, 'setups', 'one')).length);
}

function cli(args: string[], killAfterMs?: number): Promise<{ code: number | null; stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(world.folder, 'dist', 'untildone.cjs'), ...args], {
      cwd: world.project,
      env: world.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout }));
    if (killAfterMs !== undefined) {
      // It lists what goes before it removes the first: from then on, some milliseconds later each time.
      child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), killAfterMs));
    }
  });
}

test('a prune that is killed at any time leaves loops that are whole or gone, and the next one ends its work', async () => {
  const store = makeLoops();
  const left: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await cli(['prune'], (kill * LATEST_MS) / KILLS);
    const { code, stdout } = await cli(['status', '--all', '--json']);
    expect(code).toBe(0);
    const { loops } = JSON.parse(stdout) as { loops: { id: string; status: string }[] };
    expect(loops.filter(({ status }) => status === 'unreadable')).toEqual([]);
    expect(loops.filter(({ id }) => id === 'living')).toHaveLength(1);
    left.push(loops.length);
    for (const count of filesInRooms()) expect(count).toBe(FILES);
    for (let i = 0; i < ENDED; i += 20) {
      const stop = { hook_event_name: 'Stop', session_id: `s${i}`, last_assistant_message: 'x' };
      expect(await callHook(world, JSON.stringify(stop)).ended).toMatchObject({ code: 0, stderr: '' });
    }
  }
  expect(left).toEqual([...left].sort((a, b) => b - a));
  expect(await cli(['prune'])).toMatchObject({ code: 0 });
  expect(store.loops().map(({ loop }) => loop)).toEqual(['living']);
  expect(filesInRooms()).toEqual([]);
  expect(existsSync(join(rooms, '../removed'))).toBe(false);
});
