import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadBundle } from '../../src/adapters/kept-code.ts';

const require = createRequire(import.meta.url);
let folder: string;
let bundle: string;
let kept: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-kept-'));
  bundle = join(folder, 'bundle.cjs');
  kept = join(folder, 'bundle.code');
  writeFileSync(bundle, program('first'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Texts of the same length for names of the same length: V8 alone cannot tell them apart. */
function program(name: string): string {
  return `const { sep } = require('node:path');
function greet() { return 'ünï ${name} ' + sep; }
module.exports = { text: greet(), here: typeof exports };`;
}

function runAndKeep(): void {
  const loaded = loadBundle(bundle, kept);
  loaded.run(require);
  loaded.keep();
}

test('a bundle runs as a CommonJS module and its exports are returned', () => {
  const loaded = loadBundle(bundle, kept);

  expect(loaded.fromKept).toBe(false);
  expect(loaded.run(require)).toEqual({ text: 'ünï first /', here: 'object' });
});

test('a bundle may import what is not loaded yet', async () => {
  writeFileSync(join(folder, 'other.cjs'), "exports.found = 'beside it';");
  writeFileSync(bundle, "module.exports = { late: import('./other.cjs'), builtin: import('node:path') };");
  for (const expected of [false, true]) {
    const loaded = loadBundle(bundle, kept);
    expect(loaded.fromKept).toBe(expected);
    const { late, builtin } = loaded.run(require) as Record<'late' | 'builtin', Promise<object>>;
    expect(await late).toMatchObject({ found: 'beside it' });
    expect(await builtin).toHaveProperty('join');
    loaded.keep();
  }
});

test('code that was kept is used the next time, and does the same', () => {
  runAndKeep();
  const again = loadBundle(bundle, kept);

  expect(again.fromKept).toBe(true);
  expect(again.run(require)).toEqual({ text: 'ünï first /', here: 'object' });
  expect(readdirSync(folder).sort()).toEqual(['bundle.cjs', 'bundle.code']);
});

test('code of another text of the same length is not used', () => {
  runAndKeep();
  const { ctimeMs } = statSync(bundle);
  // Two versions within one tick of the clock could not be told apart.
  do writeFileSync(bundle, program('other'));
  while (statSync(bundle).ctimeMs === ctimeMs);
  const changed = loadBundle(bundle, kept);

  expect(changed.fromKept).toBe(false);
  expect(changed.run(require)).toMatchObject({ text: 'ünï other /' });
});

test('code that was damaged anywhere, cut short or emptied is not used', () => {
  runAndKeep();
  const whole = readFileSync(kept);
  const damaged = [0, 31, 32, 40, Math.floor(whole.length / 2), whole.length - 1].map((place) => {
    const bytes = Buffer.from(whole);
    bytes[place] = (bytes[place] ?? 0) ^ 0xff;
    return bytes;
  });
  for (const bytes of [...damaged, whole.subarray(0, -1), whole.subarray(0, 20), Buffer.alloc(0)]) {
    writeFileSync(kept, bytes);
    const loaded = loadBundle(bundle, kept);
    expect(loaded.fromKept).toBe(false);
    expect(loaded.run(require)).toMatchObject({ text: 'ünï first /' });
  }
});

test('where nothing can be kept, nothing is, and nothing is left behind', () => {
  const loaded = loadBundle(bundle, join(folder, 'no such folder', 'bundle.code'));
  loaded.run(require);
  loaded.keep();

  expect(readdirSync(folder)).toEqual(['bundle.cjs']);
});

test('what is no regular file, or far too large, is neither waited for nor used', () => {
  const make = [
    () => mkdirSync(kept),
    () => execFileSync('mkfifo', [kept]),
    () => {
      writeFileSync(kept, '');
      truncateSync(kept, 2 ** 33);
    },
  ];
  for (const put of make) {
    put();
    const loaded = loadBundle(bundle, kept);
    expect(loaded.fromKept).toBe(false);
    expect(loaded.run(require)).toMatchObject({ text: 'ünï first /' });
    rmSync(kept, { recursive: true });
  }
});
