import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callHook, newWorld, startLoop, type World } from '../support/chaos/world.ts';

const SESSION = 'in-a-gone-folder';
let world: World;

beforeAll(() => {
  world = newWorld();
  startLoop(world, SESSION);
});
afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

test.each([
  ['absent', {}],
  ['none', { cwd: 'x\0y' }],
  ['relative', { cwd: '.' }],
  ['gone, too', { cwd: '/gone/for/good' }],
])('a hook in a folder that was removed holds its session; the one in its event is %s', async (_, cwd) => {
  const gone = join(world.folder, 'gone');
  const there = ['sh', '-c', `mkdir ${gone}; cd ${gone}; rmdir ${gone}; exec "$@"`, 'sh'];
  const event = { session_id: SESSION, hook_event_name: 'Stop', last_assistant_message: 'not yet', ...cwd };
  const end = await callHook(world, JSON.stringify(event), there).ended;
  expect(end).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('"decision":"block"') });
});
