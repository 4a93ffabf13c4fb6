import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPage } from '../../../../scripts/build-page.mjs';
import { filesIn, SRC } from '../../../house/files.ts';

const MOST_BYTES = 40 * 1024;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-page-'));
  await buildPage(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the whole page weighs at most 40 KB on its way to the browser', () => {
  const sizes = readdirSync(folder).map((file) => gzipSync(readFileSync(join(folder, file))).length);
  expect(readdirSync(folder).sort()).toEqual(['app.css', 'app.js', 'icon.svg', 'index.html']);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MOST_BYTES);
});

test('it loads nothing from elsewhere, and nothing in it runs outside of its script', () => {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  expect(html).not.toMatch(/https?:|<script(?! src="app\.js">)|<style| on\w+=| style=/);
  expect(readFileSync(join(folder, 'app.css'), 'utf8')).not.toMatch(/url\(|@import/);
});

/** Text of journals becomes text nodes: whatever would make markup, code or addresses of it is not used at all. */
const DANGEROUS =
  /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|window\.open|javascript:/;

test('nothing in the page can make markup or code of a text', () => {
  const files = filesIn(join(SRC, 'read/dashboard/page'));
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((file) => DANGEROUS.test(readFileSync(file, 'utf8')))).toEqual([]);
});

/** Links are made by `addressOf`, which encodes, or are fixed. */
test('no link takes its address from a journal', () => {
  const links = filesIn(join(SRC, 'read/dashboard/page')).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bhref=(\{[^}]*\}?|"[^"]*")/g)].map((match) => match[1] ?? ''),
  );
  const strange = links.filter((link) => !/^"#\/|^\{(addressOf|placeOf)\(/.test(link));
  expect(links.length).toBeGreaterThan(5);
  expect(strange).toEqual([]);
});
