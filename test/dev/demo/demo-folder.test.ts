import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDemo } from '../../../src/dev/demo/demo-folder.ts';
import { demoNamed } from './evidence.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples');

/** An installed program whose demo.yaml reads a little differently. */
function installedWith(change: (text: string) => string): string {
  const program = mkdtempSync(join(tmpdir(), 'untildone-program-'));
  onTestFinished(() => rmSync(program, { recursive: true, force: true }));
  cpSync(join(EXAMPLES, 'one-session'), join(program, 'examples', 'one-session'), { recursive: true });
  const file = join(program, 'examples', 'one-session', 'demo.yaml');
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  return program;
}

test.each(['one-session', 'many-sessions', 'four-chunks', 'eight-cheats'])(
  '%s is a session or a run, with a script',
  (name) => {
    const { session, run, turns, files, expect: steps } = demoNamed(name);
    expect([session, run].filter(Boolean)).toHaveLength(1);
    expect(turns.length).toBeGreaterThan(0);
    expect(Object.keys(files)).toContain('untildone.yaml');
    expect(new Set(steps.map(({ says }) => says)).size).toBe(steps.length);
  },
);

test('an installed program plays what lies beside it', () => {
  const program = installedWith((text) => text.replace(/^title: .*$/m, 'title: another one'));
  expect(openDemo('one-session', program)).toEqual({ ...demoNamed('one-session'), title: 'another one' });
});

test('a demo that is not there is named, with what to do', () => {
  expect(() => openDemo('four-chunks', tmpdir())).toThrow(
    /the example is missing in .*four-chunks: install untildone/,
  );
});

test.each([
  ['a misspelt condition', '    ends: verified_done', '    end: verified_done', /end/],
  ['a step that compares nothing', '    ends: verified_done', '', /nothing is compared here/],
  [
    'a question to the journal that compares nothing',
    /pick: first, has: .*started.*/,
    'pick: first }',
    /nothing is compared here/,
  ],
])('%s is refused', (_, from, to, problem) => {
  const program = installedWith((text) => text.replace(from, to));
  expect(() => openDemo('one-session', program)).toThrow(problem);
});
