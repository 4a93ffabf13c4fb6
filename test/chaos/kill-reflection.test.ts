/** The process that looks back on ended sessions is killed at its file operations, and cannot write where it should. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { permissionsCount, runCommand } from '../../src/dev/conformance/run-command.ts';
import { REFLECTION_CONFIG } from '../../src/engine/formats/lock/reflection-config.ts';
import { createHome, homeAt, projectFolder } from '../../src/engine/home/layout.ts';
import { queueReflection } from '../../src/engine/home/reflections.ts';
import { markReflection } from '../../src/engine/hook/wiring/mark-reflection.ts';
import { folderNameOf } from '../../src/read/reflect/reading/files.ts';
import { call, type FaultWorld, operationsOf } from '../support/chaos/faults.ts';
import { newWorld } from '../support/chaos/world.ts';
import { processesOf, waitFor } from '../support/live/processes.ts';
import { isLong } from '../support/long.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { bash, MadeTranscript } from '../support/reflect/made-transcript.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';
const LONG_MS = 3_600_000;
let world: FaultWorld;

/** A session of a project of document 004 that has ended and is queued. */
beforeAll(() => {
  const made = newWorld();
  const before = join(made.folder, 'as-it-was');
  world = {
    ...made,
    env: { ...made.env, CLAUDE_PROJECT_DIR: made.project },
    counts: '',
    restore() {
      for (const name of ['home', 'project']) {
        rmSync(join(made.folder, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
        cpSync(join(before, name), join(made.folder, name), { recursive: true, preserveTimestamps: true });
      }
    },
  };
  const { project, folder } = world;
  const transcript = join(folder, '.claude/projects', folderNameOf(project), `${SESSION}.jsonl`);
  for (const path of [transcript, join(project, REFLECTION_CONFIG)])
    mkdirSync(dirname(path), { recursive: true });
  const session = new MadeTranscript({ session: SESSION, cwd: project }).prompt('go');
  for (let i = 0; i < 3; i++) session.call(bash('npm run lint'));
  writeFileSync(transcript, session.text);
  writeFileSync(join(project, REFLECTION_CONFIG), '{"enabled": true}');
  const home = homeAt(world.home);
  createHome(home);
  const now = Date.now() - 1000;
  queueReflection(home, {
    v: 1,
    session: SESSION,
    project,
    transcript,
    minTurns: 0,
    queuedAt: now,
    ended: true,
  });
  expect(markReflection(project, { session: SESSION, transcript, minTurns: 0, now }, home)).toEqual([]);
  for (const name of ['home', 'project'])
    cpSync(join(folder, name), join(before, name), { recursive: true, preserveTimestamps: true });
});
afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

const inProject = (path: string) => join(world.project, '.claude/runtime', path);
const inHome = () => join(projectFolder(homeAt(world.home), world.project), 'reflections', `${SESSION}.json`);
const lines = (path: string) => readFileSync(path, 'utf8').trim().split('\n');
/** What waits. A lock whose process is gone holds nobody. */
const queue = () =>
  readdirSync(join(world.home, 'reflections')).filter(
    (name) => !/^(?:log\.jsonl|lock.*|.*\.tmp)$/.test(name),
  );

/** All is there, whole and once, and nothing waits any more. */
function expectDone(): void {
  for (const path of [inProject(`logs/${SESSION}/reflection_summary.json`), inHome()])
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      session_id: SESSION,
      metrics: { tool_uses: 3 },
    });
  expect(queue()).toEqual([]);
  const signs = ['.reflection_pending', '.reflection_lock'].map((name) => inProject(`reflection/${name}`));
  expect(signs.filter((path) => existsSync(path))).toEqual([]);
  expect(
    lines(join(world.home, 'reflections/log.jsonl')).map(
      (line) => (JSON.parse(line) as { outcome: string }).outcome,
    ),
  ).toEqual(['done']);
  const counted = lines(inProject('metrics/stop_hook_metrics.jsonl'));
  expect(counted.filter((line) => line.includes('reflection_triggered'))).toHaveLength(1);
}

test(
  'killed at any file operation: the next process does it, and nothing is lost or there twice',
  async () => {
    world.restore();
    const operations = await operationsOf(world, ['reflect-queued']);
    expectDone();
    const writes = operations.flatMap(({ writes: isWrite }, i) => (isWrite ? [i + 1] : []));
    // The last ones first: there the summary is written, and the session taken off the queue.
    const points = isLong
      ? operations.map((_, i) => i + 1)
      : writes.filter((_, i) => (writes.length - 1 - i) % 6 === 0);
    const wrong: string[] = [];
    for (const at of points) {
      world.restore();
      const { signal } = await call(world, ['reflect-queued'], '', { at, code: 'KILL' });
      try {
        expect(signal).toBe('SIGKILL');
        await call(world, ['reflect-queued']);
        expectDone();
      } catch (error) {
        const { name, path } = operations[at - 1] ?? {};
        wrong.push(`${at} ${name} ${path?.replace(world.folder, '')}: ${(error as Error).message}`);
      }
    }
    expect(wrong.join('\n\n')).toBe('');
    expect(points.length).toBeGreaterThan(3);
  },
  LONG_MS,
);

test('killed while it reads a transcript that never ends: any later command starts it again', async () => {
  world.restore();
  const operations = await operationsOf(world, ['reflect-queued']);
  const reading = operations.findIndex(
    ({ name, path }) => name === 'readSync' && path.endsWith(`${SESSION}.jsonl`),
  );
  world.restore();
  await call(world, ['reflect-queued'], '', { at: reading + 1, code: 'KILL' });
  expect(existsSync(inProject('reflection/.reflection_lock'))).toBe(true);
  expect(queue()).toContain(`${SESSION}.json`);
  expect(await call(world, ['status'])).toMatchObject({ stderr: '' });
  await waitFor(() => !queue().includes(`${SESSION}.json`), PATIENCE_MS, 'the summary');
  await waitFor(async () => (await processesOf(world.folder)).length === 0, PATIENCE_MS, 'the background');
  expectDone();
});

test.runIf(permissionsCount())(
  'a project that cannot be written: you are told once, and the home keeps the summary',
  async () => {
    world.restore();
    rmSync(join(world.home, 'reflections'), { recursive: true });
    rmSync(inProject(''), { recursive: true });
    chmodSync(join(world.project, '.claude'), 0o555);
    const hook = (name: string) =>
      runCommand({
        line: `exec "${process.execPath}" "${join(world.folder, 'dist/untildone.cjs')}" hook`,
        cwd: world.project,
        env: world.env,
        input: JSON.stringify({
          hook_event_name: name,
          session_id: SESSION,
          cwd: world.project,
          reason: 'other',
        }),
        limitMs: PATIENCE_MS,
        unprivileged: true,
      });
    const said = await hook('Stop');
    expect(JSON.parse(said.stdout)).toMatchObject({ systemMessage: expect.stringContaining('EACCES') });
    expect(JSON.parse(said.stdout).decision).toBeUndefined();
    expect((await hook('Stop')).stdout).toBe('');
    await hook('SessionEnd');
    await waitFor(() => existsSync(inHome()) && queue().length === 0, PATIENCE_MS, 'the summary');
    await waitFor(async () => (await processesOf(world.folder)).length === 0, PATIENCE_MS, 'the background');
    const [line = ''] = lines(join(world.home, 'reflections/log.jsonl'));
    expect(JSON.parse(line)).toMatchObject({
      outcome: 'done',
      problems: [expect.stringContaining('EACCES')],
    });
    expect(existsSync(inProject(''))).toBe(false);
    chmodSync(join(world.project, '.claude'), 0o755);
  },
);
