import { expect, test } from 'vitest';
import { closingLine, details, table } from '../../foreign/table.ts';
import { played, stopped } from './rows.ts';

function rowOf(change: Parameters<typeof played>[0]): string {
  return table([played(change)]).at(-1) ?? '';
}

test('a Stop stands beside the test command on the same files', () => {
  expect(rowOf({}).split(/ *\| */)).toEqual(
    [
      '',
      'some/project',
      'aaaaaaaaaaaa',
      'MIT',
      'go',
      '4 s, 2 s',
      'right',
      'green',
      '5 s',
      'verified_done',
    ].concat(['3 s / 2 s = 1.5', '3 s / 2 s = 1.5', 'held', '3 s / 2 s = 1.5', '']),
  );
});

test('what was not played has no figure, and is counted nowhere', () => {
  const rows = [
    played(),
    played({ name: 'other/project', result: 'not played', why: 'git clone ...', honest: stopped('active') }),
  ];
  expect(table(rows).at(-1)).toMatch(/^\| other\/project +\| a{12} +\| MIT +\| go +\| not played [ |]+$/);
  expect(details(rows)).toEqual(['other/project:', '  not played: git clone ...']);
  expect(closingLine(rows)).toBe(
    '1 of 2 played, of 1 kinds, with untildone at 0123456789ab; contract right in 1; green at once in 1; ' +
      'commit verified in 1; cheat held in 1, in 1 of these verified',
  );
});

test('a cheat that is held where the commit is held, too, is told from one that alone is held', () => {
  const change = { honest: stopped('active') };
  expect(rowOf(change)).toContain('held, as the commit');
  expect(closingLine([played(change)])).toContain('cheat held in 1, in 0 of these verified');
  expect(rowOf({ cheat: stopped('verified_done') })).not.toContain('held');
  expect(rowOf({ cheat: stopped('verified_done', { refused: ['no'] }) })).toContain('held');
});

test.each([
  ['the broken code passes', { broken: { seconds: 1, code: 0 }, hidden: { seconds: 1, code: 0 } }],
  ['it is not hidden', { broken: { seconds: 1, code: 1 }, hidden: { seconds: 1, code: 1 } }],
])('a cheat is none when %s', (_, shown) => {
  const row = played({ shown });
  delete row.cheat;
  expect(table([row]).at(-1)).toContain('is none');
  expect(details([row]).join('\n')).toContain('cheat: is none: broken code ends the tests with');
  expect(closingLine([row])).toContain('cheat held in 0');
});

test('gates that are red at the first setup are told, with what they say', () => {
  const gates = [{ name: 'tests', verdict: 'unproven', seconds: 1, summary: 'uv: not found' }];
  const row = played({ setup: { seconds: 5, code: 1, notes: [], gates } });
  expect(table([row]).at(-1)).toContain('not green');
  expect(details([row])).toEqual(['some/project:', '  setup: unproven tests: uv: not found']);
});
