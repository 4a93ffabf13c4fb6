import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDemo } from '../../src/dev/demo/demo-folder.ts';
import type { Script } from '../../src/dev/simulator/script.ts';
import { prepareClientHome } from '../../src/engine/client/sdk/find-client.ts';
import {
  CLAUDE,
  clientThat,
  demo,
  endOf,
  person,
  REAL_CLIENT,
  simulatorWith,
  startDemo,
} from '../support/live/demo.ts';
import { processesOf, waitFor } from '../support/live/processes.ts';
import { BIN } from '../support/live/untildone.ts';
import { few, longDescribe, longTest } from '../support/long.ts';
import { workOfChildrenMs } from '../support/work-time.ts';

const DEMO = openDemo('one-session', resolve(import.meta.dirname, '../../src'));
const EVERY_CHECK = DEMO.expect.map(({ says }) => says);
const REPAIRED = 'leap-year.js';

describe('the demo', () => {
  test('plays the whole story from an empty home and leaves nothing behind', async () => {
    const who = person({ ANTHROPIC_AUTH_TOKEN: 'not to be used', CLAUDECODE: '1' });
    const began = workOfChildrenMs();
    const { code, stdout, stderr } = await demo(who);
    expect(stderr).toBe('');
    expect(code, stdout).toBe(0);
    expect(workOfChildrenMs() - began).toBeLessThan(30_000);
    expect([who.home, who.temporary, who.cwd].map((folder) => readdirSync(folder))).toEqual([[], [], []]);
    expect(stdout).not.toContain('\x1b');
    for (const name of EVERY_CHECK) expect(stdout).toContain(`ok   ${name}\n`);
    expect(stdout).toMatch(/untildone {2}STOP HELD\. Claude is told:\n +\| iteration 2 of 10\./);
    expect(stdout).toMatch(/\$ untildone status\n {2}\S+ {2}verified_done {2}iteration 2 of 10/);
    expect(stdout).toMatch(/\$ untildone log\n.*#1 {2}started/);
  });

  longTest('with --keep the project, its journal and the state stay, and their folder is named', async () => {
    const who = person();
    const { code, stdout } = await demo(who, ['--keep']);
    expect(code).toBe(0);
    const [, root = ''] = /Kept:\n {2}(.+)\n$/.exec(stdout) ?? [];
    expect(dirname(root)).toBe(who.temporary);
    expect(readFileSync(join(root, 'project', REPAIRED), 'utf8')).toBe(
      DEMO.expect.find(({ files }) => files)?.files?.[REPAIRED],
    );
    expect(readdirSync(join(root, 'project'))).toEqual(expect.arrayContaining(['.claude', '.git']));
    expect(readdirSync(join(root, 'untildone-home', 'projects'))).toHaveLength(1);
    expect(readdirSync(who.home)).toEqual([]);
  });

  test('without git one line says what is missing', async () => {
    const who = person();
    const bin = join(who.root, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexit 127\n', { mode: 0o755 });
    who.env.PATH = `${bin}:${who.env.PATH}`;
    const { code, stderr } = await demo(who);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^untildone: git was not found .*\n$/);
  });
});

longDescribe('a step that does not happen is named, with exit code 1', () => {
  test('the real client with its hooks switched off holds nobody', async () => {
    const who = person();
    const client = clientThat(who, `exec ${REAL_CLIENT} --settings '{"disableAllHooks":true}'`);
    const { code, missed } = await demo(who, ['--claude', client]);
    expect(code).toBe(1);
    expect(missed).toContain('its first claim to be finished is held');
    expect(missed).toContain('the loop ends as verified_done');
    expect(missed).not.toContain('the agent starts a loop in its own session');
    expect(readdirSync(who.temporary)).toEqual([]);
  });

  test('the real client without the right to edit repairs nothing', async () => {
    const who = person();
    const client = clientThat(who, `exec ${REAL_CLIENT} --disallowedTools Edit`);
    const { code, missed } = await demo(who, ['--claude', client]);
    expect(code).toBe(1);
    expect(missed).toContain(`it repairs ${REPAIRED}`);
    expect(missed).toContain('the test passes when the demo itself runs it');
    expect(missed).not.toContain('its first claim to be finished is held');
  });

  test('a client that only says that it was called does nothing', async () => {
    const who = person();
    const client = clientThat(who, 'echo "{}"; echo "I am no client" >&2; exit 5');
    const { code, stdout, missed } = await demo(who, ['--claude', client]);
    expect(code).toBe(1);
    expect(missed).toHaveLength(EVERY_CHECK.length - 2);
    expect(stdout).toContain('Claude Code ended with exit code 5: I am no client');
  });
});

describe('without a client', () => {
  test('one line says how to get one', async () => {
    const who = person({ PATH: '/nonexistent' });
    const alone = join(who.root, 'installed alone');
    cpSync(dirname(BIN), alone, { recursive: true });
    const { code, stdout, stderr } = await demo(who, [], join(alone, 'untildone.cjs'));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^untildone: no Claude Code found; install it .* --claude PATH\n$/);
  });

  test('a path that leads to none is refused, and no other is taken', async () => {
    const { code, stdout, stderr } = await demo(person(), ['--claude', './no-such-claude']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('./no-such-claude is not a program');
  });
});

describe('interrupted', () => {
  test.each(
    few(
      [
        ['SIGINT', 130],
        ['SIGTERM', 143],
      ] as const,
      1,
    ),
  )('by %s the client ends, the folder goes, and the exit code says so', async (signal, expected) => {
    const who = person();
    const simulator = await simulatorWith({ turns: [{ hang: true, repeat: 100 }] });
    const client = clientThat(who, `ANTHROPIC_BASE_URL='${simulator.url}' exec ${REAL_CLIENT}`);
    const child = startDemo(who, ['--claude', client]);
    const end = endOf(child);
    await waitFor(() => simulator.requests().length > 0, undefined, 'the client to ask the model');
    child.kill(signal);
    expect((await end).code).toBe(expected);
    expect(readdirSync(who.temporary)).toEqual([]);
    expect(await processesOf(who.root)).toEqual([]);
  });

  longTest('by a reader that goes away: nothing is left', async () => {
    const who = person();
    const child = startDemo(who, []);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    await once(child, 'exit');
    expect(child.exitCode).toBe(141);
    expect(readdirSync(who.temporary)).toEqual([]);
  });
});

describe('--real', () => {
  /** Someone who is logged in: here that means a key, and a model that is the test's own. */
  async function loggedIn(script: Script) {
    const simulator = await simulatorWith(script);
    const who = person({
      ANTHROPIC_BASE_URL: simulator.url,
      ANTHROPIC_API_KEY: 'their own key',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    });
    prepareClientHome(who.home);
    return { who, simulator };
  }

  const { turns } = DEMO;

  longTest("uses the person's own login and home, and keeps everything of ours out of it", async () => {
    const { who, simulator } = await loggedIn({ turns: [...turns] });
    const { code, stdout } = await demo(who, ['--real', '--yes', '--claude', CLAUDE]);
    expect(code, stdout).toBe(0);
    const [asked] = simulator.requests().filter(({ kind }) => kind === 'messages');
    expect(asked?.headers['x-api-key']).toBe('their own key');
    expect(readdirSync(who.home)).not.toContain('.untildone');
    expect(readdirSync(who.home)).toContain('.claude.json');
    const kept = readdirSync(who.home, { recursive: true, encoding: 'utf8' });
    expect(kept.filter((path) => path.endsWith('.jsonl'))).toEqual([]);
    expect(readdirSync(who.temporary).filter((name) => name.startsWith('untildone'))).toEqual([]);
  });

  longTest(
    'does not ask for the way of the script: a model that is right at once has done it too',
    async () => {
      const [start, read, , , edit, , promise] = turns;
      if (!start || !read || !edit || !promise) throw new Error('the story has changed');
      const { who } = await loggedIn({ turns: [start, read, edit, promise] });
      const { code, stdout } = await demo(who, ['--real', '--yes', '--claude', CLAUDE]);
      expect(code, stdout).toBe(0);
    },
  );

  longTest('a model that empties the test has not done it, and is not verified', async () => {
    const [start, , , , , , last] = turns;
    if (!start || !last) throw new Error('the story has changed');
    const file_path = 'leap-year.test.js';
    const { who } = await loggedIn({
      turns: [
        start,
        { tools: [{ name: 'Read', input: { file_path } }] },
        { tools: [{ name: 'Write', input: { file_path, content: '' } }] },
        last,
      ],
    });
    const { code, missed } = await demo(who, ['--real', '--yes', '--claude', CLAUDE]);
    expect(code).toBe(1);
    expect(missed).toContain('it leaves package.json and leap-year.test.js and untildone.yaml as they were');
    expect(missed).toContain('the loop ends as verified_done');
  });

  test('starts nothing without a yes, and nothing inside a session of Claude Code', async () => {
    const who = person();
    const client = clientThat(who, 'touch "$HOME/started"');
    const unasked = await demo(who, ['--real', '--claude', client]);
    expect(unasked.code).toBe(2);
    expect(unasked.stderr).toContain('add --yes');
    who.env.CLAUDECODE = '1';
    const inside = await demo(who, ['--real', '--yes', '--claude', client]);
    expect(inside.code).toBe(2);
    expect(inside.stderr).toContain('"untildone demo --real" is for a person');
    expect(readdirSync(who.home)).toEqual([]);
  });
});
