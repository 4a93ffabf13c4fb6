/** Which program the hooks run, a person decides. Copies that call themselves newer change nothing of it. */
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { HOOK_LINE } from '../../src/engine/home/hook-line.ts';
import { type Programs, programs, SESSION } from '../support/cli/programs.ts';

let at: Programs;
let ours: string;
let decoy: string;

beforeEach(() => {
  at = programs();
  ours = at.installed('0.1.0', join(at.folder, 'ours'));
  decoy = at.installed('9.9.9', join(at.folder, 'decoy'));
  // The decoy lets every Stop go.
  writeFileSync(
    join(dirname(decoy), 'hook.cjs'),
    `require('fs').appendFileSync(${JSON.stringify(join(at.folder, 'answered'))}, 'x');process.exit(64);`,
  );
});

function start(): void {
  at.run(ours, 'install');
  at.run(ours, 'start', '--session', SESSION, '--promise', 'ALL DONE', 'a task');
}

/** What a hold says of the program, whatever it is. */
const ANY_TROUBLE = /the hooks|had written it/;

const state = () => [at.script(), at.record(), readFileSync(join(at.home, 'hold.sh'), 'utf8')];

describe('a copy in another place that calls itself newer', () => {
  test.each([
    ['status'],
    ['status', '--json'],
    ['log'],
    ['doctor'],
    ['doctor', '--fix'],
    ['start', '--session', 'another', 'a task'],
    ['trust', '--show'],
    ['plugin-hooks'],
    ['lock', 'status'],
    ['features', 'new', 'x'],
    ['uninstall', '--dry-run'],
    ['install', '--dry-run'],
  ])('changes neither the scripts nor the record: %s', (...args) => {
    start();
    const before = state();
    at.run(decoy, ...args);
    expect(state()).toEqual(before);
    expect(at.stop()).toMatchObject({ decision: 'block' });
  });

  test('changes nothing by its hook and its status line, and by any command inside of a session', () => {
    start();
    const before = state();
    const other = at.installed('9.9.9', join(at.folder, 'other'));
    for (const word of ['hook', 'statusline'])
      at.shell(`exec '${process.execPath}' '${other}' ${word}`, { hook_event_name: 'SessionStart' });
    for (const args of [['install'], ['setup'], ['install', '--statusline'], ['doctor', '--fix']])
      at.inSession(other, ...args);
    expect(state()).toEqual(before);
    expect(readFileSync(join(at.home, 'statusline.sh'), 'utf8')).toContain(`entry='${ours}'`);
    expect(at.inSession(other, 'install').stdout).toContain('not this one, 9.9.9');
  });

  test('does not answer when the chosen program is gone, though it lies first on PATH', () => {
    start();
    const bin = join(at.folder, 'bin');
    mkdirSync(bin);
    symlinkSync(decoy, join(bin, 'untildone'));
    chmodSync(decoy, 0o755);
    rmSync(dirname(ours), { recursive: true });
    const sent = { hook_event_name: 'Stop', last_assistant_message: 'done' };
    const { stdout } = at.shell(HOOK_LINE, sent, { PATH: `${bin}:${at.env.PATH}` });
    expect(stdout).toContain(`${ours} is gone`);
    expect(() => readFileSync(join(at.folder, 'answered'))).toThrow();
    at.env.PATH = `${bin}:${at.env.PATH}`;
    expect(at.run(decoy, 'log').stderr).toContain('type in a terminal: untildone install');
  });

  test('takes the hooks over when a person installs it, which is said', () => {
    start();
    expect(at.run(decoy, 'install').stdout).toMatch(
      /From now on the hooks of all projects run untildone 9\.9\.9 .*, no longer 0\.1\.0 /,
    );
    expect(at.script()).toContain(`entry='${decoy}'`);
    expect(at.run(ours, 'status').stdout).toContain('the hooks run version 9.9.9');
  });
});

describe('the program in the chosen place', () => {
  test('with other bytes and the same version is said by status, doctor and every hold, until a person installs it', () => {
    start();
    const before = state();
    appendFileSync(join(dirname(ours), 'judge.cjs'), '\n');
    const what = 'the program that the hooks run was changed, and still calls itself version 0.1.0';
    expect(at.run(ours, 'status').stdout).toContain(what);
    expect(at.run(ours, 'doctor').stdout).toContain(what);
    for (let times = 0; times < 2; times++) {
      const held = at.stop();
      expect(held.systemMessage).toContain(what);
      expect(held.reason).not.toContain('install');
    }
    expect(state()).toEqual(before);
    // Another copy sees it, too.
    expect(at.run(decoy, 'status').stdout).toContain('Its files are not those that were recorded');
    at.inSession(ours, 'install');
    expect(at.stop().systemMessage).toContain(what);
    expect(at.run(ours, 'install').stdout).toContain('as it is there now');
    expect(at.stop().systemMessage).not.toMatch(ANY_TROUBLE);
  });

  test('that went back to an older version is said in the same way', () => {
    start();
    at.replace(ours, '0.0.9');
    const what = 'went back from version 0.1.0 to 0.0.9';
    expect(at.run(ours, 'status').stdout).toContain(what);
    expect(at.stop()).toMatchObject({ decision: 'block', systemMessage: expect.stringContaining(what) });
    expect(at.script()).toContain('untildone 0.1.0.');
  });

  test('in a checkout is built again and again without a word in between', () => {
    const root = join(at.folder, 'checkout');
    mkdirSync(join(root, '.git'), { recursive: true });
    mkdirSync(join(root, 'src/main'), { recursive: true });
    ours = at.installed('0.1.0', join(root, 'dist'));
    start();
    appendFileSync(join(dirname(ours), 'hook.cjs'), '\n');
    expect(at.stop().systemMessage).not.toMatch(ANY_TROUBLE);
    expect(at.run(ours, 'status').stdout).not.toContain('changed');
    expect(at.run(ours, 'doctor').stdout).toContain('it is a checkout: whoever builds it decides');
  });

  test('behind the links of a package manager is found again after an upgrade', () => {
    const [modules, bin] = [join(at.folder, 'lib/node_modules'), join(at.folder, 'bin')];
    for (const folder of [modules, bin]) mkdirSync(folder, { recursive: true });
    const store = (version: string) => join(at.folder, '.store', version);
    at.installed('0.1.0', join(store('0.1.0'), 'dist'));
    at.installed('0.2.0', join(store('0.2.0'), 'dist'));
    symlinkSync(store('0.1.0'), join(modules, 'untildone'));
    symlinkSync('../lib/node_modules/untildone/dist/untildone.cjs', join(bin, 'untildone'));
    ours = join(bin, 'untildone');
    start();
    expect(at.script()).toContain(`entry='${modules}/untildone/dist/untildone.cjs'`);
    rmSync(join(modules, 'untildone'));
    symlinkSync(store('0.2.0'), join(modules, 'untildone'));
    expect(at.stop()).toMatchObject({ decision: 'block' });
    expect(at.script()).toContain('untildone 0.2.0.');
    expect(at.run(ours, 'status').stdout).toContain('upgraded from 0.1.0 to 0.2.0');
  });

  test('as a plugin of Claude Code follows the plugin, whose versions have folders of their own', () => {
    const cache = (market: string, version: string) =>
      join(at.folder, '.claude/plugins/cache', market, 'untildone', version, 'dist');
    ours = at.installed('0.1.0', cache('market', '0.1.0'));
    at.inSession(ours, 'plugin-hooks');
    expect(at.script()).toContain(`entry='${ours}'`);
    at.inSession(at.installed('9.0.0', cache('another', '9.0.0')), 'plugin-hooks');
    expect(at.script()).toContain(`entry='${ours}'`);
    const next = at.installed('0.2.0', cache('market', '0.2.0'));
    at.inSession(next, 'plugin-hooks');
    expect(at.script()).toContain(`entry='${next}'`);
  });
});

describe('the record', () => {
  test('of a home without one is made by the very program that hook.sh names', () => {
    start();
    rmSync(join(at.home, 'hook-program'));
    const script = at.script();
    at.run(decoy, 'status');
    expect(at.script()).toBe(script);
    expect(() => at.record()).toThrow();
    expect(at.stop()).toMatchObject({ decision: 'block' });
    expect(at.record()).toContain(ours);
    expect(at.run(ours, 'doctor').stdout).toContain('found in hook.sh');
  });

  test('that was changed counts for nothing: nobody takes its place, the session is held, and you are told', () => {
    start();
    writeFileSync(join(at.home, 'hook-program'), at.record().replaceAll(ours, decoy));
    const before = state();
    at.run(decoy, 'status');
    expect(at.stop()).toMatchObject({
      decision: 'block',
      systemMessage: expect.stringContaining('its seal does not fit'),
    });
    expect(state()).toEqual(before);
    expect(at.run(ours, 'log').stderr).toContain(`node ${ours} install`);
    at.run(ours, 'install');
    expect(at.stop().systemMessage).not.toMatch(ANY_TROUBLE);
  });

  test('mends a hook.sh that was edited, and says so', () => {
    start();
    const script = at.script();
    const edited = script.replaceAll(ours, decoy);
    writeFileSync(join(at.home, 'hook.sh'), edited);
    expect(at.run(ours, 'log').stderr).toContain('hook.sh was not as untildone had written it');
    expect(at.script()).toBe(script);
    writeFileSync(join(at.home, 'hook.sh'), `# mine\n${script}`);
    expect(at.stop().systemMessage).toContain('hook.sh was not as untildone had written it');
    expect(at.script()).toBe(script);
    rmSync(join(at.home, 'hook.sh'));
    at.run(ours, 'log');
    expect(at.script()).toBe(script);
  });

  test('outlives two programs that look at it at once', async () => {
    start();
    at.replace(ours, '0.1.1');
    const before = at.script();
    const ended = await Promise.all(
      [ours, decoy, ours, decoy, ours].map((program) => at.started(program, 'status')),
    );
    expect(ended.map(({ stderr }) => stderr)).toEqual(['', '', '', '', '']);
    expect(at.script()).toBe(before.replaceAll('0.1.0', '0.1.1'));
    expect(at.stop().systemMessage).not.toMatch(ANY_TROUBLE);
  });

  test('is not made in a home whose key is gone', () => {
    start();
    rmSync(join(at.home, 'key'));
    rmSync(join(at.home, 'hook-program'));
    const script = at.script();
    at.run(ours, 'status');
    at.run(decoy, 'status');
    expect(at.script()).toBe(script);
    expect(() => at.record()).toThrow();
    expect(at.stop().systemMessage).toContain('nothing is proven');
  });
});

test('a home of the version before goes on with its program, and with no other', () => {
  start();
  rmSync(join(at.home, 'hook-program'));
  const older = `# Written by untildone 0.1.0. Do not edit\nnode='${process.execPath}'\nentry='${ours}'\n"$node" "$entry" hook\n`;
  writeFileSync(join(at.home, 'hook.sh'), older);
  at.run(decoy, 'start', '--session', 'another', 'a task');
  expect(at.script()).toBe(older);
  cpSync(resolve(import.meta.dirname, '../../dist'), dirname(ours), { recursive: true });
  at.run(ours, 'log');
  expect(at.script()).toContain(`entry='${ours}'`);
  expect(at.stop()).toMatchObject({ decision: 'block' });
});
