import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sessionGuard } from '../../../../src/engine/client/settings/guard.ts';
import { addHooks } from '../../../../src/engine/client/settings/our-hooks.ts';
import { refusedWrite } from '../../../../src/engine/core/tools/protect.ts';
import { hookLine } from '../../../../src/engine/home/hook-line.ts';
import { homeAt } from '../../../../src/engine/home/layout.ts';
import type { Guard } from '../../../../src/engine/ports/ports.ts';
import { installPlugin } from '../../../support/client/settings-text.ts';

let root: string;
let project: string;
let userHome: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-guard-')));
  [project, userHome] = [join(root, 'project'), join(root, 'me')];
  mkdirSync(join(project, '.claude'), { recursive: true });
  mkdirSync(join(userHome, '.untildone'), { recursive: true });
  write(join(project, 'untildone.yaml'), 'gates: {}\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function guard(env: NodeJS.ProcessEnv = {}): Guard {
  return sessionGuard(homeAt(join(userHome, '.untildone')), join(userHome, '.claude'), userHome, env);
}

describe('what is protected', () => {
  const refused = (command: string, cwd = project) => {
    const g = guard({ UNTILDONE_HOME: join(userHome, '.untildone') });
    const protectedPaths = g.protectedPaths(project);
    return refusedWrite('Bash', { command }, protectedPaths, (path) => g.resolve(cwd, path)) !== undefined;
  };

  test('the contract, our own folder and every settings file, whether it exists or not', () => {
    const { paths, what } = guard().protectedPaths(project);
    expect(paths.map((path) => [path.slice(root.length + 1), what(path)])).toEqual([
      ['project/untildone.yaml', 'untildone.yaml'],
      ['me/.untildone', "untildone's own folder"],
      ['project/.claude/settings.json', 'the settings of Claude Code'],
      ['project/.claude/settings.local.json', 'the settings of Claude Code'],
      ['me/.claude/settings.json', 'the settings of Claude Code'],
    ]);
  });

  test('from whatever folder the session works in', () => {
    mkdirSync(join(project, 'src'));
    expect(refused('echo > ../untildone.yaml', join(project, 'src'))).toBe(true);
    expect(refused('echo > untildone.yaml', join(project, 'src'))).toBe(false);
    expect(refused('rm -rf project', root)).toBe(true);
  });

  test('by the names that a shell has for the home folder', () => {
    for (const way of ['~', '$HOME', '"$HOME"', '$' + '{HOME}'])
      expect(refused(`rm -rf ${way}/.untildone/key`)).toBe(true);
    expect(refused('rm $UNTILDONE_HOME/key')).toBe(true);
    expect(refused('rm $PWD/untildone.yaml')).toBe(true);
    expect(refused('rm $ELSEWHERE/untildone.yaml')).toBe(false);
  });

  test('through links: to the file, to its folder, to where it will be', () => {
    symlinkSync('untildone.yaml', join(project, 'link'));
    symlinkSync('..', join(project, '.claude', 'up'));
    symlinkSync('.claude/settings.local.json', join(project, 'not-there-yet'));
    symlinkSync(project, join(root, 'other-name'));
    expect(refused('echo > link')).toBe(true);
    expect(refused('echo > .claude/up/untildone.yaml')).toBe(true);
    expect(refused('echo > not-there-yet')).toBe(true);
    expect(refused('rm untildone.yaml', join(root, 'other-name'))).toBe(true);
  });

  test('a link that leads in circles is no protected file and no error', () => {
    symlinkSync('b', join(project, 'a'));
    symlinkSync('a', join(project, 'b'));
    expect(refused('echo > a')).toBe(false);
  });

  test('settings that are themselves a link: the link and what it leads to', () => {
    write(join(root, 'dotfiles', 'settings.json'), '{}');
    symlinkSync(join(root, 'dotfiles', 'settings.json'), join(project, '.claude', 'settings.json'));
    expect(refused('rm -rf .claude')).toBe(true);
    expect(refused(`echo > ${root}/dotfiles/settings.json`)).toBe(true);
  });
});

describe('settings that still call our hooks', () => {
  type Hook = Record<string, unknown>;
  interface Settings {
    hooks: Record<string, { matcher?: string; hooks: Hook[] }[]>;
    env: Record<string, string>;
    [key: string]: unknown;
  }
  const CAP = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0' };
  const files = {
    project: () => join(project, '.claude/settings.json'),
    local: () => join(project, '.claude/settings.local.json'),
    user: () => join(userHome, '.claude/settings.json'),
  };
  const installed = () => JSON.parse(addHooks(undefined).text) as Settings;
  const put = (where: keyof typeof files, settings: unknown) =>
    write(files[where](), typeof settings === 'string' ? settings : JSON.stringify(settings));
  const problem = (env: NodeJS.ProcessEnv = CAP) => guard(env).settingsProblem(project);

  test.each(['project', 'local', 'user'] as const)('in the %s scope, as install writes them', (scope) => {
    put(scope, installed());
    expect(problem()).toBeUndefined();
  });

  test('one scope may lack what another has', () => {
    put('user', installed());
    put('project', { model: 'x', hooks: { Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] } });
    expect(problem()).toBeUndefined();
  });

  test('a shorter time that a person chose', () => {
    const settings = installed();
    for (const hook of settings.hooks.Stop?.[0]?.hooks ?? []) hook.timeout = 300;
    put('project', settings);
    expect(problem()).toBeUndefined();
  });

  test.each(['project', 'local', 'user'] as const)('disableAllHooks in the %s scope is named', (scope) => {
    put('project', installed());
    put(scope, { ...(scope === 'project' ? installed() : {}), disableAllHooks: true });
    expect(problem()).toBe(`"disableAllHooks" in ${files[scope]()} would switch all hooks off`);
  });

  test('hooks that are gone, files that are gone, and files that the client cannot read', () => {
    const gone = 'the hooks of untildone were removed from the settings';
    expect(problem()).toBe(gone);
    put('project', {});
    expect(problem()).toBe(gone);
    put('project', `${JSON.stringify(installed())} trailing`);
    expect(problem()).toBe(gone);
    put('project', 'null');
    expect(problem()).toBe(gone);
    put('project', { hooks: 'none', description: JSON.stringify(installed().hooks) });
    expect(problem()).toBe(gone);
    rmSync(files.project());
    mkdirSync(files.project());
    expect(problem()).toBe(gone);
    expect(existsSync(files.project())).toBe(true);
  });

  test.each<[string, (settings: Settings) => void, string]>([
    ['no Stop', (s) => delete s.hooks.Stop, 'Stop'],
    ['Stop under another name', (s) => Object.assign(s.hooks, { Stopp: s.hooks.Stop, Stop: [] }), 'Stop'],
    ['no PreToolUse', (s) => delete s.hooks.PreToolUse, 'PreToolUse'],
    ['no ConfigChange', (s) => delete s.hooks.ConfigChange, 'ConfigChange'],
    ['a condition', (s) => change(s, 'Stop', { if: 'Bash(x)' }), 'Stop'],
    ['in the background', (s) => change(s, 'Stop', { async: true }), 'Stop'],
    ['no time', (s) => change(s, 'Stop', { timeout: 1 }), 'Stop'],
    ['another command', (s) => change(s, 'Stop', { command: 'true' }), 'Stop'],
    ['another type', (s) => change(s, 'Stop', { type: 'prompt' }), 'Stop'],
    ['only tools that change nothing', (s) => s.hooks.PreToolUse?.shift(), 'PreToolUse'],
    [
      'all tools but those that write',
      (s) => Object.assign(s.hooks.PreToolUse?.[0] ?? {}, { matcher: '^(?!Bash|Write)' }),
      'PreToolUse',
    ],
    ['no tool', (s) => Object.assign(s.hooks.PreToolUse?.[0] ?? {}, { matcher: 'Nothing' }), 'PreToolUse'],
  ])('%s: said by the event', (_, spoil, event) => {
    const settings = installed();
    spoil(settings);
    put('project', settings);
    expect(problem()).toBe(`the hooks of untildone for ${event} were removed from the settings, or changed`);
  });

  function change(settings: Settings, event: string, changes: Hook): void {
    for (const hook of settings.hooks[event]?.[0]?.hooks ?? []) Object.assign(hook, changes);
  }

  test.each([
    ['UNTILDONE_HOME', '/tmp/elsewhere'],
    ['HOME', '/tmp/elsewhere'],
    ['CLAUDE_CODE_STOP_HOOK_BLOCK_CAP', '8'],
    ['PATH', '/tmp/fake-bin'],
    ['NODE_OPTIONS', '--require /tmp/x.js'],
    ['LD_PRELOAD', '/tmp/x.so'],
    ['GIT_DIR', '/tmp/x'],
    ['BASH_ENV', '/tmp/x.sh'],
  ])('%s in the env of a settings file is named', (name, value) => {
    put('project', installed());
    put('local', { env: { [name]: value } });
    expect(problem()).toBe(`"${name}" in the env of ${files.local()} would change what the hooks do`);
  });

  test.each([
    ['UNTILDONE_RUN', '1'],
    ['CLAUDE_CONFIG_DIR', '/tmp/x'],
    ['CLAUDE_CODE_SIMPLE', '1'],
    ['CLAUDE_CODE_SHELL_PREFIX', '/tmp/x'],
    ['CLAUDE_PLUGIN_ROOT', '/tmp/x'],
    ['BASH_FUNC_command%%', '() { :; }'],
    ['SHELLOPTS', 'noexec'],
    ['NODE_PATH', '/tmp/x'],
    ['RUBYOPT', '-r/tmp/x'],
  ])('%s is named, too', (name, value) => {
    put('user', installed());
    put('project', { env: { [name]: value } });
    expect(problem()).toBe(`"${name}" in the env of ${files.project()} would change what the hooks do`);
  });

  test.each(['allowManagedHooksOnly', 'strictPluginOnlyCustomization'])('%s is named', (name) => {
    put('project', { ...installed(), [name]: true });
    expect(problem()).toBe(`"${name}" in ${files.project()} would switch our hooks off`);
  });

  test('a value of a wrong form beside our hooks is named; in another file it does nothing to them', () => {
    put('user', { permissions: 5 });
    put('project', installed());
    expect(problem()).toBeUndefined();
    put('project', { ...installed(), permissions: 5 });
    expect(problem()).toContain(`"permissions" in ${files.project()} has a wrong form`);
  });

  const changed = (event: string) =>
    `the hooks of untildone for ${event} were removed from the settings, or changed`;

  test.each<[string, (line: string) => string]>([
    ['with a comment of our names', () => 'true # UNTILDONE_HOME /.untildone /hook.sh'],
    ['behind a payload', (line) => `id >/tmp/x; ${line}`],
    ['before a payload', (line) => `${line};exit 0`],
    ['in a comment', (line) => `# ${line}`],
    ['with another home', (line) => line.replace('$HOME', '/tmp')],
    ['of another event', () => hookLine('SessionStart')],
    ['for tools that change nothing', () => hookLine('OtherTools')],
    ['with a space more', (line) => `${line} `],
  ])('a line %s holds nothing', (_, spoil) => {
    const settings = installed();
    change(settings, 'Stop', { command: spoil(hookLine('Stop')) });
    put('project', settings);
    expect(problem()).toBe(changed('Stop'));
  });

  test.each([{ matcher: 'x' }, { matcher: 5 }])('a Stop hook for few stops holds nothing: %j', (more) => {
    const settings = installed();
    Object.assign(settings.hooks.Stop?.[0] ?? {}, more);
    put('project', settings);
    expect(problem()).toBe(changed('Stop'));
  });

  test.each<Hook>([{ timeout: '3600' }, { asyncRewake: true }, { shell: 'powershell' }, { args: [] }])(
    'nor does one with %j',
    (more) => {
      const settings = installed();
      change(settings, 'Stop', more);
      put('project', settings);
      expect(problem()).toBe(changed('Stop'));
    },
  );

  describe('the plugin holds without them', () => {
    const gone = 'the hooks of untildone were removed from the settings';
    const on = (name: string, isOn = true) => put('project', { enabledPlugins: { [name]: isOn } });

    test('when one of its hooks started this process', () => {
      const folder = installPlugin(join(userHome, '.claude'));
      on('untildone@untildone');
      expect(problem({ CLAUDE_PLUGIN_ROOT: folder })).toBeUndefined();
      expect(problem({})).toBe(gone);
    });

    test('not by a name, by a folder that is not ours, or when it is switched off', () => {
      on('untildone@decoy');
      expect(problem({})).toBe(gone);
      expect(problem({ CLAUDE_PLUGIN_ROOT: root })).toBe(gone);
      const folder = installPlugin(join(userHome, '.claude'));
      on('untildone@untildone', false);
      expect(problem({ CLAUDE_PLUGIN_ROOT: folder })).toBe(gone);
    });
  });

  test('lines of every older version still hold', () => {
    const old = readFileSync(join(import.meta.dirname, '../../../fixtures/settings/0.1.0.json'), 'utf8');
    put('project', old);
    expect(problem()).toBeUndefined();
  });

  test('variables that the hooks have had all along, and variables of the project, are fine', () => {
    put('project', {
      ...installed(),
      env: { ...CAP, UNTILDONE_HOME: '/home/x', API_URL: 'http://localhost' },
    });
    put('user', { env: { PATH: '/usr/bin', NODE_EXTRA_CA_CERTS: '/etc/ca.pem', DEBUG: 1 } });
    expect(problem({ ...CAP, UNTILDONE_HOME: '/home/x', PATH: '/usr/bin' })).toBeUndefined();
  });
});
