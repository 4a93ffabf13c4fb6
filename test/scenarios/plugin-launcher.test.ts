import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const PLUGIN = resolve(import.meta.dirname, '../../plugin');
const EVENT = JSON.stringify({
  hook_event_name: 'UserPromptExpansion',
  session_id: 's1',
  command_name: 'untildone:status',
  command_args: '',
});

let world: string;
beforeEach(() => {
  world = mkdtempSync(join(tmpdir(), "untildone launcher's "));
  mkdirSync(join(world, 'bin'));
  for (const tool of ['sh', 'cat', 'mkdir', 'cp']) symlinkSync(`/bin/${tool}`, join(world, 'bin', tool));
  // As it is in a clone: without a program.
  cpSync(join(PLUGIN, 'bin'), join(world, 'plugin/bin'), { recursive: true });
});
afterEach(() => rmSync(world, { recursive: true, force: true }));

function launch(word: string, { plugin = PLUGIN, input = EVENT } = {}) {
  const run = spawnSync('/bin/sh', [join(plugin, 'bin/untildone'), word], {
    cwd: world,
    env: { PATH: join(world, 'bin'), HOME: world, UNTILDONE_HOME: join(world, 'home') },
    input,
    encoding: 'utf8',
  });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

function onPath(name: string, script: string): void {
  writeFileSync(join(world, 'bin', name), script);
  chmodSync(join(world, 'bin', name), 0o755);
}

const withNode = () => symlinkSync(process.execPath, join(world, 'bin/node'));
const saidBy = (answer: string) => JSON.parse(answer);

test('with Node, nothing is said when a session starts, and commands work', () => {
  withNode();
  expect(launch('plugin-check')).toEqual({ code: 0, out: '', err: '' });
  expect(saidBy(launch('slash').out)).toMatchObject({
    decision: 'block',
    reason: expect.stringContaining('No loops yet'),
  });
  expect(existsSync(join(world, 'home'))).toBe(false);
});

test('without Node, a session, a command and a shell are told', () => {
  const message = expect.stringContaining('Node.js was not found on PATH');
  expect(saidBy(launch('plugin-check').out)).toEqual({ systemMessage: message });
  expect(saidBy(launch('slash').out)).toEqual({ decision: 'block', reason: message });
  expect(launch('status')).toEqual({ code: 2, out: '', err: message });
});

test('with a Node that is too old, they are told its version', () => {
  onPath('node', '#!/bin/sh\necho v18.20.4\n');
  const message = expect.stringContaining('has version 18, and the plugin untildone needs version 20');
  expect(saidBy(launch('plugin-check').out)).toEqual({ systemMessage: message });
  expect(saidBy(launch('slash').out)).toEqual({ decision: 'block', reason: message });
});

const cloned = () => ({ plugin: join(world, 'plugin') });

test('a clone without a program fetches it once, in its own version, when a person types a command', () => {
  withNode();
  onPath(
    'npm',
    `#!/bin/sh
echo "$@" >>"$HOME/npm.log"
mkdir -p "$3/node_modules/untildone" && cp -R '${join(PLUGIN, 'dist')}' "$3/node_modules/untildone/dist"
`,
  );
  expect(launch('plugin-check', cloned()).out).toBe('');
  expect(launch('status', cloned())).toMatchObject({
    code: 2,
    err: expect.stringContaining('npm install -g untildone@'),
  });
  expect(existsSync(join(world, 'npm.log'))).toBe(false);
  for (const _ of [1, 2]) expect(saidBy(launch('slash', cloned()).out).reason).toContain('No loops yet');
  expect(launch('status', cloned()).out).toContain('No loops yet');
  const log = spawnSync('/bin/cat', [join(world, 'npm.log')], { encoding: 'utf8' }).stdout;
  expect(log).toMatch(/^install --prefix \S*.*--ignore-scripts.* untildone@\d+\.\d+\.\d+\n$/);
});

test('a program that cannot be fetched is named, with what to do', () => {
  withNode();
  const message = expect.stringMatching(/could not be fetched\. Install it with: npm install -g untildone@/);
  expect(saidBy(launch('slash', cloned()).out)).toEqual({ decision: 'block', reason: message });
  onPath('npm', '#!/bin/sh\nexit 1\n');
  expect(saidBy(launch('slash', cloned()).out)).toEqual({ decision: 'block', reason: message });
});

test('an untildone on PATH is used, but never that of the project', () => {
  withNode();
  mkdirSync(join(world, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(world, 'node_modules/.bin/untildone'), '#!/bin/sh\necho of the project\n', {
    mode: 0o755,
  });
  expect(launch('status', cloned()).out).toBe('');
  onPath('untildone', '#!/bin/sh\necho "on PATH: $*"\n');
  expect(launch('status', cloned()).out).toBe('on PATH: status\n');
});
