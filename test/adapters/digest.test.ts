import { execFileSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import wabt from 'wabt';
import { hmacSha256, sha256 } from '../../src/adapters/digest.ts';
import { DIGEST_CODE } from '../../src/adapters/digest-code.ts';
import { anyCharacter } from '../support/any-character.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex');

test('the code is what digest.wat says', async () => {
  const { parseWat } = await wabt();
  const module = parseWat('digest.wat', readFileSync(resolve('src/adapters/digest.wat'), 'utf8'));
  module.validate();

  expect(DIGEST_CODE).toBe(Buffer.from(module.toBinary({}).buffer).toString('base64'));
});

test('the published examples of SHA-256 and of HMAC', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(hmacSha256('Jefe', 'what do ya want for nothing?')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('every length around a block, and around a page of memory', () => {
  const room = 0x10000 - 0x400;
  const lengths = [...Array(200).keys()].concat(
    [room, 2 * room, 3 * room].flatMap((n) => [-65, -64, -9, -8, -1, 0, 1, 64].map((d) => n + d)),
  );
  for (const length of lengths) {
    const text = 'x'.repeat(length);
    expect(sha256(text), `${length}`).toBe(hash(text));
    expect(hmacSha256('k', text), `${length}`).toBe(hmac('k', text));
  }
});

test('any text and any key, as node:crypto digests them', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 5000 });
  fc.assert(
    fc.property(text, fc.string({ unit: anyCharacter, maxLength: 200 }), (text, key) => {
      expect(sha256(text)).toBe(hash(text));
      expect(hmacSha256(key, text)).toBe(hmac(key, text));
    }),
    { numRuns: 500 },
  );
});

test('without WebAssembly the digests are the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-digest-'));
  try {
    const entry = join(folder, 'entry.ts');
    writeFileSync(
      entry,
      `import { hmacSha256, sha256 } from ${JSON.stringify(resolve('src/adapters/digest.ts'))};
process.stdout.write(JSON.stringify([sha256('ünï'), hmacSha256('key', 'ünï')]));`,
    );
    const outfile = join(folder, 'bundle.cjs');
    await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs' });
    const said = execFileSync(process.execPath, ['--jitless', outfile], { encoding: 'utf8' });

    expect(JSON.parse(said)).toEqual([hash('ünï'), hmac('key', 'ünï')]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
