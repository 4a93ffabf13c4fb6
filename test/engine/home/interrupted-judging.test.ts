import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { renderProcessId, thisProcess } from '../../../src/engine/files/process-id.ts';
import { judgingWatch } from '../../../src/engine/home/interrupted-judging.ts';
import { homeAt } from '../../../src/engine/home/layout.ts';
import type { JudgingWatch } from '../../../src/engine/ports/ports.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

const JUDGED = { loop: 'l1', gates: ['tests', 'lint'] };

let active: string;
let mark: JudgingWatch;
beforeEach(() => {
  const home = homeAt(temporaryFolder());
  active = home.active;
  mkdirSync(active);
  mark = judgingWatch(home);
});

const file = (kind = '') => join(active, `s1${kind}`);

/** What a hook leaves that was killed while it judged. */
function leave(judged: unknown = JUDGED): void {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const hook = renderProcessId({ ...thisProcess(), pid });
  writeFileSync(file('.judging'), `4711\n${hook}${JSON.stringify(judged)}\n`);
}

describe('watching', () => {
  test('makes the marker of a held session speak, and leaves one that does alone', () => {
    writeFileSync(file(), '');
    mark.watch('s1');
    expect(statSync(file()).size).toBeGreaterThan(0);
    utimesSync(file(), 1, 1);
    mark.watch('s1');
    expect(statSync(file()).mtimeMs).toBe(1000);
  });
  test('holds no session that has no marker, and writes nothing for an id that climbs', () => {
    mark.watch('s1');
    mark.watch('../s1');
    mark.begin('../s1', JUDGED)();
    expect(readdirSync(active)).toEqual([]);
  });
});

describe('a judging', () => {
  test('names the process that waits for this one, for this user only, until it is over', () => {
    writeFileSync(file('.cut'), 'xx\n');
    const end = mark.begin('s1', JUDGED);
    expect(readFileSync(file('.judging'), 'utf8').split('\n')[0]).toBe(String(process.ppid));
    expect(statSync(file('.judging')).mode & 0o777).toBe(0o600);
    expect(mark.takeInterrupted('s1', 'l1')).toBeUndefined();
    end();
    end();
    expect(readdirSync(active)).toEqual([]);
  });
  test('that ends leaves the sign of another one beside it', () => {
    const end = mark.begin('s1', JUDGED);
    writeFileSync(file('.judging'), "another's");
    end();
    expect(readFileSync(file('.judging'), 'utf8')).toBe("another's");
  });
  test('goes on where nothing can be written', () => {
    mkdirSync(file('.judging'));
    expect(() => mark.begin('s1', JUDGED)()).not.toThrow();
    expect(mark.takeInterrupted('s1', 'l1')).toBeUndefined();
  });
});

describe('what is left of one that was cut off', () => {
  test('is told once, to its own loop', () => {
    leave();
    expect(mark.takeInterrupted('s1', 'another')).toBeUndefined();
    expect(mark.takeInterrupted('s1', 'l1')).toEqual({ ...JUDGED, inARow: 0, held: false });
    expect(mark.takeInterrupted('s1', 'l1')).toBeUndefined();
  });
  test('was held when the shell has counted it, and the count goes on', () => {
    leave();
    writeFileSync(file('.cut'), 'xx\n');
    expect(mark.takeInterrupted('s1', 'l1')).toEqual({ ...JUDGED, inARow: 2, held: true });
    expect(readdirSync(active)).toEqual(['s1.cut']);
  });
  test('was let go at the third, and the count begins anew', () => {
    leave();
    writeFileSync(file('.cut'), 'xxx\n');
    expect(mark.takeInterrupted('s1', 'l1')).toEqual({ ...JUDGED, inARow: 3, held: false });
    expect(readdirSync(active)).toEqual([]);
  });
  test('was not answered when the count is older', () => {
    writeFileSync(file('.cut'), 'x\n');
    utimesSync(file('.cut'), 1, 1);
    leave();
    expect(mark.takeInterrupted('s1', 'l1')).toEqual({ ...JUDGED, inARow: 0, held: false });
  });
  test('is nothing when it is torn or foreign', () => {
    for (const judged of [null, {}, { loop: 'l1' }, { loop: 1, gates: [] }]) {
      leave(judged);
      expect(mark.takeInterrupted('s1', 'l1')).toBeUndefined();
    }
    for (const text of ['', '4711', '4711\n', '4711\nx y z\n{']) {
      writeFileSync(file('.judging'), text);
      expect(mark.takeInterrupted('s1', 'l1')).toBeUndefined();
    }
  });
  test('does not concern a loop that begins', () => {
    leave();
    writeFileSync(file('.cut'), 'xx\n');
    mark.forget('s1');
    expect(readdirSync(active)).toEqual([]);
  });
});
