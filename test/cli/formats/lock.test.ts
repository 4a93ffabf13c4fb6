import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  continuationFrom,
  type LockPlace,
  type LockWishes,
  lockOff,
  lockOn,
  lockStatus,
} from '../../../src/cli/formats/lock.ts';
import { addLockCommands } from '../../../src/cli/formats/lock-commands.ts';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import { lockFormat } from '../../../src/engine/formats/lock/index.ts';
import { claimFiles } from '../../../src/engine/home/claims.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { foreignFiles } from '../../../src/engine/project/files.ts';
import { makeFifo, temporaryFolder } from '../../support/files/workers.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const HOUR = 3_600_000;
const ENDED: Record<string, string> = { '/loops/over': 'verified_done' };

let place: LockPlace;
let said: string[];
beforeEach(() => {
  const root = temporaryFolder();
  const folder = join(root, 'my project');
  mkdirSync(folder);
  place = { folder, home: homeAt(join(root, 'home')), now: NOW, endingOf: (dir) => ENDED[dir] };
  createHome(place.home);
  said = [];
});

const say = (line: string) => void said.push(line);
const locks = (name = '.lock_active') => join(place.folder, '.claude/runtime/locks', name);
const put = (path: string, text = '') => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const text = (name?: string) => readFileSync(locks(name), 'utf8');
const on = (wishes: Partial<LockWishes> = {}) => lockOn({ renew: false, ...wishes }, place, say);
const touchedAt = (ms: number) => utimesSync(locks(), ms / 1000, ms / 1000);
const reading = () => {
  const { folder, now } = place;
  return lockFormat.read({ session: 's1', folder, userHome: folder, now }, foreignFiles);
};
const refusalOf = (act: () => void): string => {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  throw new Error('it was not refused');
};

describe('lock on', () => {
  test('makes a lock that our format reads, with everything beside it', () => {
    on({ goal: ' Ship the login \n', message: 'Mind the tests', continuation: 'Go on.', session: 's1' });
    expect(text()).toBe('locked_at: 2026-01-01T00:00:00.000Z\nsession_id: s1\n');
    expect(text('.lock_goal')).toBe('Ship the login\n');
    expect(text('.lock_message')).toBe('Mind the tests\n');
    expect(text('.continuation_prompt')).toBe('Go on.\n');
    expect(statSync(locks()).mode & 0o777).toBe(0o644 & ~process.umask());
    expect(reading()).toMatchObject({ kind: 'loop', loop: { owner: 's1', task: 'Ship the login' } });
    expect(said).toEqual([
      `Lock on: ${locks()}`,
      'It holds session s1, and no other.',
      'At most 50 iterations and 24 h; to end it earlier, in a terminal: untildone lock off',
    ]);
  });

  test('without a session makes a lock for the first that stops', () => {
    on();
    expect(text()).toBe('locked_at: 2026-01-01T00:00:00.000Z\n');
    expect(said).toContain('It holds the first Claude Code session that stops in this folder, and no other.');
    expect(readdirSync(dirname(locks()))).toEqual(['.lock_active']);
  });

  test('keeps a runtime folder that it makes out of git, and leaves one that is there as it is', () => {
    on();
    expect(readFileSync(join(place.folder, '.claude/runtime/.gitignore'), 'utf8')).toBe('*\n');
    const other = join(place.folder, 'other');
    mkdirSync(join(other, '.claude/runtime'), { recursive: true });
    lockOn({ renew: false }, { ...place, folder: other }, say);
    expect(readdirSync(join(other, '.claude/runtime'))).toEqual(['locks']);
  });

  test('keeps what was put beside it before, and says so', () => {
    put(locks('.continuation_prompt'), 'Mine.');
    on({ goal: 'New' });
    expect(text('.continuation_prompt')).toBe('Mine.');
    expect(said).toContain(`Kept from before: ${locks('.continuation_prompt')}`);
    expect(said.join()).not.toContain('Kept from before: .lock_goal');
  });

  test('refuses where there is a lock, whosever it is, and changes nothing', () => {
    put(locks(), 'session_id: s2\n');
    touchedAt(NOW - HOUR);
    expect(refusalOf(() => on({ goal: 'Mine', session: 's1' }))).toBe(
      'there is a lock of session s2 already, 1 h 00 min old: in a terminal you can begin anew with "untildone lock on --renew", or end it with "untildone lock off"',
    );
    expect(text()).toBe('session_id: s2\n');
    expect(readdirSync(dirname(locks()))).toEqual(['.lock_active']);
  });

  test('refuses what is no lock in its place', () => {
    mkdirSync(locks(), { recursive: true });
    expect(refusalOf(() => on())).toContain(`${locks()} is a folder; remove it`);
    expect(refusalOf(() => on({ renew: true }))).toContain('is a folder');
  });

  test('refuses a link that leads nowhere', () => {
    mkdirSync(dirname(locks()), { recursive: true });
    symlinkSync(join(place.folder, 'nothing'), locks());
    expect(refusalOf(() => on())).toBe(`${locks()} leads nowhere; remove it`);
    expect(existsSync(join(place.folder, 'nothing'))).toBe(false);
  });

  test('renewed, it begins anew for the same owner', () => {
    put(locks(), 'session_id: s2\n');
    touchedAt(NOW - 30 * HOUR);
    const before = reading();
    on({ renew: true, message: 'Once more' });
    expect(text()).toBe('session_id: s2\n');
    expect(text('.lock_message')).toBe('Once more\n');
    expect(statSync(locks()).mtimeMs).toBe(NOW);
    const after = reading();
    if (before.kind !== 'loop' || after.kind !== 'loop') throw new Error('not two loops');
    expect(before.loop.expired).toBe(true);
    expect(after.loop.expired).toBeUndefined();
    expect(after.loop.identity).not.toBe(before.loop.identity);
    expect(said.slice(0, 2)).toEqual([`Lock renewed: ${locks()}`, 'It holds session s2, and no other.']);
  });

  test('renewed for another session, it names that one', () => {
    put(locks(), 'session_id: s2\n');
    on({ renew: true, session: 's3' });
    expect(text()).toContain('session_id: s3\n');
  });

  test('renewed where there is none, it is made', () => {
    on({ renew: true });
    expect(said[0]).toBe(`Lock on: ${locks()}`);
    expect(reading().kind).toBe('loop');
  });

  test.each([
    [{ goal: ' ' }, 'the goal is empty; type it in quotes: --goal "TEXT"'],
    [{ continuation: '' }, 'the continuation is empty; type it in quotes: --continuation "TEXT"'],
    [
      { message: 'x'.repeat(1024 * 1024 + 1) },
      'the message is larger than 1 MiB; put it into a file of the project and name that',
    ],
    [{ session: '../x' }, '"../x" is not a session id; expected letters, digits, - and _'],
    [{ session: '' }, '"" is not a session id; expected letters, digits, - and _'],
  ])('wrong use is said in one line and makes nothing: %#', (wishes, refusal) => {
    expect(refusalOf(() => on(wishes))).toBe(refusal);
    expect(existsSync(locks())).toBe(false);
  });

  test('where nothing can be made, it is said where', () => {
    writeFileSync(join(place.folder, '.claude'), 'a file');
    expect(refusalOf(() => on())).toMatch(/^cannot change locks in .*\.claude\/runtime: E/);
  });

  test('the continuation comes as text or from a file', () => {
    const file = join(place.folder, 'c.md');
    writeFileSync(file, 'From a file.');
    expect(continuationFrom(undefined, file)).toBe('From a file.');
    expect(continuationFrom('Text.', undefined)).toBe('Text.');
    expect(refusalOf(() => continuationFrom('Text.', file))).toContain('not both');
    expect(refusalOf(() => continuationFrom(undefined, join(place.folder, 'none')))).toContain('ENOENT');
  });
});

describe('lock off', () => {
  test('removes the lock and what lies beside it, and says what', () => {
    on({ goal: 'G', message: 'M', continuation: 'C' });
    put(locks('.other'), 'somebody else');
    said = [];
    lockOff(place, say);
    expect(said).toEqual([
      `Removed: ${locks()}`,
      `Removed: ${locks('.lock_goal')}`,
      `Removed: ${locks('.lock_message')}`,
      `Removed: ${locks('.continuation_prompt')}`,
      'Lock off: its session may stop.',
    ]);
    expect(readdirSync(dirname(locks()))).toEqual(['.other']);
  });

  test('without a lock says so', () => {
    lockOff(place, say);
    expect(said).toEqual([`There is no lock in ${place.folder}.`]);
    put(locks('.lock_goal'), 'left behind');
    lockOff(place, say);
    expect(said.at(-1)).toBe(`Removed: ${locks('.lock_goal')}`);
  });

  test('removes a pipe and a link, never what a link leads to, never a folder', () => {
    const target = join(place.folder, 'target');
    put(target, 'mine');
    mkdirSync(dirname(locks()), { recursive: true });
    symlinkSync(target, locks());
    makeFifo(locks('.lock_goal'));
    put(join(locks('.lock_message'), 'inner'), 'kept');
    lockOff(place, say);
    expect(readFileSync(target, 'utf8')).toBe('mine');
    expect(lstatSync(locks(), { throwIfNoEntry: false })).toBeUndefined();
    expect(existsSync(locks('.lock_goal'))).toBe(false);
    expect(readFileSync(join(locks('.lock_message'), 'inner'), 'utf8')).toBe('kept');
    expect(said).toContain(
      `Left: ${locks('.lock_message')} is a folder; look into it and remove it yourself`,
    );
  });
});

describe('lock status', () => {
  const status = () => {
    said = [];
    lockStatus(false, place, say);
    return said;
  };
  const json = () => {
    said = [];
    lockStatus(true, place, say);
    return JSON.parse(said.join('\n')) as Record<string, unknown>;
  };

  test('UNLOCKED', () => {
    expect(status()).toEqual(['UNLOCKED']);
    expect(json()).toEqual({ state: 'unlocked', path: locks() });
  });

  test('LOCKED, since when, until when, for whom and what for', () => {
    on({ goal: 'Ship\nit', session: 's1' });
    touchedAt(NOW - 2 * HOUR);
    expect(status()).toEqual([
      'LOCKED',
      `  file: ${locks()}`,
      '  age: 2 h 00 min',
      '  expires: today 22:00',
      '  session: s1',
      '  goal: Ship it',
    ]);
    expect(json()).toEqual({
      state: 'locked',
      path: locks(),
      since: '2025-12-31T22:00:00.000Z',
      age_s: 7200,
      expires: '2026-01-01T22:00:00.000Z',
      expired: false,
      ended: null,
      session: 's1',
      goal: 'Ship\nit',
      message: null,
      continuation: null,
      problems: [],
    });
  });

  test('a lock without an owner shows who claimed this very one', () => {
    on();
    expect(status()).toContain('  session: none yet; the first that stops becomes its owner');
    const found = reading();
    if (found.kind !== 'loop') throw new Error('no loop');
    const claim = { v: 1, dialect: 'lock', path: locks(), session: 's7' } as const;
    claimFiles(place.home).change(locks(), () => ({ ...claim, identity: 'an older one' }));
    expect(json().session).toBeNull();
    claimFiles(place.home).change(locks(), () => ({ ...claim, identity: found.loop.identity }));
    expect(json().session).toBe('s7');
    expect(status()).toContain('  session: s7');
  });

  test('a lock whose loop is over holds nobody', () => {
    on({ session: 's1' });
    const found = reading();
    if (found.kind !== 'loop') throw new Error('no loop');
    const { identity } = found.loop;
    const claim = { v: 1, dialect: 'lock', path: locks(), session: 's1', identity } as const;
    claimFiles(place.home).change(locks(), () => ({ ...claim, loopDir: '/loops/living' }));
    expect(json()).toMatchObject({ ended: null, session: 's1' });
    claimFiles(place.home).change(locks(), () => ({ ...claim, loopDir: '/loops/over' }));
    expect(json()).toMatchObject({ ended: 'verified_done', session: 's1' });
    expect(status()[3]).toBe(
      '  ended: verified_done, so it holds no session; begin anew with: untildone lock on --renew',
    );
  });

  test('an expired lock, and one that cannot be used', () => {
    on();
    touchedAt(NOW - 25 * HOUR);
    expect(status()[3]).toBe(
      '  expired: yesterday 23:00 (1 h 00 min ago), so it holds no session; begin anew with: untildone lock on --renew',
    );
    expect(status()[4]).toBe('  session: none');
    expect(json().expired).toBe(true);
    lockOff(place, say);
    mkdirSync(locks());
    expect(status()[0]).toMatch(/^UNUSABLE, so it holds no session: .* is a folder; remove it/);
    expect(json()).toMatchObject({ state: 'unusable', path: locks() });
  });
});

describe('on the command line', () => {
  beforeEach(() => {
    for (const name of ['CLAUDECODE', 'CLAUDE_PID', 'CLAUDE_CODE_SESSION_ID']) vi.stubEnv(name, '');
    vi.stubEnv('UNTILDONE_HOME', place.home.root);
    vi.stubEnv('HOME', dirname(place.folder));
    vi.stubEnv('CLAUDE_CONFIG_DIR', join(dirname(place.folder), 'config'));
    vi.stubEnv('CLAUDE_PROJECT_DIR', place.folder);
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => said.push(String(line).trimEnd()) > 0);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  const run = async (...args: string[]) => {
    const cli = new Command('untildone').exitOverride().configureOutput({ writeErr: () => {} });
    addLockCommands(cli);
    for (const command of cli.commands[0]?.commands ?? [])
      command.exitOverride().configureOutput({ writeErr: () => {} });
    await cli.parseAsync(['node', 'untildone', 'lock', ...args]);
  };
  const asAgent = () => {
    vi.stubEnv('CLAUDECODE', '1');
    vi.stubEnv('CLAUDE_CODE_SESSION_ID', 's1');
  };

  test('a person turns it on, looks, and turns it off', async () => {
    await run('on', '--goal', 'Ship it', '--session', 's9');
    expect(text()).toContain('session_id: s9\n');
    expect(said.at(-1)).toContain('WARNING: no hooks of untildone are installed for this project');
    await run('status');
    expect(said).toContain('LOCKED');
    await run('off');
    expect(said.at(-1)).toBe('Lock off: its session may stop.');
    expect(existsSync(locks())).toBe(false);
  });

  test('an agent makes a lock for its own session, and for no other', async () => {
    asAgent();
    await expect(run('on', '--session', 's2')).rejects.toThrow(
      '"untildone lock on --session" is for a person',
    );
    await run('on');
    expect(text()).toContain('session_id: s1\n');
  });

  test('only a person lets go or begins anew', async () => {
    put(locks());
    asAgent();
    await expect(run('off')).rejects.toThrow('"untildone lock off" is for a person');
    await expect(run('on', '--renew')).rejects.toThrow('"untildone lock on --renew" is for a person');
    expect(existsSync(locks())).toBe(true);
    await run('status', '--json');
    expect(JSON.parse(said.at(-1) ?? '')).toMatchObject({ state: 'locked' });
  });

  test('the lock lies in the folder that the session was started in, wherever the contract is', async () => {
    asAgent();
    vi.stubEnv('CLAUDE_PROJECT_DIR', '');
    writeFileSync(join(place.folder, 'untildone.yaml'), 'gates: {}\n');
    const started = join(place.folder, 'packages/a');
    mkdirSync(started, { recursive: true });
    writeFileSync(join(place.home.sessions, 's1.at'), `${started}\n1\n`);
    await run('on');
    expect(existsSync(join(started, '.claude/runtime/locks/.lock_active'))).toBe(true);
  });

  test('a flag without its value is not given the next flag', async () => {
    await expect(run('on', '--goal', '--renew')).rejects.toThrow('Its value is missing');
    expect(existsSync(locks())).toBe(false);
  });
});
