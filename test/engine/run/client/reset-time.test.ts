import { expect, test } from 'vitest';
import { resetTimeIn } from '../../../../src/engine/run/client/messages.ts';

const NOW = Date.parse('2026-11-15T13:14:30Z');
const at = (time: string) => Date.parse(time);

test.each([
  // Said by client 2.1.325 to made-up headers of the API.
  ["You've hit your weekly limit · resets 1:44pm (UTC)", at('2026-11-15T13:44:00Z')],
  ["You've hit your weekly limit · resets 1:14pm (America/New_York)", at('2026-11-15T18:14:00Z')],
  ["You've hit your weekly limit · resets Nov 18, 1:14pm (UTC)", at('2026-11-18T13:14:00Z')],
  ["You've hit your weekly limit · resets Dec 25, 2:14pm (Europe/Berlin)", at('2026-12-25T13:14:00Z')],
  // Older forms, and neighbours of the above.
  ['Claude AI usage limit reached|1794753321', 1_794_753_321_000],
  ['usage limit reached|1794753321000', 1_794_753_321_000],
  ['Your limit will reset at 3pm (UTC).', at('2026-11-15T15:00:00Z')],
  ['resets 1:14pm (UTC)', at('2026-11-15T13:14:00Z')],
  ['resets 1:10pm (UTC)', at('2026-11-16T13:10:00Z')],
  ['resets 12am (UTC)', at('2026-11-16T00:00:00Z')],
  ['resets 12:30pm (UTC)', at('2026-11-16T12:30:00Z')],
  ['resets Jan 2, 9am (UTC)', at('2027-01-02T09:00:00Z')],
])('%s', (text, time) => {
  expect(resetTimeIn(text, NOW)).toBe(time);
});

test.each([
  'API Error: Request rejected (429)',
  'resets soon',
  'resets 3pm (Middle/Earth)',
  'resets Foo 3, 3pm (UTC)',
  '',
])('no time in "%s"', (text) => {
  expect(resetTimeIn(text, NOW)).toBeUndefined();
});

test('a time without a zone is one of the clock on this wall', () => {
  const noon = new Date(NOW);
  noon.setHours(23, 59, 0, 0);
  expect(resetTimeIn('limit will reset at 11:59pm', NOW)).toBe(noon.getTime());
});
