/** What the built program loads to answer a tool call: events of tool calls are by far the most frequent. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newWorld, startLoop, type World } from '../support/chaos/world.ts';
import { initRepository } from '../support/repository.ts';

const SESSION = 'tool-call-loads';
const ALLOWED = 'npm test -- --run src && git status | head';

let world: World;
beforeEach(() => {
  world = newWorld();
});
afterEach(() => rmSync(world.folder, { recursive: true, force: true }));

interface Loaded {
  stdout: string;
  stderr: string;
  /** Our own files. */
  files: string[];
  /** Modules of Node that a bare one does not load. */
  modules: string[];
}

const bundle = (name: string) => join(world.folder, 'dist', name);

/** Answers a tool call, and says what was loaded for it. */
function toolCall(command: string, session = SESSION): Loaded {
  const list = join(world.folder, 'loaded.json');
  const preload = join(world.folder, 'preload.cjs');
  writeFileSync(
    preload,
    `const bare = new Set(process.moduleLoadList);
process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify({
  files: Object.keys(require.cache),
  modules: process.moduleLoadList.filter((name) => !bare.has(name)),
})));`,
  );
  const event = {
    hook_event_name: 'PreToolUse',
    session_id: session,
    cwd: world.project,
    transcript_path: join(world.folder, 'nothing.jsonl'),
    tool_name: 'Bash',
    tool_input: { command },
  };
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--require', preload, bundle('untildone.cjs'), 'hook'],
    { input: JSON.stringify(event), env: world.env, cwd: world.project, encoding: 'utf8' },
  );
  const { files, modules } = JSON.parse(readFileSync(list, 'utf8')) as Pick<Loaded, 'files' | 'modules'>;
  const own = files.filter((file) => file !== preload).map((file) => basename(file));
  return { stdout, stderr, files: own.sort(), modules: modules.map((name) => name.replace(/^\w+ /, '')) };
}

/** A loop whose contract has rules for tools. */
function startWithRules(): void {
  initRepository(world.project);
  const cli = (...args: string[]) =>
    execFileSync(process.execPath, [bundle('untildone.cjs'), ...args], {
      cwd: world.project,
      env: world.env,
      encoding: 'utf8',
    });
  writeFileSync(
    join(world.project, 'untildone.yaml'),
    'gates:\n  there: { run: test -e there }\ntools: safe\n',
  );
  cli('trust', '--fingerprint', /Fingerprint: (\w+)/.exec(cli('trust', '--show'))?.[1] ?? '');
  cli('start', 'a task', '--session', SESSION);
}

describe('a tool call that nothing forbids', () => {
  test('loads tool.cjs alone, and neither processes nor the network nor the loader of ES modules of Node', () => {
    startLoop(world, SESSION);
    const { stdout, stderr, files, modules } = toolCall(ALLOWED);
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
    expect(files).toEqual(['tool.cjs', 'untildone.cjs']);
    const unwanted = /^(?:child_process|net|dgram|http|worker_threads|module|tty|zlib|fs\/promises)$/;
    // From 22.8 on, Node keeps compiled code for us, which takes its module `module`.
    const keepsCode = Number.parseInt(process.versions.node, 10) >= 22;
    expect(modules.filter((name) => unwanted.test(name) && !(keepsCode && name === 'module'))).toEqual([]);
  });

  test('loads no more beside the foreign state of another session', () => {
    const state = join(world.project, '.claude/ralph-loop.local.md');
    mkdirSync(dirname(state), { recursive: true });
    writeFileSync(
      state,
      '---\nactive: true\niteration: 1\nsession_id: another\nmax_iterations: 0\ncompletion_promise: "X"\n---\nBuild\n',
    );
    const { files, modules } = toolCall(ALLOWED);
    expect(files).toEqual(['tool.cjs', 'untildone.cjs']);
    // Nothing is sealed for a session without a loop.
    expect(modules).not.toContain('crypto');
    startLoop(world, SESSION);
    expect(toolCall(ALLOWED).files).toEqual(['tool.cjs', 'untildone.cjs']);
    writeFileSync(join(world.project, 'untildone.yaml'), 'gates:\n  there: { run: test -e there }\n');
    expect(toolCall(ALLOWED).files).toEqual(['tool.cjs', 'untildone.cjs']);
  });

  test('loads the formats where that state may be its own', () => {
    const state = join(world.project, '.claude/ralph-loop.local.md');
    mkdirSync(dirname(state), { recursive: true });
    writeFileSync(state, `---\nactive: true\nsession_id: ${SESSION}\n---\nBuild\n`);
    expect(toolCall(ALLOWED).files).toContain('formats.cjs');
  });

  test('loads the rules for tools where the contract has some', () => {
    startWithRules();
    const { stdout, files, modules } = toolCall(ALLOWED);
    expect(stdout).toBe('');
    expect(files).toEqual(['tool-rules.cjs', 'tool.cjs', 'untildone.cjs']);
    expect(modules).not.toContain('child_process');
  });
});

describe('a copy of the program that lacks a part for tool calls', () => {
  const refused = expect.objectContaining({ permissionDecision: 'deny' });

  test.each([['tool.cjs'], ['tool-rules.cjs'], ['tool-rest.cjs']])(
    'answers them by events.cjs: without %s',
    (name) => {
      startWithRules();
      const before = toolCall('rm -rf ~');
      expect(JSON.parse(before.stdout).hookSpecificOutput).toEqual(refused);
      unlinkSync(bundle(name));
      const { stdout, stderr, files } = toolCall('rm -rf ~');
      expect({ stdout, stderr }).toEqual({ stdout: before.stdout, stderr: '' });
      expect(files).toEqual(['events.cjs', 'untildone.cjs']);
    },
  );

  test.each([[0], [5000]])('answers them by events.cjs where %i bytes are left of tool.cjs', (bytes) => {
    startLoop(world, SESSION);
    const text = readFileSync(bundle('tool.cjs'));
    // The bundles of all worlds are one file each: nobody writes into it.
    unlinkSync(bundle('tool.cjs'));
    writeFileSync(bundle('tool.cjs'), text);
    truncateSync(bundle('tool.cjs'), bytes);
    const { stdout, stderr, files } = toolCall(ALLOWED);
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
    expect(files).toContain('events.cjs');
  });
});
