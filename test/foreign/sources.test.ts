import { expect, test } from 'vitest';
import { cloneLine } from '../../foreign/source.ts';
import { SOURCES } from '../../foreign/sources/all.ts';

test('every public project has a commit, a licence, a test command, and a cheat of a few lines', () => {
  expect(SOURCES.length).toBeGreaterThanOrEqual(12);
  expect(new Set(SOURCES.map(({ name }) => name)).size).toBe(SOURCES.length);
  expect(new Set(SOURCES.map(({ ecosystem }) => ecosystem)).size).toBeGreaterThanOrEqual(6);
  for (const { name, commit, licence, test: command, right, cheat } of SOURCES) {
    expect(name).toMatch(/^[\w.-]+\/[\w.-]+$/);
    expect(commit, name).toMatch(/^[0-9a-f]{40}$/);
    expect([licence, command, ...Object.keys(right)], name).not.toContain('');
    expect(Math.min(cheat.broken.length, cheat.hidden.length), name).toBeGreaterThan(0);
    expect(JSON.stringify(cheat).length, name).toBeLessThan(1000);
  }
});

test('the line that clones a project puts it where it is looked for', () => {
  expect(cloneLine({ name: 'a/b' }, 'DIR')).toBe('git clone --bare https://github.com/a/b DIR/a+b');
});
