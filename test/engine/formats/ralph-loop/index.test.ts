import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ForeignLoop, Reading } from '../../../../src/engine/formats/format.ts';
import { RALPH_FILE, ralphLoopFormat, SAFETY_STOP } from '../../../../src/engine/formats/ralph-loop/index.ts';
import {
  parseState,
  renderState,
  withIteration,
} from '../../../../src/engine/formats/ralph-loop/state-file.ts';
import { foreignFiles } from '../../../../src/engine/project/files.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { makeFifo, temporaryFolder } from '../../../support/files/workers.ts';

function reading(text: string): Reading {
  const folder = temporaryFolder();
  mkdirSync(dirname(join(folder, RALPH_FILE)), { recursive: true });
  writeFileSync(join(folder, RALPH_FILE), text);
  return ralphLoopFormat.read({ session: 's1', folder, userHome: folder, now: 0 }, foreignFiles);
}

function loop(text: string): ForeignLoop {
  const read = reading(text);
  if (read.kind !== 'loop') throw new Error(`no loop: ${JSON.stringify(read)}`);
  return read.loop;
}

const file = (front: string, prompt = 'Fix it.') => `---\n${front}\n---\n${prompt}\n`;

describe('the front matter', () => {
  test('of the document: four fields and a prompt', () => {
    const found = loop(
      file('iteration: 3\nmax_iterations: 10\ncompletion_promise: "DONE"\nsession_id: abc123'),
    );
    expect(found).toMatchObject({
      owner: 'abc123',
      iteration: 3,
      maxIterations: 10,
      task: 'Fix it.',
      notes: [],
    });
    expect(found.gates).toEqual({ promise: { kind: 'promise', options: { text: 'DONE' } } });
  });
  test.each([
    ['without spaces', 'iteration:3\nmax_iterations:10\nsession_id:s1'],
    ['with many', 'iteration:   3  \nmax_iterations:\t10\nsession_id:  s1 '],
    ['with CRLF', 'iteration: 3\r\nmax_iterations: 10\r\nsession_id: s1\r'],
    ['quoted', 'iteration: "3"\nmax_iterations: \'10\'\nsession_id: "s1"'],
  ])('%s', (_, front) => {
    expect(loop(file(front))).toMatchObject({ owner: 's1', iteration: 3, maxIterations: 10, notes: [] });
  });
  test('behind a byte order mark', () => {
    expect(loop(`\uFEFF${file('iteration: 2\nsession_id: s1')}`)).toMatchObject({
      iteration: 2,
      owner: 's1',
    });
  });
  test('what looks like it inside the prompt belongs to the prompt', () => {
    const prompt = 'First.\n---\niteration: 9\nsession_id: other\n---\nLast.';
    expect(loop(file('iteration: 2\nsession_id: s1', prompt))).toMatchObject({ iteration: 2, task: prompt });
  });
  test.each(['', 'null', '""'])('completion_promise: %s is no promise', (value) => {
    const found = loop(file(`iteration: 1\ncompletion_promise: ${value}`));
    expect(found.gates).toEqual({});
    expect(found.judge({ workspace: () => Promise.reject(), hasGates: false })).toMatchObject([
      { outcome: 'fail' },
    ]);
    expect(found.judge({ workspace: () => Promise.reject(), hasGates: true })).toEqual([]);
  });
  test('a promise may hold quotes and glob characters', () => {
    const found = loop(file('completion_promise: "say "yes" * ?"'));
    expect(found.gates.promise?.options).toEqual({ text: 'say "yes" * ?' });
  });
});

describe('counters', () => {
  test.each(['abc', '-1', '2.5', '1e3', '99999999999999999999', '0x10', '３'])(
    'iteration: %s is no count, and that is said',
    (value) => {
      const found = loop(file(`iteration: ${value}\nmax_iterations: 5`));
      expect(found.iteration).toBeUndefined();
      expect(found.notes).toEqual([expect.stringContaining('is no count')]);
    },
  );
  test.each(['abc', '-5', '2.5', '99999999999999999999'])(
    'max_iterations: %s falls back to a limit',
    (value) => {
      const found = loop(file(`iteration: 1\nmax_iterations: ${value}`));
      expect(found.maxIterations).toBe(50);
      expect(found.notes).toHaveLength(1);
    },
  );
  test('0 is unlimited with a safety stop, which can be taken away by its name', () => {
    const held = loop(file('iteration: 1\nmax_iterations: 0'));
    expect(held).toMatchObject({ maxIterations: 'unlimited', limits: { iterations: SAFETY_STOP } });
    const free = loop(file('iteration: 1\nmax_iterations: 0\nsafety_stop: off'));
    expect(free.limits).toEqual({ durationMs: 'unlimited', costUsd: 'unlimited', tokens: 'unlimited' });
  });
});

describe('what holds nobody', () => {
  test('active: false', () => {
    expect(reading(file('active: false\nsession_id: s1'))).toEqual({ kind: 'none' });
  });
  test.each([
    ['no front matter', 'Just a prompt.\n'],
    ['front matter without an end', '---\niteration: 1\nFix it.\n'],
    ['no prompt', '---\niteration: 1\n---\n \n'],
    ['an empty file', ''],
  ])('%s is said, not thrown away', (_, text) => {
    expect(reading(text)).toMatchObject({ kind: 'unusable', problem: expect.stringContaining(RALPH_FILE) });
  });
  test('a pipe in its place does not hang', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.claude'));
    makeFifo(join(folder, RALPH_FILE));
    const place = { session: 's1', folder, userHome: folder, now: 0 };
    expect(ralphLoopFormat.read(place, foreignFiles)).toMatchObject({ kind: 'unusable' });
  });
});

describe('the identity', () => {
  const FRONT = 'iteration: 1\nsession_id: s1\nstarted_at: then';
  test('is session, time and prompt', () => {
    const { identity } = loop(file(FRONT));
    expect(loop(file(FRONT.replace('iteration: 1', 'iteration: 4\nmax_iterations: 9'))).identity).toBe(
      identity,
    );
    for (const other of [
      file(FRONT.replace('s1', 's2')),
      file(FRONT.replace('then', 'later')),
      file(FRONT, 'Other.'),
    ])
      expect(loop(other).identity).not.toBe(identity);
  });
});

describe('writing the count', () => {
  test('changes the number and not one byte more', () => {
    const text = '\uFEFF---\r\n# note\r\nunknown: [x\r\niteration:3 \r\n---\r\nPrompt\r\niteration: 1\r\n';
    expect(withIteration(text, 4)).toBe(text.replace('iteration:3', 'iteration:4'));
  });
  test('leaves a file alone that counts nothing', () => {
    expect(withIteration('---\nmax_iterations: 3\n---\nx', 2)).toBeUndefined();
  });
  const anyFront = fc.array(
    fc.string({ unit: anyCharacter }).map((s) => s.replaceAll('\n', ' ')),
    { maxLength: 6 },
  );
  test('any other bytes are kept, and read back', () => {
    fc.assert(
      fc.property(anyFront, fc.string({ unit: anyCharacter }), fc.nat(), (front, prompt, n) => {
        const clean = front.filter((line) => !/^---[ \t]*\r?$/.test(line) && !/^[ \t]*iteration/.test(line));
        const text = ['---', ...clean, 'iteration: 1', '---', prompt].join('\n');
        const after = withIteration(text, n) ?? '';
        expect(parseState(after)?.fields.get('iteration')).toBe(String(n));
        expect(after.replace(`\niteration: ${n}\n---`, '\niteration: 1\n---')).toBe(text);
      }),
    );
  });
  test('no text makes parsing throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        parseState(text);
        withIteration(text, 1);
      }),
    );
  });
  test('what is rendered is read back', () => {
    const text = renderState(
      [
        ['iteration', '1'],
        ['completion_promise', '"a "b" c"'],
      ],
      'a\n---\nb',
    );
    expect(parseState(text)).toEqual({
      fields: new Map([
        ['iteration', '1'],
        ['completion_promise', 'a "b" c'],
      ]),
      prompt: 'a\n---\nb',
    });
  });
});
