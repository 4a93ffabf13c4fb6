import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type DoctorScene,
  type MadeScene,
  makeHealthyScene,
  type Settings,
} from '../../support/cli/doctor-scene.ts';
import { loadProgram } from '../../support/in-process.ts';

let made: MadeScene;
let scene: DoctorScene;
beforeAll(async () => {
  made = await makeHealthyScene(await loadProgram());
});
beforeEach(() => {
  scene = made.again();
});
afterAll(() => made.remove());

const OLD_SETTINGS = join(import.meta.dirname, '../../fixtures/settings/0.1.0.json');
const FIRST_STOP = (settings: Settings) => settings.hooks.Stop?.[0]?.hooks[0] ?? { type: '', command: '' };
const local = () => join(scene.project, '.claude/settings.local.json');
const contract = () => join(scene.project, 'untildone.yaml');
const script = () => join(scene.home, 'hook.sh');

describe('a healthy set-up', () => {
  test('has no findings but what is worth knowing, and says what is in order', async () => {
    const report = await scene.doctor();
    expect(report.findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(report).toMatchObject({ healthy: true, exit_code: 0, proof: null, mended: [] });
    expect(report.ok.join('\n')).toMatch(/^Node \d+.*Claude Code 2\.1\.325.*the contract, and your trust/s);
  });

  test('is told in words, too, and nothing is left in the home', async () => {
    const before = readdirSync(scene.home).sort();
    const { code, stdout, stderr } = await scene.run(['doctor', '--no-proof']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^untildone 0\.0\.0 in .*\n\nok {7}Node .*\nNo errors\. Nothing was proven: /s);
    expect(readdirSync(scene.home).sort()).toEqual(before);
  });

  test('has nothing to mend', async () => {
    expect((await scene.doctor('--fix')).mended).toEqual([]);
  });
});

/** What breaks a set-up: `mends` where --fix does. */
interface Broken {
  id: string;
  severity: 'error' | 'warning' | 'note';
  mends?: true;
  breakIt(): unknown;
  what?: RegExp;
}

const BROKEN: Record<string, Broken> = {
  'no hooks in the settings': {
    id: 'hooks_missing',
    severity: 'error',
    mends: true,
    breakIt: () => rmSync(scene.settings),
  },
  'the Stop hook was removed': {
    id: 'hooks_incomplete',
    severity: 'error',
    mends: true,
    breakIt: () => scene.edit(({ hooks }) => delete hooks.Stop),
    what: /missing there: Stop/,
  },
  'an event less, as after an upgrade': {
    id: 'hooks_incomplete',
    severity: 'warning',
    mends: true,
    breakIt: () => scene.edit(({ hooks }) => delete hooks.PermissionRequest),
  },
  'hooks that stand there twice': {
    id: 'hooks_doubled',
    severity: 'warning',
    mends: true,
    breakIt: () => scene.edit(({ hooks }) => hooks.Stop?.push(...structuredClone(hooks.Stop))),
    what: /twice: Stop/,
  },
  'hooks of an older version': {
    id: 'hooks_older',
    severity: 'warning',
    mends: true,
    breakIt: () => copyFileSync(OLD_SETTINGS, scene.settings),
  },
  'a timeout that ends every judging': {
    id: 'hooks_changed',
    severity: 'error',
    mends: true,
    breakIt: () =>
      scene.edit((settings) => {
        FIRST_STOP(settings).timeout = 5;
      }),
  },
  'a Stop hook with a condition, which never runs': {
    id: 'hooks_changed',
    severity: 'error',
    mends: true,
    breakIt: () =>
      scene.edit((settings) => {
        FIRST_STOP(settings).if = 'Bash(git *)';
      }),
    what: /Stop would not run/,
  },
  'hooks of two versions in two places': {
    id: 'hooks_of_two_versions',
    severity: 'warning',
    breakIt: () => copyFileSync(OLD_SETTINGS, local()),
  },
  'settings that are not JSON': {
    id: 'settings_not_json',
    severity: 'error',
    breakIt: () => appendFileSync(scene.settings, '// mine\n'),
    what: /line \d+, column 1: not JSON: a comment/,
  },
  'settings that are a folder': {
    id: 'settings_unreadable',
    severity: 'warning',
    breakIt: () => mkdirSync(local()),
  },
  'hooks that are switched off': {
    id: 'hooks_disabled',
    severity: 'error',
    breakIt: () => writeFileSync(local(), '{"disableAllHooks":true}'),
  },
  'a variable that moves the home': {
    id: 'settings_variable',
    severity: 'error',
    breakIt: () => writeFileSync(local(), '{"env":{"UNTILDONE_HOME":"/elsewhere"}}'),
  },
  'a block cap of one': {
    id: 'block_cap_low',
    severity: 'warning',
    breakIt: () => writeFileSync(local(), '{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"1"}}'),
    what: /after 1 hold in a row/,
  },
  'a block cap in the environment': {
    id: 'block_cap_low',
    severity: 'warning',
    breakIt: () => {
      scene.env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP = '2';
    },
  },
  'a contract that was changed': {
    id: 'contract_changed',
    severity: 'error',
    breakIt: () => writeFileSync(contract(), 'gates: { tests: { run: "true; true" } }\n'),
  },
  'a contract that nobody trusts': {
    id: 'contract_untrusted',
    severity: 'error',
    breakIt: () => scene.run(['trust', '--revoke']),
  },
  'a contract with a mistake': {
    id: 'contract_broken',
    severity: 'error',
    breakIt: () => writeFileSync(contract(), 'gates: { tests: { rum: "true" } }\n'),
    what: /rum/,
  },
  'walls that are required and not there': {
    id: 'sandbox_unavailable',
    severity: 'error',
    breakIt: () => {
      appendFileSync(contract(), 'sandbox: required\n');
      return scene.trust();
    },
  },
  'a script that is gone': {
    id: 'scripts_missing',
    severity: 'error',
    mends: true,
    breakIt: () => rmSync(script()),
  },
  'an installation that was moved': {
    id: 'scripts_stale',
    severity: 'error',
    mends: true,
    breakIt: () => {
      const moved = join(scene.folder, 'moved.cjs');
      renameSync(scene.program, moved);
      mkdirSync(join(scene.folder, 'new'));
      scene.program = join(scene.folder, 'new/untildone.cjs');
      writeFileSync(scene.program, '// the program');
    },
    what: /which was moved or deleted/,
  },
  'a script that was edited': {
    id: 'scripts_stale',
    severity: 'error',
    mends: true,
    breakIt: () => writeFileSync(script(), `exit 0\n${readFileSync(script(), 'utf8')}`),
  },
  'a key that others can read': {
    id: 'key_open',
    severity: 'error',
    mends: true,
    breakIt: () => chmodSync(join(scene.home, 'key'), 0o644),
  },
  'a home that others can read': {
    id: 'home_open',
    severity: 'warning',
    mends: true,
    breakIt: () => chmodSync(scene.home, 0o755),
  },
  'a damaged key': {
    id: 'key_damaged',
    severity: 'error',
    breakIt: () => writeFileSync(join(scene.home, 'key'), 'nonsense'),
  },
  'a home that is no folder': {
    id: 'home_unusable',
    severity: 'error',
    breakIt: () => {
      rmSync(scene.home, { recursive: true });
      writeFileSync(scene.home, '');
    },
  },
  'no home': {
    id: 'home_missing',
    severity: 'error',
    breakIt: () => rmSync(scene.home, { recursive: true }),
  },
  'the plugin of another loop': {
    id: 'other_loop',
    severity: 'warning',
    breakIt: () => writeFileSync(local(), '{"enabledPlugins":{"ralph-loop@official":true}}'),
  },
  'the Stop hook of another loop': {
    id: 'other_loop',
    severity: 'warning',
    breakIt: () =>
      scene.edit(({ hooks }) =>
        hooks.Stop?.push({
          hooks: [{ type: 'command', command: 'python3 .claude/hooks/ralph_loop_controller.py' }],
        }),
      ),
  },
  'another done-gate': {
    id: 'other_stop_hook',
    severity: 'note',
    breakIt: () =>
      scene.edit(({ hooks }) => hooks.Stop?.push({ hooks: [{ type: 'command', command: 'npx isitdone' }] })),
  },
  'a hook of an untildone that is gone': {
    id: 'hooks_moved',
    severity: 'warning',
    breakIt: () =>
      scene.edit(({ hooks }) =>
        hooks.Stop?.push({
          hooks: [{ type: 'command', command: 'node "/opt/old one/untildone.cjs" hook' }],
        }),
      ),
  },
  'no Claude Code': {
    id: 'client_missing',
    severity: 'warning',
    breakIt: () => rmSync(join(scene.folder, 'bin/claude')),
  },
  'an old Claude Code': {
    id: 'client_too_old',
    severity: 'error',
    breakIt: () => scene.client('2.1.20'),
    what: /Claude Code 2\.1\.20 does not know all events of our hooks.*nobody is held/,
  },
  'hooks of before, with an event that is no longer ours': {
    id: 'hooks_older',
    severity: 'warning',
    mends: true,
    breakIt: () => scene.edit(({ hooks }) => Object.assign(hooks, { UserPromptExpansion: hooks.Stop })),
  },
  'a Claude Code without mods': {
    id: 'client_too_old',
    severity: 'note',
    breakIt: () => scene.client('2.1.200'),
  },
  'a Claude Code that does not start': {
    id: 'client_does_not_start',
    severity: 'error',
    breakIt: () => writeFileSync(join(scene.folder, 'bin/claude'), '#!/bin/sh\necho broken >&2; exit 1\n'),
    what: /broken/,
  },
  'no git': {
    id: 'git_missing',
    severity: 'warning',
    breakIt: () => rmSync(join(scene.folder, 'bin/git')),
  },
  'a damaged repository': {
    id: 'git_broken',
    severity: 'warning',
    breakIt: () =>
      writeFileSync(join(scene.project, '.git/index'), 'not an index, but long enough to be read'),
  },
  'a lock of a git command that was killed': {
    id: 'git_lock',
    severity: 'warning',
    breakIt: () => {
      const lock = join(scene.project, '.git/index.lock');
      writeFileSync(lock, '');
      execFileSync('touch', ['-d', '2 hours ago', lock]);
    },
  },
  'a lock of a process that was killed': {
    id: 'locks_stale',
    severity: 'note',
    mends: true,
    breakIt: () => writeFileSync(join(scene.home, 'files.lock'), `999999999 1 ${hostname()}\nx\n`),
  },
  'a loop whose journal is damaged': {
    id: 'loop_unreadable',
    severity: 'error',
    breakIt: async () => {
      await scene.run(['start', '--session', 's1', 'a task']);
      writeFileSync(join(loopFolder(), 'journal.jsonl'), '{"nonsense":1}\n');
      rmSync(join(scene.home, 'ends'), { recursive: true });
    },
  },
  'a loop whose Claude Code is gone': {
    id: 'loop_not_held',
    severity: 'warning',
    breakIt: async () => {
      await scene.run(['start', '--session', 's1', 'a task']);
      writeFileSync(join(scene.home, 'sessions/s1.at'), `${scene.project}\n999999999\n`);
    },
    what: /Claude Code has ended/,
  },
};

function loopFolder(): string {
  const [project = ''] = readdirSync(join(scene.home, 'projects'));
  const loops = join(scene.home, 'projects', project, 'loops');
  return join(loops, readdirSync(loops)[0] ?? '');
}

describe('a broken set-up', () => {
  test.each(Object.entries(BROKEN))('%s', async (_, { id, severity, mends, breakIt, what }) => {
    await breakIt();
    const report = await scene.doctor();
    const finding = report.findings.find((each) => each.id === id);
    expect(finding, JSON.stringify(report.findings, null, 1)).toMatchObject({ severity });
    expect(finding?.what).toMatch(what ?? /\w/);
    for (const each of report.findings) expect(each.todo).toMatch(/^\S[^\n]+$/);
    expect(report.exit_code).toBe(report.findings.some((each) => each.severity === 'error') ? 1 : 0);
    expect(finding?.fixable).toBe(mends === true);
    if (mends) await isMended(id);
  });

  async function isMended(id: string): Promise<void> {
    const mended = await scene.doctor('--fix');
    expect(mended.mended).toContainEqual({ id, changed: expect.any(String), problem: null });
    expect(mended.findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(mended.healthy).toBe(true);
    expect(mended.findings.filter((each) => each.id === id)).toEqual([]);
  }
});

test('what was mended in the settings can be taken back', async () => {
  scene.edit(({ hooks }) => delete hooks.Stop);
  const before = readFileSync(scene.settings, 'utf8');
  await scene.doctor('--fix');
  expect(readFileSync(scene.settings, 'utf8')).not.toBe(before);
  await scene.run(['uninstall']);
  expect(() => statSync(scene.settings)).toThrow();
});

test('settings that must not be written are not mended, and the doctor says why', async () => {
  scene.edit(({ hooks }) => delete hooks.Stop);
  chmodSync(scene.settings, 0o444);
  const { mended, exit_code } = await scene.doctor('--fix');
  expect(mended).toEqual([
    { id: 'hooks_incomplete', changed: null, problem: expect.stringContaining('is read-only') },
  ]);
  expect(exit_code).toBe(1);
});

test('in a project without untildone nothing is an error, and nothing is installed by --fix', async () => {
  rmSync(scene.settings);
  rmSync(contract());
  const { findings, exit_code, mended } = await scene.doctor('--fix');
  expect(findings.map(({ id }) => id)).toEqual(expect.arrayContaining(['hooks_missing', 'contract_missing']));
  expect({ exit_code, mended }).toEqual({ exit_code: 0, mended: [] });
  expect(() => statSync(scene.settings)).toThrow();
});
