import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { HookEvent } from '../../../../src/engine/core/loop/event.ts';
import { createHome, homeAt } from '../../../../src/engine/home/layout.ts';
import { openPorts } from '../../../../src/engine/hook/wiring/ports.ts';
import * as formats from '../../../../src/main/formats.ts';
import * as judgeBundle from '../../../../src/main/judge.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';

const RALPH = '.claude/ralph-loop.local.md';
const state = (owner: string) =>
  `---\nactive: true\niteration: 1\nsession_id: ${owner}\nmax_iterations: 5\ncompletion_promise: "X"\n---\n\nwork\n`;

function scene() {
  const folder = temporaryFolder();
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const project = join(folder, 'project');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  let loaded = 0;
  const env = { HOME: join(folder, 'user'), PATH: process.env.PATH, CLAUDE_PROJECT_DIR: project };
  /** How often the formats were loaded for an event of a session. */
  const loadsAt = async (fields: object, more: NodeJS.ProcessEnv = {}) => {
    loaded = 0;
    const ports = openPorts(
      home,
      { ...env, ...more },
      async () => judgeBundle,
      async () => {
        loaded++;
        return formats;
      },
    );
    const tool = { name: 'PreToolUse', tool: 'Bash', input: {}, toolUseId: 't1', transcript: '/nowhere' };
    const found = await ports.foreign(
      { ...tool, session: 'mine', cwd: project, ...fields } as HookEvent,
      false,
    );
    return { loaded, loops: found.loops.length };
  };
  return { write, loadsAt, folder };
}

const LOADED = { loaded: 1, loops: 0 };
const UNLOADED = { loaded: 0, loops: 0 };

test('at a tool call of a session that it does not name, a foreign state costs nothing', async () => {
  const { write, loadsAt } = scene();
  write(RALPH, state('other'));
  write('.claude/runtime/locks/.lock_active', 'session_id: other\n');
  write('.claude/data/ralph-loops/current/feature_list.json', '{ "features": [] }');
  expect(await loadsAt({})).toEqual(UNLOADED);
  expect(await loadsAt({ name: 'Stop' })).toMatchObject({ loaded: 1 });
});

test('a state that names the session is taken up at its next tool call', async () => {
  const { write, loadsAt } = scene();
  write(RALPH, state('mine'));
  expect(await loadsAt({})).toEqual({ loaded: 1, loops: 1 });
  // Its marker says so from now on, whatever the file says.
  write(RALPH, state('other'));
  expect(await loadsAt({})).toMatchObject({ loaded: 1 });
});

test('a state without an owner is first taken up at a Stop', async () => {
  const { write, loadsAt } = scene();
  write('.claude/runtime/locks/.lock_active', '');
  expect(await loadsAt({})).toEqual(UNLOADED);
  expect(await loadsAt({ name: 'Stop' })).toEqual({ loaded: 1, loops: 1 });
  expect(await loadsAt({ session: 'another' })).toEqual(UNLOADED);
  expect(await loadsAt({})).toEqual({ loaded: 1, loops: 1 });
});

test.each([
  [
    'under a contract, whose loops begin from the tree of the first event',
    (s: ReturnType<typeof scene>) => s.write('untildone.yaml', 'gates: {}\n'),
    {},
    {},
  ],
  ['without a transcript, because lock mode counts tool calls then', () => {}, { transcript: undefined }, {}],
  ['with a folder of loops of its own', () => {}, {}, { RALPH_LOOP_DIR: 'loops' }],
  [
    'with escapes in the state',
    (s: ReturnType<typeof scene>) => s.write(RALPH, state('"\\u006dine"')),
    {},
    {},
  ],
  ['with a state that is no file', (s: ReturnType<typeof scene>) => s.write(`${RALPH}/x`, ''), {}, {}],
])('the formats are asked %s', async (_, lay, fields, env) => {
  const at = scene();
  at.write('.claude/runtime/locks/.lock_active', '');
  lay(at);
  if ('RALPH_LOOP_DIR' in env) at.write('loops/feature_list.json', '{ "features": [] }');
  expect(await at.loadsAt(fields, env)).toMatchObject(LOADED);
});
