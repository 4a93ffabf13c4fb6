import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const NOTICES = readFileSync(resolve(ROOT, 'dist/THIRD-PARTY.txt'), 'utf8').split(`\n${'-'.repeat(80)}\n`);

test.each(['diff', 'zod', 'yaml', 'commander', 're2js'])(
  'the licence of %s goes along with its code',
  (name) => {
    const manifest = readFileSync(resolve(ROOT, 'node_modules', name, 'package.json'), 'utf8');
    const { version, license } = JSON.parse(manifest) as Record<string, string>;
    const notice = NOTICES.find((each) => each.trim().startsWith(`${name} ${version} (${license})\n`));
    expect(notice).toMatch(/^Copyright\b/m);
  },
);
