import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Patient } from '../../../src/cli/doctor/finding.ts';
import { lookAtHome } from '../../../src/cli/doctor/home.ts';
import { lookAtHosts } from '../../../src/cli/doctor/hosts.ts';
import { lookAtClient, lookAtClock, lookAtNode } from '../../../src/cli/doctor/machine.ts';
import { lookAtControllers } from '../../../src/cli/doctor/others.ts';
import { exitCodeOf, reportJson, reportLines } from '../../../src/cli/doctor/report.ts';
import { lookAtSettings, settingsHere } from '../../../src/cli/doctor/settings.ts';
import { addHooks } from '../../../src/engine/client/settings/our-hooks.ts';
import { installPlugin } from '../../support/client/settings-text.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

const NOW = Date.parse('2026-11-16T10:00:00Z');
const HOUR = 3_600_000;
let patient: Patient;

beforeEach(() => {
  const folder = temporaryFolder();
  const [project, home] = [join(folder, 'project'), join(folder, '.untildone')];
  mkdirSync(project);
  mkdirSync(home, { mode: 0o700 });
  patient = {
    project,
    home,
    env: {},
    now: NOW,
    nodeVersion: '20.0.0',
    isUsed: true,
    claudeConfigDir: join(folder, '.claude'),
    managed: join(folder, 'managed'),
    program: { version: '0.2.0', hookEntry: join(folder, 'untildone.cjs'), nodePath: process.execPath },
  };
});

function put(path: string, value: object | string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
}

const managed = (value: object | string, name = 'managed-settings.json') =>
  put(join(patient.managed ?? '', name), value);
const own = () => put(join(patient.project, '.claude/settings.json'), addHooks(undefined).text);
const found = (client?: string) =>
  lookAtSettings(patient, settingsHere(patient), client).findings.map(
    ({ id, severity }) => `${severity} ${id}`,
  );

const withExpansion = () => {
  const { hooks } = JSON.parse(addHooks(undefined).text);
  put(join(patient.project, '.claude/settings.json'), {
    hooks: { ...hooks, UserPromptExpansion: hooks.UserPromptSubmit },
  });
};

describe('a Claude Code that does not know an event takes no hook from that file', () => {
  test.each<[version: string | undefined, write: () => void, findings: string[]]>([
    [undefined, own, []],
    ['2.1.84', own, []],
    ['2.1.83', own, ['error hooks_not_taken']],
    ['2.1.115', own, []],
    ['2.1.115', withExpansion, ['error hooks_not_taken', 'warning hooks_older']],
    ['2.1.116', withExpansion, ['warning hooks_older']],
    [
      '2.1.20',
      () => put(join(patient.project, '.claude/settings.json'), { hooks: { ConfigChange: [] } }),
      ['error hooks_missing'],
    ],
  ])('%s', (version, write, findings) => {
    write();
    expect(found(version)).toEqual(findings);
  });

  test.each([
    ['2.1.83', 'error'],
    ['2.1.84', 'warning'],
    ['2.1.115', 'warning'],
    ['2.1.116', 'note'],
    ['2.1.286', 'note'],
    ['2.1.287', undefined],
  ])('and %s by itself is: %s', (version, severity) => {
    const { findings } = lookAtClient({ path: '/bin/claude', source: 'PATH', version });
    expect(findings.map((each) => each.severity)).toEqual(severity === undefined ? [] : [severity]);
  });
});

describe('settings that an organization manages', () => {
  test.each<[string, () => void, string[]]>([
    ['switch hooks off', () => managed({ disableAllHooks: true }), ['error hooks_disabled']],
    ['allow only their own', () => managed({ allowManagedHooksOnly: true }), ['error hooks_managed_only']],
    [
      'allow only those of plugins',
      () => managed({ strictPluginOnlyCustomization: ['hooks'] }),
      ['error hooks_managed_only'],
    ],
    ['forbid mods', () => managed({ allowManagedModsOnly: true }), ['note mods_managed_only']],
    ['are not JSON', () => managed('{'), ['warning settings_not_json']],
    [
      'come in parts',
      () => managed({ disableAllHooks: true }, 'managed-settings.d/10-a.json'),
      ['error hooks_disabled'],
    ],
    [
      'bring our hooks',
      () => managed({ ...JSON.parse(addHooks(undefined).text), allowManagedHooksOnly: true }),
      [],
    ],
  ])('%s', (_, arrange, ids) => {
    own();
    arrange();
    expect(found()).toEqual(ids);
  });
});

describe('a plugin of untildone', () => {
  const plugin = (isOn: boolean) => {
    put(join(patient.project, '.claude/settings.json'), { enabledPlugins: { 'untildone@untildone': isOn } });
    installPlugin(patient.claudeConfigDir);
  };

  test('brings hooks of its own', () => {
    plugin(true);
    expect(found()).toEqual([]);
  });

  test('that is switched off does not', () => {
    plugin(false);
    expect(found()).toEqual(['error hooks_missing']);
  });

  test.each([{}, { 'untildone@decoy': '/nowhere' }])('by its name alone does not: %j', (folders) => {
    put(join(patient.project, '.claude/settings.json'), { enabledPlugins: { 'untildone@decoy': true } });
    const installed = Object.entries(folders).map(([name, installPath]) => [name, [{ installPath }]]);
    put(join(patient.claudeConfigDir, 'plugins/installed_plugins.json'), {
      plugins: Object.fromEntries(installed),
    });
    expect(found()).toEqual(['error hooks_missing']);
  });
});

test('settings with a byte order mark are read as Claude Code reads them', () => {
  put(join(patient.project, '.claude/settings.json'), `\uFEFF${addHooks(undefined).text}`);
  expect(found()).toEqual([]);
});

test('a switch of a stronger scope decides', () => {
  own();
  put(join(patient.claudeConfigDir, 'settings.json'), { disableAllHooks: true });
  expect(found()).toEqual(['error hooks_disabled']);
  put(join(patient.project, '.claude/settings.local.json'), { disableAllHooks: false });
  expect(found()).toEqual([]);
});

test.each([
  ['18.20.1', 'node_too_old'],
  ['20.0.0', undefined],
  ['24.1.0', undefined],
])('Node %s', (nodeVersion, id) => {
  expect(lookAtNode({ nodeVersion }).findings[0]?.id).toBe(id);
});

test.each<[string, number[], number | undefined, string | undefined]>([
  ['is right', [NOW - HOUR, NOW], NOW, undefined],
  ['is behind what journals say', [NOW + HOUR], NOW, 'clock_behind'],
  ['is not that of the disk', [], NOW - HOUR, 'clock_of_disk'],
  ['cannot be compared', [], undefined, undefined],
])('the clock %s', (_, newest, probe, id) => {
  expect(lookAtClock(NOW, newest, probe).findings[0]?.id).toBe(id);
});

test('only controllers of other systems in this project are named', () => {
  const command = 'python3 .claude/hooks/ralph_loop_controller.py';
  const processes = [
    { pid: 10, command, folder: patient.project },
    { pid: 11, command, folder: '/elsewhere' },
    { pid: 12, command: 'vim ralph', folder: patient.project },
    { pid: 13, command },
  ];
  const { findings } = lookAtControllers(patient, processes);
  expect(findings).toMatchObject([{ id: 'old_controller', todo: expect.stringContaining('kill 10') }]);
  expect(lookAtControllers(patient, undefined).findings).toEqual([]);
});

test('a home inside of the project is named', () => {
  const home = join(patient.project, '.untildone');
  mkdirSync(home, { mode: 0o700 });
  expect(lookAtHome({ ...patient, home }).findings.map(({ id }) => id)).toEqual(['home_in_project']);
});

describe('the report', () => {
  const error = { id: 'x', severity: 'error', what: 'w', todo: 't' } as const;
  const base = { version: '0.2.0', project: '/p', mended: [] };
  const looked = (...findings: (typeof error)[]) => ({ ok: ['Node'], findings });

  test.each([
    [
      'in order and held',
      { ...base, looked: looked(), proof: { outcome: 'held' } },
      0,
      /Healthy: a session that begins here is held/,
    ],
    ['in order, not asked', { ...base, looked: looked() }, 0, /No errors\. Nothing was proven/],
    [
      'in order, unproven',
      { ...base, looked: looked(), proof: { outcome: 'unproven', why: 'no client' } },
      2,
      /not proven/,
    ],
    [
      'in order, not held',
      { ...base, looked: looked(), proof: { outcome: 'not_held', why: 'so' } },
      1,
      /NOT held here/,
    ],
    ['an error, held', { ...base, looked: looked(error), proof: { outcome: 'held' } }, 1, /^1 error\./m],
  ] as const)('%s', (_, diagnosis, code, words) => {
    expect(exitCodeOf(diagnosis)).toBe(code);
    expect(reportLines(diagnosis).join('\n')).toMatch(words);
    expect(reportJson(diagnosis)).toMatchObject({ healthy: code === 0, exit_code: code });
  });

  test('spells out what would steer a terminal', () => {
    const finding = { ...error, what: '\u001b[2J', where: '/a\nb' };
    expect(JSON.stringify(reportJson({ ...base, looked: { ok: [], findings: [finding] } }))).not.toMatch(
      /\\u001b|\\n/,
    );
  });
});

describe('other programs that run hooks of Claude Code', () => {
  test('are named, with the word that they are left alone', () => {
    const user = temporaryFolder();
    expect(lookAtHosts({ ...patient, env: { HOME: user } })).toEqual({ ok: [], findings: [] });
    mkdirSync(join(patient.project, '.cursor'));
    mkdirSync(join(user, '.copilot'));
    const { ok, findings } = lookAtHosts({ ...patient, env: { HOME: user } });
    expect(ok).toEqual([
      'Cursor, GitHub Copilot: may run the hooks of Claude Code, too; untildone leaves such sessions alone',
    ]);
    expect(findings).toEqual([]);
    expect(lookAtHosts({ ...patient, isUsed: false })).toEqual({ ok: [], findings: [] });
  });
});
