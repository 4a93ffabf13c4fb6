import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ask, post, simulate, textOf, withTurns } from '../../support/dev/ask.ts';

describe('other requests', () => {
  test('tokens are counted as the script says, without using up a turn', async () => {
    const simulator = await simulate({ script: { countTokens: 4242, turns: [{ text: 'first' }] } });
    const counted = await post(simulator.url, { messages: [] }, '/v1/messages/count_tokens?beta=true');
    expect(await counted.json()).toEqual({ input_tokens: 4242 });
    expect(await textOf(await ask(simulator.url))).toBe('first');
    expect(simulator.requests().map(({ kind, n }) => [kind, n])).toEqual([
      ['count_tokens', undefined],
      ['messages', 1],
    ]);
  });

  test.each([
    ['GET', '/v1/messages'],
    ['POST', '/v1/messages/batches'],
    ['GET', '/v1/models'],
    ['HEAD', '/'],
    ['POST', '/s/default'],
    ['POST', '/s/%zz/v1/messages'],
    ['GET', '//'],
  ])('%s %s is not found, and logged', async (method, path) => {
    const simulator = await simulate();
    const response = await fetch(simulator.url + path, { method });
    expect(response.status).toBe(404);
    expect(simulator.requests().map(({ kind }) => kind)).toEqual(['refused']);
  });

  test.each(['', 'no json', '{"messages":', '[]', 'null', '"text"', '\u0000'])(
    'the body %j is refused, uses up no turn, and leaves the simulator serving',
    async (body) => {
      const simulator = await withTurns({ text: 'still here' });
      const response = await post(simulator.url, body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        type: 'error',
        error: { type: 'invalid_request_error' },
      });
      expect(await textOf(await ask(simulator.url))).toBe('still here');
    },
  );

  test('fields of the wrong type are no reason to fail', async () => {
    const rules = [{ when: { system: 'x', first: 'x', last: 'x', model: 'x' }, turns: [{}] }];
    const { url } = await simulate({ script: { rules, after: { text: 'fine' } } });
    const body = { model: 7, system: [null, 3, { text: {} }], messages: 'x', stream: 'yes' };
    expect(await textOf(await post(url, body))).toBe('fine');
  });

  test('a body beyond 64 MiB is refused as too large', async () => {
    const { url } = await simulate();
    const response = await post(url, JSON.stringify({ text: 'x'.repeat(64 * 1024 * 1024) }));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { type: 'request_too_large' } });
  });

  test('bytes that are no HTTP end only their own connection', async () => {
    const { url } = await withTurns({ text: 'still here' });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.end('\u0000 nonsense\r\n\r\n');
    await once(socket.resume(), 'close');
    expect(await textOf(await ask(url))).toBe('still here');
  });
});
