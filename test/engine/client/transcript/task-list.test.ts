import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { taskListIn } from '../../../../src/engine/client/transcript/task-list.ts';

const SESSION = '0a1b2c3d-4e5f-6789-abcd-ef0123456789';

let config: string;
beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), 'untildone-tasks-'));
});
afterEach(() => rmSync(config, { recursive: true, force: true }));

function write(folder: string, name: string, content: unknown): void {
  mkdirSync(join(config, 'tasks', folder), { recursive: true });
  writeFileSync(
    join(config, 'tasks', folder, name),
    typeof content === 'string' ? content : JSON.stringify(content),
  );
}

const task = (id: number, status: string) => ({
  id: String(id),
  subject: `Task ${id}`,
  description: '',
  status,
  blocks: [],
  blockedBy: [],
});

const open = (session = SESSION) => taskListIn(config).open(session);

test('the open tasks of a session come in their order', async () => {
  write(SESSION, '10.json', task(10, 'pending'));
  write(SESSION, '9.json', task(9, 'in_progress'));
  write(SESSION, '1.json', task(1, 'completed'));
  write(SESSION, '.lock', '');
  write('another-session', '2.json', task(2, 'pending'));
  expect(await open()).toEqual([
    { id: '9', subject: 'Task 9', status: 'in_progress' },
    { id: '10', subject: 'Task 10', status: 'pending' },
  ]);
});

test('a list of which everything is completed is a list', async () => {
  write(SESSION, '1.json', task(1, 'completed'));
  expect(await open()).toEqual([]);
});

test('no folder, or one without tasks, is no list', async () => {
  expect(await open()).toBeUndefined();
  write(SESSION, '.lock', '');
  expect(await open()).toBeUndefined();
});

test('with teams, the folder has a short name', async () => {
  write('session-0a1b2c3d', '1.json', task(1, 'pending'));
  expect(await open()).toEqual([{ id: '1', subject: 'Task 1', status: 'pending' }]);
});

test('a task that cannot be read is not taken for done', async () => {
  write(SESSION, '1.json', '{"id": "1", "sta');
  await expect(open()).rejects.toThrow(/task 1 cannot be read/);
});

test('a task of an unknown shape is open', async () => {
  write(SESSION, '1.json', { id: '1' });
  expect(await open()).toEqual([{ id: '1', subject: 'task 1', status: 'unknown' }]);
});

test('an id that is a path leads nowhere', async () => {
  write('..', '1.json', task(1, 'pending'));
  expect(await open('..')).toBeUndefined();
  expect(await open('../..')).toBeUndefined();
});
