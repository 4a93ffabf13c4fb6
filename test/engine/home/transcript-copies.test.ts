import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { beforeEach, describe, expect, test } from 'vitest';
import { keepTranscript } from '../../../src/engine/home/transcript-copies.ts';
import { makeFifo, temporaryFolder } from '../../support/files/workers.ts';
import { workMs } from '../../support/work-time.ts';

const T0 = Date.parse('2026-01-01T00:00:00Z');
let folder: string;
let transcript: string;
beforeEach(() => {
  folder = temporaryFolder();
  transcript = join(folder, 'session.jsonl');
});

const ref = () => ({ loop: 'l1', dir: folder });
const copies = () => readdirSync(join(folder, 'transcripts')).sort();
const keep = (now = T0, limits = {}) => keepTranscript(transcript, ref(), now, limits);

describe('a copy', () => {
  test('is the whole transcript, for its owner alone', () => {
    writeFileSync(transcript, '{"a":1}\n{"b":2}\n');
    expect(keep()).toEqual({ kind: 'kept', name: 'transcripts/2026-01-01T00-00-00-000Z.jsonl', bytes: 16 });
    const copy = join(folder, 'transcripts/2026-01-01T00-00-00-000Z.jsonl');
    expect(readFileSync(copy, 'utf8')).toBe('{"a":1}\n{"b":2}\n');
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'transcripts')).mode & 0o777).toBe(0o700);
  });

  test('stays with the two before it', () => {
    writeFileSync(transcript, 'x\n');
    mkdirSync(join(folder, 'transcripts'));
    writeFileSync(join(folder, 'transcripts/mine.jsonl'), 'not ours');
    for (let i = 0; i < 6; i++) keep(T0 + i * 1000);
    expect(copies()).toEqual([
      '2026-01-01T00-00-03-000Z.jsonl',
      '2026-01-01T00-00-04-000Z.jsonl',
      '2026-01-01T00-00-05-000Z.jsonl',
      'mine.jsonl',
    ]);
  });

  test.each([
    ['in the middle of a line', 8, 'abcd\n'],
    ['where a line begins', 10, '1234\nabcd\n'],
    ['in the last line', 3, ''],
  ])('of a longer transcript is its end, cut %s', (_, maxBytes, kept) => {
    writeFileSync(transcript, 'begin\n1234\nabcd\n');
    expect(keep(T0, { maxBytes })).toMatchObject({ bytes: kept.length, cut: 16 - kept.length });
    expect(readFileSync(join(folder, 'transcripts', copies()[0] ?? ''), 'utf8')).toBe(kept);
  });

  test('of a transcript far above the limit is quick', () => {
    writeFileSync(transcript, 'x\n');
    // A sparse file: a gigabyte of NULs, and a line.
    truncateSync(transcript, 1024 ** 3);
    writeFileSync(transcript, '\n{"last":1}\n', { flag: 'a' });
    const began = workMs();
    expect(keep(T0, { maxBytes: 1024 * 1024 })).toMatchObject({ kind: 'kept', bytes: 11 });
    expect(workMs() - began).toBeLessThan(5_000);
  });
});

describe('no copy', () => {
  test('of what is not there or is no file, and nothing is waited for', () => {
    expect(keep()).toEqual({
      kind: 'none',
      problem: 'no copy of the transcript was kept: there is no transcript',
    });
    makeFifo(transcript);
    expect(keep()).toMatchObject({ kind: 'none' });
    expect(keepTranscript(folder, ref(), T0)).toMatchObject({ kind: 'none' });
  });

  test('when it takes too long, and nothing is left of it', () => {
    writeFileSync(transcript, 'x\n'.repeat(100));
    expect(keep(T0, { maxMs: -1 })).toEqual({
      kind: 'none',
      problem: 'no copy of the transcript was kept: copying it took too long',
    });
    expect(copies()).toEqual([]);
  });

  test('where it cannot be written', () => {
    writeFileSync(transcript, 'x\n');
    writeFileSync(join(folder, 'transcripts'), 'a file in the way');
    expect(keep()).toMatchObject({ kind: 'none' });
  });

  test('under its name when the process is killed while it copies; the rest of it goes later', async () => {
    writeFileSync(transcript, `${'x'.repeat(1023)}\n`.repeat(64 * 1024));
    const entry = join(import.meta.dirname, '../../../src/engine/home/transcript-copies.ts');
    const bundle = join(folder, 'copies.cjs');
    buildSync({ entryPoints: [entry], outfile: bundle, bundle: true, platform: 'node', format: 'cjs' });
    const ask = `process.stdout.write('begun'); require(${JSON.stringify(bundle)}).keepTranscript(${JSON.stringify(transcript)}, ${JSON.stringify(ref())}, ${T0}, { maxBytes: 1e9 })`;
    for (let round = 0; round < 5; round++) {
      const child = spawn(process.execPath, ['-e', ask], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exit = once(child, 'exit');
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await exit;
      for (const name of readdirSync(folder).includes('transcripts') ? copies() : []) {
        const size = statSync(join(folder, 'transcripts', name)).size;
        if (!name.endsWith('.tmp')) expect(size).toBe(64 * 1024 * 1024);
      }
    }
    mkdirSync(join(folder, 'transcripts'), { recursive: true });
    const left = join(folder, 'transcripts/2026-01-01T00-00-00-000Z.jsonl.123.tmp');
    writeFileSync(left, 'half');
    utimesSync(left, T0 / 1000 - 3600, T0 / 1000 - 3600);
    writeFileSync(transcript, 'x\n');
    keep(T0 + 1);
    expect(copies()).not.toContain('2026-01-01T00-00-00-000Z.jsonl.123.tmp');
  });
});
