import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/engine/run/reporter.ts';
import { boundedInput, boundedText, jsonReporter } from '../../../../src/engine/run/view/json.ts';
import { BASELINE, happens, LIMITS, LOOP, runState, STORY, T0 } from '../../../support/run/run-story.ts';

const TASK = 'Build the todo API,\nwith tests';

test('a text keeps its lines and loses what steers a terminal', () => {
  expect(boundedText('a\n\tb\x1b[2J\x07\x9b1mc\r', 100)).toBe('a\n\tbc');
});

test('a long text is cut and says how long it was', () => {
  const cut = boundedText('x'.repeat(50_000), 100);
  expect(cut).toHaveLength(100);
  expect(cut).toMatch(/x\n\[\.\.\. 50000 characters in all\]$/);
});

test('half a sign is no sign', () => {
  expect(boundedText(`${'x'.repeat(69)}😀${'x'.repeat(90)}`, 100).isWellFormed()).toBe(true);
});

test('a short input stays as it is', () => {
  const input = { command: 'npm test', timeout: 5, deep: [{ a: null, b: true }], empty: {} };
  expect(boundedInput(input)).toEqual(input);
});

test('secrets are taken out of values, and by the names of values', () => {
  expect(
    boundedInput({
      command: 'echo "token=abcdef12345"',
      env: { api_key: 'abcdef', NAME: 'x', password: '' },
      tokens: 12,
    }),
  ).toEqual({
    command: 'echo "token=[redacted]"',
    env: { api_key: '[redacted]', NAME: 'x', password: '[redacted]' },
    tokens: 12,
  });
});

test('what was left out is said to be', () => {
  expect(boundedInput({ list: Array.from({ length: 5_000 }, () => 0) })).toMatchObject({
    list: expect.arrayContaining(['[... 5000 in all]']),
  });
  const names = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));
  expect(boundedInput(names)).toMatchObject({ '...': '5000 in all' });
  expect(boundedInput({ a: { b: { c: { d: { e: { f: { g: 1 } } } } } } })).toEqual({
    a: { b: { c: { d: { e: { f: '[...]' } } } } },
  });
});

test('whatever a tool is called with, its line stays short', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.integer({ min: 1, max: 400 }),
      (input, times) => {
        const big = {
          input,
          many: Array.from({ length: times }, () => ({ ...input, text: 'x'.repeat(times * 10) })),
        };
        expect(JSON.stringify(boundedInput(big)).length).toBeLessThan(40_000);
      },
    ),
  );
});

function stream(events: readonly RunEvent[]): string[] {
  const lines: string[] = [];
  let second = 0;
  const reporter = jsonReporter(
    (line) => lines.push(line),
    () => T0 + second * 1000,
  );
  reporter.begun(LOOP, TASK, BASELINE, { limits: LIMITS, resumed: false });
  for (const event of events) {
    second += 1;
    reporter.event(event);
  }
  reporter.note('a note');
  return lines;
}

const OF_A_CHILD: RunEvent = {
  type: 'child',
  child: {
    piece: 'F02 list',
    loop: 'child-1',
    status: 'verified_done',
    share: { costUsd: 1, tokens: 1000, iterations: 5 },
    spent: { costUsd: 0.5, tokens: 500, iterations: 2 },
    files: ['src/a.ts'],
    branch: 'untildone/b',
  },
  change: 'conflict',
  text: 'src/a.ts conflicts',
  state: runState(),
};
const PAUSED: RunEvent = { type: 'paused', why: 'a person is needed' };

describe('the event stream', () => {
  test('is what the reference says, line by line', async () => {
    const lines = stream([...STORY, PAUSED]);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../../../fixtures/run-events.jsonl');
  });

  test('names its version in the first line, whichever it is, and only there', () => {
    const lines = stream([PAUSED]).map((line) => JSON.parse(line) as { v?: number });
    expect(lines.map(({ v }) => v)).toEqual([1, undefined, undefined]);
  });

  test('has exactly the types, kinds and fields of the reference', () => {
    const reference = readFileSync(
      new URL('../../../../docs/reference/run-events.md', import.meta.url),
      'utf8',
    );
    const rows = [...reference.matchAll(/^\| `([a-z_]+)` \| (?:`([a-z_, ]+)` )?\|/gm)];
    const documented = rows.map(([, name = '', fields = '']) => [
      name,
      fields === '' ? [] : fields.split(', '),
    ]);
    const lines = stream([...STORY, OF_A_CHILD, PAUSED]).map(
      (line) => JSON.parse(line) as Record<string, unknown>,
    );
    const used = lines.map(({ v: _, at: __, type, kind, ...fields }) => [kind ?? type, Object.keys(fields)]);
    expect(Object.fromEntries(used)).toEqual(Object.fromEntries(documented));
    const named = new Set(reference.match(/(?<=`|, )[a-z_]+(?=`|, )/g));
    expect(lines.flatMap(namesIn).filter((name) => !named.has(name))).toEqual([]);
  });

  test('holds neither secrets nor escapes, is bounded, and survives times that are none', () => {
    const evil = `\x1b[2J${'x'.repeat(100)} api_key=abcd1234 \x9b1m ${'y'.repeat(60_000)}`;
    const text = stream([
      happens({ kind: 'said', text: evil }),
      happens({ kind: 'called', tool: 'Write', input: { content: evil, list: Array(2_000).fill(evil) } }),
      happens({ kind: 'limit', text: evil, resetsAt: Number.NaN }),
      { type: 'waiting', until: Number.POSITIVE_INFINITY, why: evil },
      { type: 'warning', text: evil },
    ]).join('\n');
    expect(text).not.toContain('abcd1234');
    expect(text).not.toMatch(/\\u00(1b|9b)|[\x80-\x9f]/);
    expect(text.length).toBeLessThan(40_000);
    expect(text).toContain('"until":null');
  });
});

/** The names of a line, those of a tool's input and of unknown depth aside. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    name,
    ...(name === 'input' ? [] : namesIn(inner)),
  ]);
}
