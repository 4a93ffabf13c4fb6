import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readSmall, writeWhole } from '../../../src/engine/files/whole-file.ts';
import { finished, makeFifo, startWorker, temporaryFolder } from '../../support/files/workers.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'file');
});

describe('writing a whole file', () => {
  test('makes it with the mode that was asked for, and replaces it', () => {
    writeWhole(file, 'one');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeWhole(file, new Uint8Array([0x74, 0xff, 0x00]));
    expect([...readFileSync(file)]).toEqual([0x74, 0xff, 0x00]);
    expect(readdirSync(folder)).toEqual(['file']);
  });
  test('that cannot take its place leaves no temporary file behind', () => {
    mkdirSync(file);
    writeFileSync(join(file, 'inside'), '');
    expect(() => writeWhole(file, 'text')).toThrow();
    expect(readdirSync(folder)).toEqual(['file']);
  });
  test('into a folder that is not there fails', () => {
    expect(() => writeWhole(join(folder, 'missing', 'file'), 'text')).toThrow('ENOENT');
  });
  test('replaces a pipe without waiting on it', () => {
    makeFifo(file);
    writeWhole(file, 'text');
    expect(readFileSync(file, 'utf8')).toBe('text');
  });
  test('is never seen half done', async () => {
    const bytes = 1_000_000;
    writeWhole(file, '0'.repeat(bytes));
    const writer = startWorker({ do: 'rewrite', file, times: 60, bytes });
    const end = finished(writer);
    let running = true;
    void end.finally(() => {
      running = false;
    });
    const seen = new Set<string>();
    while (running) {
      const text = readSmall(file) ?? '';
      expect(text).toHaveLength(bytes);
      expect(text).toBe(text.charAt(0).repeat(bytes));
      seen.add(text.charAt(0));
      await new Promise(setImmediate);
    }
    expect(await end).toMatchObject({ code: 0, stderr: '' });
    expect(seen.size).toBeGreaterThan(1);
  });
});

describe('reading a small file', () => {
  test('gives its text, through a link too', () => {
    writeFileSync(file, 'text');
    symlinkSync(file, join(folder, 'link'));
    expect(readSmall(join(folder, 'link'))).toBe('text');
  });
  test('that is not there, or under a file, gives nothing', () => {
    writeFileSync(file, 'text');
    expect(readSmall(join(folder, 'missing'))).toBeUndefined();
    expect(readSmall(join(file, 'below'))).toBeUndefined();
  });
  test('refuses what is no regular file, without waiting', () => {
    makeFifo(file);
    expect(() => readSmall(file)).toThrow('not a regular file');
    expect(() => readSmall(folder)).toThrow('not a regular file');
    expect(() => readSmall('/dev/zero')).toThrow('not a regular file');
  });
  test('refuses what is larger than it may be', () => {
    writeFileSync(file, '12345');
    expect(readSmall(file, 5)).toBe('12345');
    expect(() => readSmall(file, 4)).toThrow('larger than 4 bytes');
  });
});
