import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { addHooks } from '../../../src/engine/client/settings/our-hooks.ts';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import { projectFolder } from '../../../src/engine/home/layout.ts';
import { setStanding } from '../../../src/engine/home/trust.ts';
import {
  answering,
  contract,
  folder,
  imported,
  lines,
  path,
  questions,
  read,
  said,
  snapshot,
  undo,
  useImportScene,
  world,
  write,
} from '../../support/cli/import-scene.ts';
import { contractWith, frozenWith, run } from '../../support/hook/judging.ts';

useImportScene();

const command = (line: string, more: object = {}) => ({
  matcher: '',
  hooks: [{ type: 'command', command: line, ...more }],
});
const HOOKS = {
  Stop: [command('npm run lint && npm test', { timeout: 120 }), command('say done')],
  SubagentStop: [command('python3 .claude/hooks/validate_chunk.py')],
  SessionStart: [command('cat docs/plans/*/MEMORY.md 2>/dev/null | head -100'), command('npm ci')],
  PostToolUse: [{ matcher: 'Edit', hooks: [{ type: 'command', command: 'prettier --write .' }] }],
};
const SETTINGS = `${JSON.stringify({ model: 'opus', hooks: HOOKS }, null, 2)}\n`;
const PROJECT_SETTINGS = '.claude/settings.json';

describe('hooks of the settings', () => {
  beforeEach(() => write(PROJECT_SETTINGS, SETTINGS));

  test('become a contract, and go, when the person agrees to both', async () => {
    expect(await imported('harness')).toEqual({ exitCode: 0, contractWritten: true });
    expect(questions).toEqual([
      'Write this to untildone.yaml?',
      'Remove the 3 old hooks from .claude/settings.json?',
    ]);
    expect(contract()).toMatchObject({
      gates: {
        checks: { kind: 'run', options: { command: 'npm run lint && npm test' }, timeoutMs: 120_000 },
        validate_chunk: { kind: 'hook', onUnproven: 'allow' },
      },
      done: ['checks'],
      everyStop: { gates: ['checks'], blocks: 2 },
      subagent: { '*': ['validate_chunk'] },
      memory: { files: ['docs/plans/*/MEMORY.md'], lines: 100, update: false },
    });
    expect(JSON.parse(read(PROJECT_SETTINGS))).toEqual({
      model: 'opus',
      hooks: {
        Stop: [HOOKS.Stop[1]],
        SessionStart: [HOOKS.SessionStart[1]],
        PostToolUse: HOOKS.PostToolUse,
      },
    });
    expect(said()).toContain('Stop in .claude/settings.json: say done\n    -> stays: it notifies someone');
    expect(said()).toContain('no gate is judged at PostToolUse');
    expect(said()).toContain('are not installed yet: untildone install');
  });

  test('of every event are listed with what becomes of them; those that stay are not removed', async () => {
    const others = {
      PostToolUse: [{ matcher: 'Edit|Write', hooks: [{ type: 'command', command: 'npm run lint' }] }],
      Notification: [command('notify-send Claude "waits for you"')],
      SessionEnd: [command('python3 .claude/hooks/clean_up.py')],
      PreToolUse: [command('./guard.sh')],
      Elicitation: [{ hooks: [{ type: 'http', url: 'http://localhost' }] }],
      Stop: [command('npm test')],
    };
    const odd = { PreCompact: { hooks: [] }, Setup: ['x', { hooks: ['y'] }] };
    const plugins = { 'intents@market': true, 'off@market': false };
    write(PROJECT_SETTINGS, JSON.stringify({ hooks: { ...others, ...odd }, enabledPlugins: plugins }));
    expect(await imported('harness')).toEqual({ exitCode: 0, contractWritten: true });
    expect(contract()).toMatchObject({ everyStop: { gates: ['tests'] } });
    const { Stop: _, ...left } = others;
    expect(JSON.parse(read(PROJECT_SETTINGS)).hooks).toEqual({ ...left, ...odd });
    const told = said();
    for (const event of Object.keys(others)) expect(told).toContain(`  ${event} in ${PROJECT_SETTINGS}: `);
    expect(told).toContain('-> stays: no gate is judged at SessionEnd');
    expect(told).toContain('switches on intents@market. Hooks that a plugin brings stay with it');
  });

  test('are shown with what would change, and nothing is written, by a dry run', async () => {
    const before = snapshot(folder());
    expect(await imported('harness', { dryRun: true, terminal: false })).toEqual({ exitCode: 0 });
    expect(said()).toContain('+  checks: { run: npm run lint && npm test, timeout: 2m }');
    expect(said()).toMatch(/-\s+"command": "npm run lint && npm test"/);
    expect(questions).toEqual([]);
    expect(snapshot(folder())).toEqual(before);
  });

  test('stay untouched when the person declines', async () => {
    const before = snapshot(folder());
    answering({ 'Write this': false });
    expect(await imported('harness')).toEqual({ exitCode: 0 });
    expect(snapshot(folder())).toEqual(before);
    expect(lines.at(-1)).toBe('Nothing was written.');
  });

  test('stay in the settings when the person wants only the contract', async () => {
    answering({ Remove: false });
    await imported('harness');
    expect(read(PROJECT_SETTINGS)).toBe(SETTINGS);
    expect(said()).toContain('The old hooks in .claude/settings.json still run beside the gates.');
    expect(existsSync(path('untildone.yaml'))).toBe(true);
    await undo();
    await imported('harness', { keepHooks: true });
    expect(read(PROJECT_SETTINGS)).toBe(SETTINGS);
    expect(said()).not.toContain('+++ .claude/settings.json');
  });

  test('are not written without a terminal, unless that is said', async () => {
    const before = snapshot(folder());
    expect(await imported('harness', { terminal: false })).toEqual({ exitCode: 2 });
    expect(lines.at(-1)).toContain('untildone import --from harness --yes');
    expect(snapshot(folder())).toEqual(before);
    expect(await imported('harness', { terminal: false, yes: true })).toMatchObject({ exitCode: 0 });
    expect(read(PROJECT_SETTINGS)).not.toContain('npm run lint');
    expect(questions).toEqual([]);
  });

  test('come back byte for byte, and the contract goes', async () => {
    const before = snapshot(world().project);
    await imported('harness');
    expect(await undo()).toBe(0);
    expect(lines).toEqual([
      `Put back: ${path(PROJECT_SETTINGS)}`,
      `Removed: ${path('untildone.yaml')}, which the import had created`,
    ]);
    expect(snapshot(world().project)).toEqual(before);
    await expect(undo()).rejects.toThrow(UsageError);
  });

  test('come back into a contract that was there, too', async () => {
    write('untildone.yaml', '# mine\ngates:\n  tests:   { run: make test }   # slow\ndone: [tests]\n');
    const before = snapshot(world().project);
    await imported('harness');
    expect(read('untildone.yaml')).toContain(
      '# mine\ngates:\n  tests:   { run: make test }   # slow\n  checks: ',
    );
    expect(contract().done).toEqual(['tests']);
    await undo();
    expect(snapshot(world().project)).toEqual(before);
  });

  test('what was changed since is left as it is, and the rest comes back if the person wants that', async () => {
    await imported('harness');
    write('untildone.yaml', 'gates: { mine: { run: x } }\n');
    expect(await undo(false)).toBe(2);
    expect(read(PROJECT_SETTINGS)).not.toBe(SETTINGS);
    expect(await undo()).toBe(0);
    expect(said()).toContain('untildone.yaml was changed since the import (there was none before)');
    expect(read(PROJECT_SETTINGS)).toBe(SETTINGS);
    expect(read('untildone.yaml')).toContain('mine');
  });

  test('imported twice are gates once', async () => {
    answering({ Remove: false });
    await imported('harness');
    const first = read('untildone.yaml');
    answering({});
    await imported('harness');
    expect(read('untildone.yaml')).toBe(first);
    expect(said()).toContain('untildone.yaml had all of it already.');
    expect(read(PROJECT_SETTINGS)).not.toContain('npm run lint');
  });

  test('beside ours are told from ours', async () => {
    write(PROJECT_SETTINGS, addHooks(SETTINGS).text);
    await imported('harness');
    const left = JSON.parse(read(PROJECT_SETTINGS));
    expect(JSON.stringify(left)).not.toContain('validate_chunk');
    expect(addHooks(read(PROJECT_SETTINGS)).changed).toBe(false);
    expect(said()).not.toContain('not installed yet');
  });

  test('of the user go only when the person says so by name', async () => {
    const user = join(folder(), '.claude', 'settings.json');
    mkdirSync(dirname(user), { recursive: true });
    writeFileSync(user, JSON.stringify({ hooks: { Stop: [command('pytest')] } }));
    await imported('harness', { yes: true, terminal: false });
    expect(contract().everyStop?.gates).toEqual(['checks', 'tests']);
    expect(readFileSync(user, 'utf8')).toContain('pytest');
    expect(said()).toContain('it guards all your projects');
    await imported('harness');
    expect(questions.at(-1)).toContain('They guard all your projects, not only this one.');
    expect(JSON.parse(readFileSync(user, 'utf8'))).toEqual({});
  });

  test('in a file with a mistake are left alone, and the mistake is named', async () => {
    write('.claude/settings.local.json', '{ // mine\n}');
    await imported('harness');
    expect(said()).toMatch(/Not read: .*settings\.local\.json:1:3: not JSON: a comment/);
    expect(contract().gates).toHaveProperty('checks');
  });

  test('are not merged into a contract with a mistake', async () => {
    write('untildone.yaml', 'gates: { a: { runn: x } }\n');
    await expect(imported('harness')).rejects.toThrow(UsageError);
    expect(read(PROJECT_SETTINGS)).toBe(SETTINGS);
  });

  test('show no keys of the settings', async () => {
    write(PROJECT_SETTINGS, JSON.stringify({ env: { API_KEY: 'secret-value' }, hooks: HOOKS }, null, 2));
    await imported('harness');
    expect(said()).not.toContain('secret-value');
    expect(read(PROJECT_SETTINGS)).toContain('secret-value');
  });
});

test('where there are no hooks, that is said', async () => {
  expect(await imported('harness')).toEqual({ exitCode: 0 });
  expect(said()).toBe('No hooks were found that could be imported.');
  write(PROJECT_SETTINGS, JSON.stringify({ hooks: { Stop: [command('say done')] } }));
  expect(await imported('harness')).toEqual({ exitCode: 0 });
  expect(lines.at(-1)).toBe('Nothing of this can be imported.');
  expect(existsSync(path('untildone.yaml'))).toBe(false);
});

test('after going back, an approval that still counts is named', async () => {
  write(PROJECT_SETTINGS, SETTINGS);
  await imported('harness');
  const standing = contractWith({ a: run() }, { everyStop: { gates: ['a'], blocks: 2 } });
  setStanding(world().home, world().project, frozenWith(standing, { project: world().project }));
  await undo();
  expect(lines.at(-1)).toContain('untildone trust --revoke');
});

test('an import of an older version, which began a loop of a state file, is put back', async () => {
  const { home, project } = world();
  const kept = join(projectFolder(home, project), 'imports', '20260101T120000');
  mkdirSync(kept, { recursive: true });
  const moved = { kind: 'file', path: path('.claude/state'), copy: '0-state', mode: 0o644, after: null };
  const aside = { kind: 'renamed', path: path('current'), to: path('current.imported') };
  const manifest = { v: 1, at: '2026-01-01T12:00:00.000Z', from: 'lock', done: [moved, aside], loop: 'l1' };
  writeFileSync(join(kept, 'import.json'), JSON.stringify(manifest));
  writeFileSync(join(kept, '0-state'), 'as it was\r\n');
  write('current.imported/list', '[]');
  expect(await undo()).toBe(0);
  expect(snapshot(project)).toMatchObject({ 'current/list': expect.any(String) });
  expect(read('.claude/state')).toBe('as it was\r\n');
  expect(said()).toContain('untildone cancel l1');
});

describe('without a name', () => {
  test('what there is is listed, with what to type', async () => {
    write(PROJECT_SETTINGS, SETTINGS);
    const before = snapshot(folder());
    expect(await imported(undefined)).toEqual({ exitCode: 0 });
    expect(lines).toEqual([
      'harness: 3 of the hooks in your settings can become gates',
      '  untildone import --from harness --dry-run',
    ]);
    expect(snapshot(folder())).toEqual(before);
  });

  test('where there is nothing, that is said', async () => {
    await imported(undefined);
    expect(lines).toEqual([`Found nothing to import in ${world().project}.`]);
  });
});
