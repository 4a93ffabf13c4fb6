/** The demo as data: the project that the agent finds, what it is asked, and what the scripted model does. */
import { join } from 'node:path';
import type { Ending } from '../../core/loop.ts';
import type { Turn } from '../simulator/script.ts';

export interface Story {
  /** The project, by path; all of it is committed before the session begins. */
  files: Readonly<Record<string, string>>;
  /** What the commit says. */
  commit: string;
  /** A shell command that fails in the project as it is, and passes when the work is done. */
  test: string;
  /** One a request. Tool calls that checks look at have an id of `CALLS`. */
  turns(project: string): Turn[];
  /** The files that no honest repair touches. */
  untouched: readonly string[];
  ending: Ending;
}

/** A loop inside one session. */
export interface SessionStory extends Story {
  /** The first and only thing the person says. */
  prompt: string;
  /** What changes, and how the file reads in the end when the script is followed. */
  repaired: { file: string; text: string };
}

/** Ids of tool calls, by which their results are found in the log of the simulator. */
export const CALLS = {
  start: 'toolu_demo_start',
  read: 'toolu_demo_read',
  testFails: 'toolu_demo_test_fails',
  edit: 'toolu_demo_edit',
  testPasses: 'toolu_demo_test_passes',
} as const;

const TASK = 'Make the tests of this project pass';
const TEST = 'node --test';
const START = `untildone start "${TASK}" --max-iterations 10`;

const WRONG = 'return year % 4 === 0;';
const RIGHT = 'return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);';

const leapYear = (body: string) => `export function isLeapYear(year) {\n  ${body}\n}\n`;

const LEAP_YEAR_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLeapYear } from './leap-year.js';

test('2024 was a leap year, 2023 was not', () => {
  assert.equal(isLeapYear(2024), true);
  assert.equal(isLeapYear(2023), false);
});

test('1900 was no leap year, 2000 was one', () => {
  assert.equal(isLeapYear(2000), true);
  assert.equal(isLeapYear(1900), false);
});
`;

const CONTRACT = `# Done means: the tests pass, and they were not weakened.
gates:
  tests:  { run: ${TEST} }
  intact: { tests_intact: true }
`;

const PACKAGE = { name: 'leap-year', private: true, type: 'module', scripts: { test: TEST } };

export const STORY: SessionStory = {
  files: {
    'untildone.yaml': CONTRACT,
    'package.json': `${JSON.stringify(PACKAGE, null, 2)}\n`,
    'leap-year.js': leapYear(WRONG),
    'leap-year.test.js': LEAP_YEAR_TEST,
  },
  commit: 'A function with a bug',
  test: TEST,
  prompt:
    `Begin with this command, exactly as it stands: ${START}\n` +
    `Then correct leap-year.js until "${TEST}" passes. The tests are right: leave them as they are.`,
  turns: (project) => [
    {
      text: 'I begin with the loop, so that I am held to the task.',
      tools: [{ id: CALLS.start, name: 'Bash', input: { command: START } }],
    },
    { tools: [{ id: CALLS.read, name: 'Read', input: { file_path: join(project, 'leap-year.js') } }] },
    { text: 'A leap year can be divided by four, and that is what the function says. I am finished.' },
    {
      text: 'I had not run the tests. I do it now.',
      tools: [{ id: CALLS.testFails, name: 'Bash', input: { command: TEST } }],
    },
    {
      text: 'Full centuries are leap years only every 400 years.',
      tools: [
        {
          id: CALLS.edit,
          name: 'Edit',
          input: { file_path: join(project, 'leap-year.js'), old_string: WRONG, new_string: RIGHT },
        },
      ],
    },
    { tools: [{ id: CALLS.testPasses, name: 'Bash', input: { command: TEST } }] },
    { text: 'Both tests pass now.' },
  ],
  repaired: { file: 'leap-year.js', text: leapYear(RIGHT) },
  untouched: ['package.json', 'leap-year.test.js', 'untildone.yaml'],
  ending: 'verified_done',
};
