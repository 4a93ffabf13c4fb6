import { expect, test } from 'vitest';
import {
  addStatusline,
  otherStatusline,
  removeStatusline,
} from '../../../../src/engine/client/settings/our-statusline.ts';
import { STATUSLINE_LINE } from '../../../../src/engine/home/statusline-line.ts';

const withLine = (command: string) => JSON.stringify({ statusLine: { type: 'command', command } });

test('our line is added once, and taken out again', () => {
  const added = addStatusline('{}');
  expect(JSON.parse(added)).toEqual(JSON.parse(withLine(STATUSLINE_LINE)));
  expect([addStatusline(added), otherStatusline(added), removeStatusline(added)]).toEqual([
    added,
    undefined,
    '{}',
  ]);
});

test.each(['mine', 'id; : UNTILDONE_HOME /statusline.sh', `${STATUSLINE_LINE} `, `${STATUSLINE_LINE};mine`])(
  'a line of yours is neither ours nor taken out: %s',
  (command) => {
    const text = withLine(command);
    expect([otherStatusline(text), removeStatusline(text)]).toEqual([command, text]);
  },
);
