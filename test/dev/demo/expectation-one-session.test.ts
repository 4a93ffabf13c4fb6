import { expect, test } from 'vitest';
import type { Evidence } from '../../../src/dev/demo/expectation.ts';
import type { SimulatorRequest } from '../../../src/dev/simulator/server.ts';
import { STARTED } from '../../support/core/samples.ts';
import {
  askedFor,
  DAMAGED,
  demoNamed,
  happenedIn,
  journalOf,
  missing,
  stepsOf,
  stop,
  unchained,
} from './evidence.ts';

const DEMO = demoNamed('one-session');
const ENDING = 'verified_done';
const UNTOUCHED = ['package.json', 'leap-year.test.js', 'untildone.yaml'];
const REPAIRED = {
  file: 'leap-year.js',
  text: DEMO.files['leap-year.js']?.replace(
    'return year % 4 === 0;',
    'return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);',
  ),
};
const CALLS = { testFails: 'test_fails', testPasses: 'test_passes' };

const HELD = stop({ kind: 'block', instruction: 'continue' });
const ended = (status: 'verified_done' | 'stalled') => stop({ kind: 'end', status, cause: 'c', detail: 'd' });

const TURNS = DEMO.turns.length;
const result = (tool_use_id: string, is_error: boolean) => ({ type: 'tool_result', tool_use_id, is_error });
const REASON = { type: 'text', text: 'Stop hook feedback:\nuntildone: iteration 2 of 10. Not done.' };
const CONTENT = [REASON, result(CALLS.testFails, true), result(CALLS.testPasses, false)];

/** One request a turn; those after the third carry what the model was told and what its tools returned. */
function askedWith(content: object[], turns = TURNS): SimulatorRequest[] {
  return askedFor(Array.from({ length: turns }, (_, i) => (i < 3 ? 'prompt' : content)));
}

const COMPLETE: Evidence = {
  test: { before: 1, after: 0 },
  files: { ...DEMO.files, [REPAIRED.file]: REPAIRED.text },
  typed: { code: 0, session: STARTED.session, failed: false },
  receipt: undefined,
  journal: journalOf(STARTED, HELD, ended(ENDING)),
  asked: askedWith(CONTENT),
};

const without = (gone: object) => CONTENT.filter((block) => block !== gone);

const WAYS_TO_MISS: Record<string, Partial<Evidence>[]> = {
  'the test of the sample project fails at first': [
    { test: { before: 0, after: 0 } },
    { test: { before: null, after: 0 } },
  ],
  'the agent starts a loop in its own session': [
    { typed: { code: 0, session: 'another', failed: false } },
    { typed: { code: 0, session: undefined, failed: false } },
  ],
  'its first claim to be finished is held': [{ journal: journalOf(STARTED, ended(ENDING)) }],
  'the model reads the reason, and goes on': [{ asked: askedWith(without(REASON)) }],
  'it runs the test, which fails': [
    { asked: askedWith([REASON, result(CALLS.testFails, false), result(CALLS.testPasses, false)]) },
    { asked: askedWith([REASON, result(CALLS.testPasses, false)]) },
  ],
  [`it repairs ${REPAIRED.file}`]: [
    { files: DEMO.files },
    { files: { ...DEMO.files, [REPAIRED.file]: undefined } },
  ],
  'it runs the test again, which passes': [
    { asked: askedWith([REASON, result(CALLS.testFails, true), result(CALLS.testPasses, true)]) },
    { asked: askedWith([REASON, result(CALLS.testFails, true)]) },
  ],
  [`it leaves ${UNTOUCHED.join(' and ')} as they were`]: UNTOUCHED.flatMap((path) => [
    { files: { ...COMPLETE.files, [path]: 'weakened' } },
    { files: { ...COMPLETE.files, [path]: undefined } },
  ]),
  'the test passes when the demo itself runs it': [
    { test: { before: 1, after: 1 } },
    { test: { before: 1, after: null } },
  ],
  [`the loop ends as ${ENDING}`]: [
    { journal: journalOf(STARTED, HELD) },
    { journal: journalOf(STARTED, HELD, ended('stalled')) },
  ],
  'every line of the journal is whole and follows from the one before': [
    { journal: [...COMPLETE.journal, DAMAGED] },
    { journal: unchained(COMPLETE.journal) },
  ],
  'the model was asked once for each of its turns': [
    { asked: askedWith(CONTENT, TURNS - 1) },
    { asked: askedWith(CONTENT, TURNS + 1) },
  ],
  'the session ends by itself, without an error': [
    { typed: { code: 1, session: STARTED.session, failed: false } },
    { typed: { code: null, session: STARTED.session, failed: false } },
    { typed: { code: 0, session: STARTED.session, failed: true } },
  ],
};

test('a complete demo misses nothing', () => {
  expect(missing(DEMO, COMPLETE)).toEqual([]);
});

test('there is a way to miss every step', () => {
  expect(Object.keys(WAYS_TO_MISS)).toEqual(stepsOf(DEMO));
});

test.each(Object.entries(WAYS_TO_MISS).flatMap(([name, ways]) => ways.map((way) => [name, way] as const)))(
  'missed alone: %s',
  (name, way) => {
    expect(missing(DEMO, { ...COMPLETE, ...way })).toEqual([name]);
  },
);

test('where nothing happened, everything is missing but what nobody touched', () => {
  const nothing: Evidence = {
    test: { before: 1, after: 1 },
    files: DEMO.files,
    receipt: undefined,
    typed: { code: 1, session: undefined, failed: true },
    journal: [],
    asked: [],
  };
  expect(happenedIn(DEMO, nothing)).toEqual([
    'the test of the sample project fails at first',
    `it leaves ${UNTOUCHED.join(' and ')} as they were`,
  ]);
});
