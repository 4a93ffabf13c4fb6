import { describe, expect, test } from 'vitest';
import { difference, isAsked, type KnownLoop, type Observed } from '../../../src/dev/conformance/compare.ts';
import type { Look } from '../../../src/dev/conformance/observe.ts';
import type { Ran } from '../../../src/dev/conformance/run-command.ts';
import type { Check, Expected } from '../../../src/dev/conformance/scenario.ts';

const HELD: Ran = {
  exitCode: 0,
  timedOut: false,
  stdout: '{"decision":"block","reason":"Build it"}',
  stderr: '',
  ms: 900,
};
const FREE: Ran = { exitCode: 1, timedOut: false, stdout: '', stderr: 'it broke\nbadly', ms: 900 };
const NOTHING: Look = { kind: 'nothing' };

function file(text: string): Look {
  return { kind: 'file', bytes: Buffer.from(text) };
}

interface Scene {
  ran?: Ran;
  before?: Look;
  now?: Look;
  counter?: string;
  loops?: KnownLoop[];
}

function seen({ ran = HELD, before = NOTHING, now = NOTHING, counter, loops = [] }: Scene): Observed {
  return {
    ran,
    before: () => before,
    now: () => now,
    files: (path) => [path],
    fill: (text) => text.replaceAll('{S1}', 'id-1'),
    fillBytes: (content) => content,
    counter: () => counter,
    loops: () => Promise.resolve(loops),
  };
}

const path = 'project/x';

describe('nothing is said when it is as expected', () => {
  const same: [string, Check, Scene][] = [
    ['held', { kind: 'held' }, { ran: HELD }],
    ['let go', { kind: 'let-go' }, { ran: FREE }],
    ['words', { kind: 'says', where: 'reason', text: 'Build', contains: true }, { ran: HELD }],
    ['other words', { kind: 'says', where: 'stderr', text: 'well', contains: false }, { ran: FREE }],
    ['unchanged', { kind: 'file', path, is: 'unchanged' }, { before: file('a'), now: file('a') }],
    ['still not there', { kind: 'file', path, is: 'unchanged' }, {}],
    ['absent', { kind: 'file', path, is: 'absent' }, {}],
    ['bytes', { kind: 'bytes', path, content: Buffer.from('a\r\n') }, { now: file('a\r\n') }],
    [
      'text in a file',
      { kind: 'file-says', path, text: 'id {S1}', contains: true },
      { now: file('the id id-1') },
    ],
    ['counter', { kind: 'counter', value: '3' }, { counter: '3' }],
    ['no counter in this format', { kind: 'counter', value: '3' }, {}],
    ['time', { kind: 'within', ms: 1000 }, {}],
    ['exit code', { kind: 'exit', code: 1 }, { ran: FREE }],
    ['no loop', { kind: 'no-loop', session: 'S1' }, {}],
    [
      'the newest loop',
      { kind: 'loop', session: 'S1', status: 'active', iteration: 2 },
      {
        loops: [
          { session: 'id-1', status: 'active', iteration: 2 },
          { session: 'id-1', status: 'idle', iteration: 1 },
        ],
      },
    ],
  ];
  test.each(same)('%s', async (_, check, scene) => {
    expect(await difference(check, seen(scene))).toBeUndefined();
  });
});

describe('a difference is one line that says what was there', () => {
  const different: [string, Check, Scene, string][] = [
    [
      'let go instead of held',
      { kind: 'held' },
      { ran: FREE },
      'expected held, was let go (exit 1: it broke badly)',
    ],
    ['held instead of let go', { kind: 'let-go' }, { ran: HELD }, 'expected let go, was held: "Build it"'],
    [
      'words',
      { kind: 'says', where: 'reason', text: 'Tear', contains: true },
      {},
      'reason lacks "Tear": "Build it"',
    ],
    [
      'a file that is gone',
      { kind: 'file', path, is: 'unchanged' },
      { before: file('a') },
      `${path} was changed: it is gone`,
    ],
    [
      'a file with other bytes',
      { kind: 'file', path, is: 'unchanged' },
      { before: file('a\nb\n'), now: file('a\r\nb\n') },
      `${path} was changed: line 1 is "a\\r\\n" instead of "a\\n"`,
    ],
    [
      'a file that has become something else',
      { kind: 'file', path, is: 'unchanged' },
      { before: { kind: 'fifo', bytes: Buffer.alloc(0) }, now: file('a') },
      `${path} was changed: the fifo has become a file`,
    ],
    [
      'a file that is still there',
      { kind: 'file', path, is: 'absent' },
      { now: file('') },
      `${path} is still there`,
    ],
    ['a file that is not there', { kind: 'file', path, is: 'exists' }, {}, `${path} is gone`],
    [
      'a line that is missing',
      { kind: 'bytes', path, content: Buffer.from('a\nb\n') },
      { now: file('a\n') },
      `${path}: line 2 is missing instead of "b\\n"`,
    ],
    [
      'a line too many',
      { kind: 'bytes', path, content: Buffer.from('a\n') },
      { now: file('a\nb') },
      `${path}: line 2 is "b" instead of missing`,
    ],
    ['a counter', { kind: 'counter', value: '3' }, { counter: '2' }, 'expected counter 3, was 2'],
    [
      'a counter that is gone',
      { kind: 'counter', value: '3' },
      { counter: '' },
      'expected counter 3, was none',
    ],
    ['time', { kind: 'within', ms: 500 }, {}, 'took 0.9 s'],
    ['an exit code', { kind: 'exit', code: 0 }, { ran: FREE }, 'expected exit 0, was 1: it broke badly'],
    [
      'a status',
      { kind: 'loop', session: 'S1', status: 'stalled', iteration: 9 },
      { loops: [{ session: 'id-1', status: 'active', iteration: 9 }] },
      'expected a loop stalled at iteration 9, it is active at iteration 9',
    ],
    [
      'a loop that is not there',
      { kind: 'loop', session: 'S1', status: 'idle' },
      {},
      'expected a loop idle, there is none',
    ],
    [
      'a loop too many',
      { kind: 'no-loop', session: 'S1' },
      { loops: [{ session: 'id-1', status: 'active', iteration: 1 }] },
      'expected no loop, there is one: active',
    ],
  ];
  test.each(different)('%s', async (_, check, scene, words) => {
    expect(await difference(check, seen(scene))).toBe(words);
  });
});

describe('what is asked of a hook', () => {
  const expected = (check: Check, only: Expected['only'] = { untildone: false }): Expected => ({
    line: 1,
    text: '',
    only,
    check,
  });
  const foreign = { format: 'lock', isUntildone: false } as const;
  const ours = { format: 'lock', isUntildone: true } as const;

  test("only untildone's hook has to use untildone's words, exit codes and records", () => {
    const checks: Check[] = [
      { kind: 'says', where: 'message', text: 'x', contains: true },
      { kind: 'says', where: 'stderr', text: 'x', contains: true },
      { kind: 'exit', code: 0 },
      { kind: 'loop', session: 'S1', status: 'active' },
      { kind: 'no-loop', session: 'S1' },
    ];
    expect(checks.map((check) => isAsked(expected(check), foreign))).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(checks.every((check) => isAsked(expected(check), ours))).toBe(true);
  });

  test('everybody has to hold, to let go, to leave bytes alone and to pass on what the user wrote', () => {
    const checks: Check[] = [
      { kind: 'held' },
      { kind: 'let-go' },
      { kind: 'file', path, is: 'unchanged' },
      { kind: 'says', where: 'reason', text: 'x', contains: true },
      { kind: 'within', ms: 1 },
    ];
    expect(checks.every((check) => isAsked(expected(check), foreign))).toBe(true);
  });

  test('a line in brackets is asked of those in the brackets', () => {
    expect(isAsked(expected({ kind: 'held' }, { formats: ['ralph-loop'], untildone: false }), ours)).toBe(
      false,
    );
    expect(isAsked(expected({ kind: 'held' }, { untildone: true }), foreign)).toBe(false);
    expect(isAsked(expected({ kind: 'held' }, { formats: ['lock'], untildone: true }), ours)).toBe(true);
  });
});
