import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { layoutFor, layoutNames } from '../../src/dev/conformance/layouts.ts';
import { FORMATS, type Format } from '../../src/dev/conformance/scenario.ts';
import { newWorld, startLoop, type World } from '../support/chaos/world.ts';

let world: World;

beforeAll(() => {
  world = newWorld();
});

afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

let said = 0;

/** Our own files that a held Stop has loaded when it ends. */
function loadedAtStop(session: string, project: string): string[] {
  const list = join(world.folder, 'loaded.txt');
  const preload = join(world.folder, 'preload.cjs');
  writeFileSync(
    preload,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, Object.keys(require.cache).join('\\n')));`,
  );
  const bin = join(world.folder, 'dist', 'untildone.cjs');
  const event = {
    hook_event_name: 'Stop',
    session_id: session,
    cwd: project,
    transcript_path: '/nowhere',
    last_assistant_message: `Part ${++said} is written.`,
  };
  const { stdout, stderr } = spawnSync(process.execPath, ['--require', preload, bin, 'hook'], {
    input: JSON.stringify(event),
    env: { ...world.env, CLAUDE_PROJECT_DIR: project },
    cwd: project,
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout), stderr).toMatchObject({ decision: 'block' });
  const files = readFileSync(list, 'utf8').split('\n');
  return files
    .filter((file) => file !== preload)
    .map((file) => basename(file))
    .sort();
}

test('a Stop that is held loads the bundle of Stops, and nothing more', () => {
  startLoop(world, 'native');
  expect(loadedAtStop('native', world.project)).toEqual(['hook.cjs', 'untildone.cjs']);
});

/** The session owns a state of this format from now on. */
function foreignState(format: Format, session: string): string {
  const project = join(world.folder, `project-${format}`);
  const loop = { session: 'S1', iteration: 1, maxIterations: 50, promise: 'NEVER', task: 'Build it' };
  const filled = (text: string) =>
    text.replaceAll('{S1}', session).replaceAll('{now}', new Date().toISOString());
  for (const [path, text] of Object.entries(layoutFor(format, layoutNames(format)).layOut(loop))) {
    const file = path.startsWith('home/') ? join(world.folder, path.slice(5)) : join(project, path.slice(8));
    mkdirSync(dirname(filled(file)), { recursive: true });
    writeFileSync(filled(file), filled(text));
  }
  mkdirSync(project, { recursive: true });
  return project;
}

test.each(FORMATS)(
  'from its second Stop on, a loop of %s loads what its format means, no other format and no gates',
  (format) => {
    const session = `session-${format}`;
    const project = foreignState(format, session);
    expect(loadedAtStop(session, project)).toContain('formats-rest.cjs');
    for (let stop = 2; stop < 4; stop++)
      expect(loadedAtStop(session, project)).toEqual([
        `format-${format}.cjs`,
        'formats.cjs',
        'hook.cjs',
        'untildone.cjs',
      ]);
  },
);
