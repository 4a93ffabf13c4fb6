import { expect, test } from 'vitest';
import { end } from '../../../../src/engine/core/loop/state.ts';
import { endingNotice, notificationsFor, webhookBody } from '../../../../src/engine/core/words/endings.ts';
import { freshLoop, T0 } from '../../../support/core/samples.ts';

const slack = { webhook: 'https://hooks.slack.com/services/x', on: ['done'] };
const all = { desktop: true, on: ['done', 'stalled', 'verified_done'] };

test('done stands for verified and for claimed; other endings go by their name', () => {
  expect(notificationsFor('verified_done', [slack, all])).toEqual([slack, all]);
  expect(notificationsFor('claimed_done', [slack, all])).toEqual([slack, all]);
  expect(notificationsFor('stalled', [slack, all])).toEqual([all]);
  expect(notificationsFor('cancelled', [slack, all])).toEqual([]);
});

test('the words say plainly when the work is not done', () => {
  const state = end(freshLoop(), 'reached_limit', 'iterations', 'iteration 50 of 50', T0);
  expect(endingNotice(state, 'Build the API')).toEqual({
    event: 'reached_limit',
    loop: 'l1',
    title: 'untildone: reached limit: Build the API',
    text: 'NOT done: the limit of iterations was reached (iteration 50 of 50)',
  });
});

test.each([
  ['https://hooks.slack.com/services/a', { text: 'T\nx (loop l)' }],
  ['https://discord.com/api/webhooks/1/a', { content: 'T\nx (loop l)' }],
  ['https://example.com/discord.com', { event: 'stalled', loop: 'l', title: 'T', text: 'x' }],
])('%s gets the shape it understands', (url, shape) => {
  const { body } = webhookBody(url, { event: 'stalled', loop: 'l', title: 'T', text: 'x' });
  expect(JSON.parse(body)).toEqual(shape);
});

test('ntfy gets plain text', () => {
  const { body, headers } = webhookBody('https://ntfy.sh/topic', {
    event: 'e',
    loop: 'l',
    title: 'T',
    text: 'x',
  });
  expect(body).toBe('T\nx (loop l)');
  expect(headers['content-type']).toContain('text/plain');
});
