import { expect, test } from 'vitest';
import { hmacSha256, sha256 } from '../../../src/engine/files/digest.ts';

test('the published examples of SHA-256 and of HMAC', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(hmacSha256('Jefe', 'what do ya want for nothing?')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('a text is digested as its UTF-8', () => {
  expect(sha256('ünï')).toBe('e975a52994d88fc7c7bf16c547779c6d0e3cd954f3bdacba332c8858a5ff4d58');
  expect(hmacSha256('kéy', 'ünï')).toBe('27ee16611100fca7e7d8972d45af930961e3a6347c7c5233c010fdedf0136620');
});
