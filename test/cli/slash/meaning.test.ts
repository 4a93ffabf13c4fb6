import { expect, test } from 'vitest';
import { meaningOf } from '../../../src/cli/slash/meaning.ts';

test.each([
  ['loop', 'Fix "it"\n$(x)', ['start', '--', 'Fix "it"\n$(x)']],
  ['loop', '', ['start', '--']],
  ['loop', '--max-iterations 3 -x', ['start', '--max-iterations=3', '--', '-x']],
  [
    'orchestrate',
    '--complexity 8 Build it',
    ['state', 'init', 'orchestrator', '--complexity=8', '--', 'Build it'],
  ],
  ['status', '--all', ['status', '--all']],
  ['verify', 'tests "my gate"', ['verify', 'tests', 'my gate']],
  ['pause', '', ['pause']],
  ['pause', "it's lunch", ['pause', "--note=it's lunch"]],
  ['cancel', '20261116-112737-6493dd', ['cancel', '20261116-112737-6493dd']],
  [
    'cancel',
    '20261116-112737-6493dd it is wrong',
    ['cancel', '20261116-112737-6493dd', '--note=it is wrong'],
  ],
  ['release', '--note "as is"', ['release', '--note', 'as is']],
  ['approve', '', ['approve']],
  ['approve', 'plan', ['approve', 'plan']],
  ['reject', 'tests are missing', ['reject', '--note=tests are missing']],
  ['reject', 'plan --note "tests are missing"', ['reject', 'plan', '--note', 'tests are missing']],
  ['answer', 'the second one', ['answer', '--', 'the second one']],
  ['answer', '--option 2', ['answer', '--option', '2']],
  ['lock', '', ['lock', 'on']],
  ['lock', 'off', ['lock', 'off']],
  ['lock', 'ship it, off we go', ['lock', 'on', '--goal=ship it, off we go']],
  ['trust', '', ['trust', '--show']],
  ['trust', 'abc123', ['trust', '--fingerprint=abc123']],
  ['setup', '--yes --accept abc', ['setup', '--yes', '--accept', 'abc']],
  ['ralph-loop', '"Fix it" --max-iterations 3', ['ralph-loop', '--max-iterations=3', '--', 'Fix it']],
  ['cancel-ralph', '', ['cancel-ralph']],
])('/untildone:%s %j', (name, args, words) => {
  expect(meaningOf(`untildone:${name}`, args)?.words).toEqual(words);
});

test.each(['other', 'toString', 'constructor', 'under-contract', ''])('%j is no command of ours', (name) => {
  expect(meaningOf(`untildone:${name}`, '')).toBeUndefined();
});
