import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { LockTimeout, withLock } from '../../../src/engine/files/lock.ts';
import { renderProcessId, thisProcess } from '../../../src/engine/files/process-id.ts';
import {
  finished,
  holdLock,
  makeFifo,
  runWorker,
  startWorker,
  temporaryFolder,
  workerCommand,
} from '../../support/files/workers.ts';
import { isLong, rounds } from '../../support/long.ts';

let folder: string;
let lock: string;
beforeEach(() => {
  folder = temporaryFolder();
  lock = join(folder, 'lock');
});

/** The name of a process that has just ended. */
function deadProcess(): string {
  const pid = Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
  return renderProcessId({ pid, started: '1', host: hostname() });
}

const STRANGER = '4711 1 another-machine.invalid\n';

function leave(path: string, owner: string, secondsAgo = 0): void {
  writeFileSync(path, owner);
  const then = Date.now() / 1000 - secondsAgo;
  utimesSync(path, then, then);
}

/** The file that claims the right to remove this lock. */
function claimOf(path: string, number: number): string {
  const { ino, mtimeNs } = statSync(path, { bigint: true });
  return `${path}.dead-${ino}-${mtimeNs}-0.${number}`;
}

/** Takes the lock and returns the name of its owner. */
const takeIt = (limitMs: number) =>
  withLock(lock, () => readFileSync(lock, 'utf8').replace(/\n.*\n$/, '\n'), limitMs);

describe('a free lock', () => {
  test('names its owner while it is held and is gone afterwards', () => {
    expect(takeIt(100)).toBe(renderProcessId(thisProcess()));
    expect(readdirSync(folder)).toEqual([]);
  });
  test('is let go when the body throws', () => {
    const failing = () =>
      withLock(lock, () => {
        throw new Error('body');
      });
    expect(failing).toThrow('body');
    expect(readdirSync(folder)).toEqual([]);
  });
  test('leaves alone what another put in its place', () => {
    withLock(lock, () => {
      execFileSync('mv', [lock, `${lock}.moved`]);
      writeFileSync(lock, STRANGER);
    });
    expect(readFileSync(lock, 'utf8')).toBe(STRANGER);
  });
});

describe('the text of a lock', () => {
  test('is another one each time, so that no lock is taken for the one before it', () => {
    const text = () => withLock(lock, () => readFileSync(lock, 'utf8'));
    expect(new Set(Array.from({ length: 50 }, text)).size).toBe(50);
  });
  test('is there as soon as the lock is: nobody ever reads an empty one', async () => {
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    const end = runWorker({ do: 'count', lock, counter, times: rounds(2000) });
    let running = true;
    void end.finally(() => {
      running = false;
    });
    const seen = new Set<boolean>();
    while (running) {
      for (let i = 0; i < 200; i++)
        if (existsSync(lock)) {
          const text = readIfThere(lock);
          if (text !== undefined) seen.add(text.endsWith('\n'));
        }
      await new Promise(setImmediate);
    }
    expect(await end).toMatchObject({ code: 0, stderr: '' });
    expect(seen).toEqual(new Set([true]));
  });
  test('what a process left that died while it took the lock is swept away', () => {
    leave(lock, deadProcess());
    leave(`${lock}.new-1-1-1`, deadProcess(), 120);
    takeIt(500);
    expect(readdirSync(folder)).toEqual([]);
  });
});

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

describe("a living owner's lock", () => {
  test('is not taken, and the wait has an end that names the file', async () => {
    const holder = await holdLock(lock);
    const before = readFileSync(lock, 'utf8');
    expect(() => takeIt(150)).toThrow(LockTimeout);
    expect(() => takeIt(1)).toThrow(lock);
    expect(readFileSync(lock, 'utf8')).toBe(before);
    holder.stdin.end();
    await once(holder, 'exit');
    expect(readdirSync(folder)).toEqual([]);
  });
  test('is had as soon as it is free', async () => {
    const holder = await holdLock(lock);
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    const waiter = startWorker({ do: 'count', lock, counter, times: 1 });
    const end = finished(waiter);
    holder.stdin.end();
    expect(await end).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(counter, 'utf8')).toBe('1');
  });
});

describe("a dead owner's lock", () => {
  test('is taken over at once when its owner was killed', async () => {
    const holder = await holdLock(lock);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(existsSync(lock)).toBe(true);
    expect(takeIt(500)).toBe(renderProcessId(thisProcess()));
    expect(readdirSync(folder)).toEqual([]);
  });
  test('is taken over when its owner is dead but nobody asked for its exit code', async () => {
    // A parent that never asks for the exit code of its children.
    const parent = spawn(
      'sh',
      ['-c', '"$@" <&3 & exec sleep 60', 'sh', ...workerCommand({ do: 'hold', lock })],
      {
        stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
      },
    );
    try {
      const [said] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
      const pid = Number(String(said).split(' ')[1]);
      process.kill(pid, 'SIGKILL');
      expect(takeIt(2000)).toBe(renderProcessId(thisProcess()));
      expect(process.kill(pid, 0)).toBe(true);
    } finally {
      parent.kill('SIGKILL');
      await once(parent, 'exit');
    }
  });
  test('is taken over although its pid belongs to another process by now', () => {
    leave(lock, renderProcessId({ ...thisProcess(), started: '1' }));
    expect(takeIt(100)).toBe(renderProcessId(thisProcess()));
  });
  test('is taken over from a claimant who died over it, and nothing is left behind', () => {
    const dead = deadProcess();
    leave(lock, dead);
    writeFileSync(claimOf(lock, 0), dead);
    writeFileSync(claimOf(lock, 1), dead);
    expect(takeIt(500)).toBe(renderProcessId(thisProcess()));
    expect(readdirSync(folder)).toEqual([]);
  });
  test('is left to a living claimant', () => {
    leave(lock, deadProcess());
    const claim = claimOf(lock, 0);
    writeFileSync(claim, renderProcessId(thisProcess()));
    expect(() => takeIt(100)).toThrow(LockTimeout);
    expect(existsSync(claim)).toBe(true);
    expect(existsSync(lock)).toBe(true);
  });
  test('old claims on locks that are long gone are swept away', () => {
    const dead = deadProcess();
    leave(lock, dead);
    leave(`${lock}.dead-1-1.0`, dead, 120);
    leave(`${lock}.dead-2-2.0`, dead);
    takeIt(500);
    expect(readdirSync(folder)).toEqual(['lock.dead-2-2.0']);
  });
});

describe('a lock without a name', () => {
  test('is taken over after two seconds', () => {
    leave(lock, '', 1);
    const before = Date.now();
    takeIt(5000);
    expect(Date.now() - before).toBeGreaterThan(700);
    leave(lock, '', 3);
    expect(takeIt(100)).toBe(renderProcessId(thisProcess()));
  });
  test('is not taken from someone who is just about to write it', () => {
    leave(lock, '');
    expect(() => takeIt(100)).toThrow(LockTimeout);
  });
  test('does not live for ever because the clock was set back', () => {
    leave(lock, '', -3600);
    expect(takeIt(100)).toBe(renderProcessId(thisProcess()));
  });
  test('half a name is no name', () => {
    leave(lock, renderProcessId(thisProcess()).slice(0, -1), 3);
    expect(takeIt(100)).toBe(renderProcessId(thisProcess()));
  });
});

describe('a lock of another machine', () => {
  test('is respected for half a minute', () => {
    leave(lock, STRANGER, 20);
    expect(() => takeIt(50)).toThrow(LockTimeout);
    leave(lock, STRANGER, 31);
    expect(takeIt(100)).toBe(renderProcessId(thisProcess()));
  });
});

describe('what is no lock file at all ends the wait instead of lasting for ever', () => {
  const inPlace: Record<string, () => void> = {
    'a pipe': () => makeFifo(lock),
    'a folder': () => mkdirSync(lock),
    'a link to nowhere': () => symlinkSync(join(folder, 'nowhere'), lock),
    'a link to itself': () => symlinkSync(lock, lock),
    'a folder that is not there': () => {
      lock = join(folder, 'missing', 'lock');
    },
  };
  test.each(Object.keys(inPlace))('%s', async (name) => {
    inPlace[name]?.();
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    const result = await runWorker({ do: 'count', lock, counter, times: 1, limitMs: 200 });
    expect(result).toMatchObject({ code: 1, signal: null });
    expect(readFileSync(counter, 'utf8')).toBe('0');
  });
});

describe('many processes', () => {
  const DYING = isLong ? 16 : 6;
  test('are never inside together and lose no count, from a dead lock on', async () => {
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    leave(lock, deadProcess());
    const tasks = Array.from({ length: 6 }, () => runWorker({ do: 'count', lock, counter, times: 40 }));
    for (const result of await Promise.all(tasks)) expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(counter, 'utf8')).toBe('240');
    expect(readdirSync(folder)).toEqual(['counter']);
  });
  test('go on, one at a time, while others die inside', async () => {
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    const dying = Array.from({ length: DYING }, (_, i) =>
      runWorker({ do: 'count', lock, counter, times: 100, dieAfter: i % 5 }),
    );
    const living = Array.from({ length: 4 }, () => runWorker({ do: 'count', lock, counter, times: 25 }));
    for (const result of await Promise.all(living)) expect(result).toMatchObject({ code: 0, stderr: '' });
    for (const result of await Promise.all(dying))
      expect(result).toMatchObject({ signal: 'SIGKILL', stderr: '' });
    const counted = Array.from({ length: DYING }, (_, i) => (i % 5) + 1).reduce((a, b) => a + b, 0);
    expect(readFileSync(counter, 'utf8')).toBe(String(100 + counted));
    expect(takeIt(500)).toBe(renderProcessId(thisProcess()));
    expect(readdirSync(folder).filter((name) => name.startsWith('lock'))).toEqual([]);
  });
});
