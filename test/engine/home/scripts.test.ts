import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { holdScript } from '../../../src/engine/home/hold-script.ts';
import { hookScript } from '../../../src/engine/home/hook-line.ts';
import type { Program } from '../../../src/engine/home/program.ts';
import {
  chooseProgram,
  parseHookScript,
  planScripts,
  refreshScripts,
} from '../../../src/engine/home/scripts.ts';
import { statuslineScript } from '../../../src/engine/home/statusline-line.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

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

/** A home without a record, as versions up to 0.1.0 left it, or one whose hooks run this program. */
const chosen = (one: Program) => chooseProgram(home, one, 'install');

describe('the scripts follow the recorded program', () => {
  test.each<[string, () => void]>([
    [
      'of another version at the same place, without a record',
      () => write(hookScript({ ...ours, version: '0.1.0' })),
    ],
    [
      'of a version that did not name itself',
      () => write(hookScript({ ...ours, version: undefined } as never)),
    ],
    ['of an older version at the same place', () => chosen({ ...ours, version: '0.1.0' })],
    ['missing', () => [chosen(ours), rmSync(join(home, 'hook.sh'))]],
    ['empty', () => [chosen(ours), write('')]],
    ['edited', () => [chosen(ours), write(`${hookScript(ours)}exit 0\n`), write('exit 0\n', 'hold.sh')]],
    ['naming another program', () => [chosen(ours), write(hookScript(program('9.0.0', 'decoy')))]],
  ])('where they are %s', (_, make) => {
    make();
    expect(refresh()).toBe('written');
    expect([written(), written('hold.sh')]).toEqual([hookScript(ours), holdScript()]);
    expect(refresh()).toBe('untouched');
  });

  test('and say which of them were edited, but not that an upgrade wrote them', () => {
    chosen({ ...ours, version: '0.1.0' });
    expect(refreshScripts(home, ours)).toMatchObject({ kind: 'written', edited: [] });
    write('exit 0\n', 'hold.sh');
    const edited = [join(home, 'hold.sh')];
    expect(refreshScripts(home, ours)).toEqual({ kind: 'written', paths: edited, edited });
  });

  test('with a Node that is gone, and with the status line', () => {
    chosen({ ...ours, nodePath: join(folder, 'gone', 'node') });
    write('old', 'statusline.sh');
    expect(refresh()).toBe('written');
    expect(written()).toBe(hookScript(ours));
    expect(written('statusline.sh')).toBe(statuslineScript(ours));
  });

  test('with the Node that is named, whichever runs this program', () => {
    chosen(ours);
    expect(refreshScripts(home, { ...ours, nodePath: join(folder, 'other', 'node') }).kind).toBe('untouched');
  });
});

describe('the scripts stay', () => {
  test.each<[string, () => Program]>([
    ['those of an older version elsewhere', () => program('0.1.9', 'older')],
    ['those of a newer version elsewhere', () => program('0.2.1', 'newer')],
    ['those of another installation of the same version', () => program('0.2.0', 'elsewhere')],
    ['those of a program that is gone', () => gone(program('0.1.0', 'older'))],
  ])('%s, with a record and without one', (_, make) => {
    const other = make();
    write(hookScript(other));
    write(holdScript(), 'hold.sh');
    expect(refresh()).toBe('untouched');
    if (existsSync(other.hookEntry)) chosen(other);
    expect(refresh()).toBe('untouched');
    expect(written()).toBe(hookScript(other));
    expect(planScripts(home, ours)).toMatchObject({ kind: 'other', hookEntry: other.hookEntry });
  });

  test('where nothing says which program they are to start', () => {
    write('', 'installs/settings.json');
    for (const spoil of [() => undefined, () => write(''), () => write('exit 0')]) {
      spoil();
      expect(refresh()).toBe('untouched');
      expect(planScripts(home, ours).kind).toBe('unreadable');
    }
  });

  test.each([
    ['other bytes and the same version', '0.2.0'],
    ['an older version', '0.1.9'],
  ])('where the recorded program has %s', (_, version) => {
    chosen(ours);
    writeFileSync(ours.hookEntry, '// another program');
    write('old');
    // This process began before that file was written, and leaves such files to the next one.
    expect(planScripts(home, { ...ours, version }).kind).not.toBe('changed');
    const uptime = vi.spyOn(process, 'uptime').mockReturnValue(0);
    onTestFinished(() => uptime.mockRestore());
    expect(planScripts(home, { ...ours, version }).kind).toBe('changed');
    expect(refreshScripts(home, { ...ours, version }).kind).toBe('untouched');
    expect(written()).toBe('old');
  });

  test('where the seal of the record does not fit', () => {
    chosen(ours);
    const record = readFileSync(join(home, 'hook-program'), 'utf8');
    write(record.replace('"by":"install"', '"by":"upgrade"'), 'hook-program');
    write('old');
    expect(refresh()).toBe('untouched');
    expect(planScripts(home, ours)).toMatchObject({ kind: 'unreadable', cause: 'record' });
    expect(written()).toBe('old');
  });

  test('where hooks were never installed, and for a program that is not installed', () => {
    expect([planScripts(home, ours).kind, refresh()]).toEqual(['none', 'untouched']);
    expect(existsSync(join(home, 'hook.sh'))).toBe(false);
    chosen(ours);
    remove(ours);
    rmSync(join(home, 'hook.sh'));
    expect(refresh()).toBe('untouched');
  });

  test('where there is no home at all', () => {
    expect(refreshScripts(join(folder, 'nowhere'), ours)).toEqual({ kind: 'untouched' });
  });
});

test('files that were only copied or touched are read once, and are the same program', () => {
  chosen(ours);
  utimesSync(ours.hookEntry, 1, 1);
  const uptime = vi.spyOn(process, 'uptime').mockReturnValue(0);
  onTestFinished(() => uptime.mockRestore());
  expect(planScripts(home, ours)).toMatchObject({ kind: 'stale', files: [] });
  refresh();
  expect(planScripts(home, ours).kind).toBe('current');
});

test('a person chooses another program, with a record that does not fit as well', () => {
  chosen(program('9.0.0', 'decoy'));
  chosen(ours);
  expect(planScripts(home, ours).kind).toBe('current');
  write('nonsense', 'hook-program');
  chosen(ours);
  expect([planScripts(home, ours).kind, written()]).toEqual(['current', hookScript(ours)]);
});

test('nothing is left behind beside the scripts', () => {
  chosen(ours);
  write('old');
  refresh();
  expect(readdirSync(home).filter((name) => /lock|tmp|new/.test(name))).toEqual([]);
});

test.skipIf(process.getuid?.() === 0)('a home that cannot be written is told', () => {
  chosen(ours);
  write('old');
  chmodSync(home, 0o500);
  expect(refreshScripts(home, ours)).toMatchObject({ kind: 'unwritable' });
  chmodSync(home, 0o700);
});

test('what stands in the way of the lock is told', () => {
  chosen(ours);
  write('old');
  mkdirSync(join(home, 'hook.sh.lock'));
  expect(refreshScripts(home, ours)).toMatchObject({ kind: 'unwritable', problem: expect.any(String) });
  expect(written()).toBe('old');
});

function gone(made: Program): Program {
  remove(made);
  return made;
}
