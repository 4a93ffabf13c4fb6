import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { holdScript } from '../../src/home/hold-script.ts';
import { hookScript } from '../../src/home/hook-line.ts';
import type { Program } from '../../src/home/program.ts';
import { parseHookScript, planScripts, refreshScripts } from '../../src/home/scripts.ts';
import { statuslineScript } from '../../src/home/statusline-line.ts';
import { temporaryFolder } from '../support/files/workers.ts';

let folder: string;
let home: string;
let ours: Program;

beforeEach(() => {
  folder = temporaryFolder();
  home = join(folder, "ho'me of it");
  mkdirSync(join(home, 'installs'), { recursive: true });
  ours = program('0.2.0', 'ours');
});

/** An installed program; its path holds blanks and quotes. */
function program(version: string, name: string): Program {
  const hookEntry = join(folder, `it's ${name}`, 'untildone.cjs');
  mkdirSync(join(hookEntry, '..'), { recursive: true });
  writeFileSync(hookEntry, '// the program');
  return { version, hookEntry, nodePath: process.execPath };
}

const write = (text: string, name = 'hook.sh') => writeFileSync(join(home, name), text);
const written = (name = 'hook.sh') => readFileSync(join(home, name), 'utf8');
const remove = ({ hookEntry }: Program) => rmSync(join(hookEntry, '..'), { recursive: true });
const refresh = () => refreshScripts(home, ours).kind;

test('a script says what it starts, whatever signs are in its paths', () => {
  expect(parseHookScript(hookScript(ours))).toEqual(ours);
  expect(parseHookScript(hookScript({ ...ours, version: undefined })).version).toBeUndefined();
});

describe('the scripts follow the program that runs', () => {
  test.each<[string, () => Program | undefined]>([
    ['of an older version that is still there', () => program('0.1.9', 'older')],
    ['of a version that did not name itself', () => ({ ...program('', 'old'), version: undefined }) as never],
    ['of another version at the same place', () => ({ ...ours, version: '0.1.0' })],
    ['of an older version that is gone', () => gone(program('0.1.0', 'older'))],
    ['of a newer version that is gone', () => gone(program('9.0.0', 'newer'))],
    ['of the same version that was moved', () => gone(program('0.2.0', 'elsewhere'))],
  ])('where they are those %s', (_, make) => {
    const other = make();
    if (other) write(hookScript(other));
    expect(refresh()).toBe('written');
    expect(written()).toBe(hookScript(ours));
    expect(written('hold.sh')).toBe(holdScript());
    expect(refresh()).toBe('untouched');
  });

  test('where they are missing although hooks are installed, or empty, or were edited', () => {
    write('', 'installs/settings.json');
    for (const spoil of [() => rmSync(join(home, 'hook.sh'), { force: true }), () => write('')]) {
      spoil();
      expect(refresh()).toBe('written');
      expect(written()).toBe(hookScript(ours));
    }
    write(`${hookScript(ours)}exit 0\n`);
    write('exit 0\n', 'hold.sh');
    expect(refresh()).toBe('written');
    expect([written(), written('hold.sh')]).toEqual([hookScript(ours), holdScript()]);
  });

  test('with a Node that is gone, and with the status line', () => {
    write(hookScript({ ...ours, nodePath: join(folder, 'gone', 'node') }));
    write('old', 'statusline.sh');
    expect(refresh()).toBe('written');
    expect(written()).toBe(hookScript(ours));
    expect(written('statusline.sh')).toBe(statuslineScript(ours));
  });
});

describe('the scripts stay', () => {
  test.each<[string, () => Program]>([
    ['those of a newer version that is there', () => program('0.2.1', 'newer')],
    ['those of another installation of the same version', () => program('0.2.0', 'elsewhere')],
  ])('%s', (_, make) => {
    const other = make();
    write(hookScript(other));
    write(holdScript(), 'hold.sh');
    expect(refresh()).toBe('untouched');
    expect(written()).toBe(hookScript(other));
  });

  test('where hooks were never installed, and for a program that is not installed', () => {
    expect([planScripts(home, ours).kind, refresh()]).toEqual(['none', 'untouched']);
    expect(existsSync(join(home, 'hook.sh'))).toBe(false);
    write('', 'installs/settings.json');
    remove(ours);
    expect(refresh()).toBe('untouched');
  });

  test('where there is no home at all', () => {
    expect(refreshScripts(join(folder, 'nowhere'), ours)).toEqual({ kind: 'untouched' });
  });
});

test('nothing is left behind beside the scripts', () => {
  write('old');
  refresh();
  expect(readdirSync(home).sort()).toEqual(['hold.sh', 'hook.sh', 'installs']);
});

test.skipIf(process.getuid?.() === 0)('a home that cannot be written is told', () => {
  write('old');
  chmodSync(home, 0o500);
  expect(refreshScripts(home, ours)).toMatchObject({ kind: 'unwritable' });
  chmodSync(home, 0o700);
});

test('what stands in the way of the lock is told', () => {
  write('old');
  mkdirSync(join(home, 'hook.sh.lock'));
  expect(refreshScripts(home, ours)).toMatchObject({ kind: 'unwritable', problem: expect.any(String) });
  expect(written()).toBe('old');
});

function gone(made: Program): Program {
  remove(made);
  return made;
}
