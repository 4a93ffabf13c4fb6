import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ancestors,
  livenessOf,
  parseProcessId,
  renderProcessId,
  startOf,
  thisProcess,
} from '../../../src/engine/files/process-id.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

describe('whether a process lives', () => {
  test('this one does', () => {
    expect(livenessOf(thisProcess())).toBe('alive');
  });
  test('one that has ended does not', () => {
    const pid = Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
    expect(livenessOf({ ...thisProcess(), pid })).toBe('dead');
  });
  test('one that began at another time is another process with the same number', () => {
    expect(livenessOf({ ...thisProcess(), started: '1' })).toBe('dead');
  });
  test('of another machine is not known', () => {
    expect(livenessOf({ ...thisProcess(), host: 'another-machine.invalid' })).toBe('unknown');
  });
  test('is not known where the system told no start time: the number may be given out again', () => {
    expect(livenessOf({ ...thisProcess(), started: '' })).toBe('unknown');
  });
});

describe('the start time', () => {
  test('is found behind a command name with brackets and spaces', async () => {
    const odd = join(temporaryFolder(), 'a) 1 2 (b');
    copyFileSync(execFileSync('sh', ['-c', 'command -v sleep'], { encoding: 'utf8' }).trim(), odd);
    const child = spawn(odd, ['60']);
    try {
      await once(child, 'spawn');
      const pid = child.pid ?? 0;
      expect(startOf(pid)).toMatch(/^\d+$/);
      expect(Number(startOf(pid))).toBeGreaterThanOrEqual(Number(startOf(process.pid)));
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
  test('of a process that is not there is undefined', () => {
    expect(startOf(2 ** 30)).toBeUndefined();
  });
});

describe('the written form', () => {
  const id = fc.record({
    pid: fc.nat(),
    started: fc.stringMatching(/^\d{0,12}$/),
    host: fc.stringMatching(/^[\w.-][\w. -]{0,30}$/),
  });
  test('read back is the same', () => {
    fc.assert(
      fc.property(id, (given) => {
        expect(parseProcessId(renderProcessId(given))).toEqual(given);
      }),
    );
  });
  test('cut short anywhere names nobody', () => {
    fc.assert(
      fc.property(id, fc.nat(60), (given, cut) => {
        const text = renderProcessId(given);
        if (cut < text.length) expect(parseProcessId(text.slice(0, cut))).toBeUndefined();
      }),
    );
  });
  test.each(['', '\n', 'x 1 host\n', '-5 1 host\n', '1 host\n', '1 1 host', '1 1 ho\nst\n'])(
    '%j names nobody',
    (text) => {
      expect(parseProcessId(text)).toBeUndefined();
    },
  );
});

test('ancestors begin with the parent and end before the first process', () => {
  const found = ancestors();
  expect(found[0]).toBe(process.ppid);
  expect(found).not.toContain(1);
  expect(new Set(found).size).toBe(found.length);
});
