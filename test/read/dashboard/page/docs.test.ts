import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SRC } from '../../../house/files.ts';

const DOCS = join(SRC, '../docs');

test('the guide names every key that the page knows', () => {
  const guide = readFileSync(join(DOCS, 'guides/dashboard.md'), 'utf8');
  const keys = readFileSync(join(SRC, 'read/dashboard/page/frame/keys.ts'), 'utf8');
  const known = [...keys.matchAll(/^ {2}\[\[(.+)\], '(.+)'\],$/gm)];
  expect(known.length).toBeGreaterThan(8);
  for (const [, names = ''] of known)
    for (const [, key = ''] of names.matchAll(/'([^']+)'/g)) expect(guide).toContain(`\`${key}\``);
});

test('pictures in the docs are few and small, and each is shown', () => {
  const pictures = readdirSync(join(DOCS, 'images')).filter((name) => name.startsWith('dashboard-'));
  const guide = readFileSync(join(DOCS, 'guides/dashboard.md'), 'utf8');
  expect(pictures.length).toBeGreaterThan(0);
  expect(pictures.length).toBeLessThanOrEqual(5);
  for (const name of pictures) {
    expect([name, statSync(join(DOCS, 'images', name)).size < 110_000]).toEqual([name, true]);
    expect(guide).toContain(`images/${name}`);
  }
});
