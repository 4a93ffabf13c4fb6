import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type SimulatorRequest, startSimulator } from '../../../src/dev/simulator/server.ts';
import { ask, simulate, textOf, withTurns } from '../../support/dev/ask.ts';

interface Event {
  type: string;
  [field: string]: unknown;
}

/** The events of a stream; fails when the name of one is not the type in its data. */
async function events(response: Response): Promise<Event[]> {
  const blocks = (await response.text()).split('\n\n').filter((block) => block !== '');
  return blocks.map((block) => {
    const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    const event = JSON.parse(data) as Event;
    expect(event.type).toBe(name);
    return event;
  });
}

describe('an answer in one piece', () => {
  test('is a message of the model that was asked, with usage and stop reason', async () => {
    const { url } = await withTurns({ text: 'Hello, {n}.', usage: { output_tokens: 7 } });
    const response = await ask(url);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^msg_sim_1_[0-9a-f]{16}$/),
      type: 'message',
      role: 'assistant',
      model: 'm-1',
      content: [{ type: 'text', text: 'Hello, 1.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 1000,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 7,
      },
    });
  });

  test('that calls tools stops for them; ids are made up unless given', async () => {
    const tools = [
      { name: 'Bash', input: { command: 'echo {n}' } },
      { name: 'Read', id: 'toolu_mine' },
    ];
    const { url } = await withTurns({ thinking: 'hm', tools });
    expect(await (await ask(url)).json()).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'hm', signature: expect.any(String) },
        {
          type: 'tool_use',
          name: 'Bash',
          id: expect.stringMatching(/^toolu_[\w-]+$/),
          input: { command: 'echo 1' },
        },
        { type: 'tool_use', name: 'Read', id: 'toolu_mine', input: {} },
      ],
    });
  });

  test('has no content when its text is empty, and a default text when there is none', async () => {
    const { url } = await withTurns({ text: '' }, {});
    expect(await (await ask(url)).json()).toMatchObject({ content: [], stop_reason: 'end_turn' });
    expect(await textOf(await ask(url))).toBe('turn 2: done.');
  });

  test('takes the stop reason and the headers of its turn', async () => {
    const { url } = await withTurns({ text: 'cut', stop_reason: 'max_tokens', headers: { 'x-left': 3 } });
    const response = await ask(url);
    expect(response.headers.get('x-left')).toBe('3');
    expect(await response.json()).toMatchObject({ stop_reason: 'max_tokens' });
  });

  test('never has the id of another, even after the script was loaded again', async () => {
    const simulator = await simulate();
    const id = async () => ((await (await ask(simulator.url)).json()) as { id: string }).id;
    const first = await id();
    simulator.load('default', {});
    expect(await id()).not.toBe(first);
  });
});

describe('a streamed answer', () => {
  test('comes as the events of the API, in order', async () => {
    const tools = [{ name: 'Bash', id: 'toolu_1', input: { command: 'ls' } }];
    const { url } = await withTurns({ thinking: 'hm', text: 'Look.', tools, usage: { output_tokens: 9 } });
    const response = await ask(url, { stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const all = await events(response);
    expect(all[0]).toMatchObject({
      type: 'message_start',
      message: {
        role: 'assistant',
        model: 'm-1',
        content: [],
        stop_reason: null,
        usage: { output_tokens: 1 },
      },
    });
    expect(all.slice(1)).toEqual([
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'signature_delta', signature: expect.stringMatching(/./) },
      },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Look.' } },
      { type: 'content_block_stop', index: 1 },
      {
        type: 'content_block_start',
        index: 2,
        content_block: { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 2,
        delta: { type: 'input_json_delta', partial_json: '{"command":"ls"}' },
      },
      { type: 'content_block_stop', index: 2 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: expect.objectContaining({ output_tokens: 9 }),
      },
      { type: 'message_stop' },
    ]);
  });

  test('in pieces adds up to the same text and splits no character', async () => {
    const text = '😀 many words\nover lines 😀😀😀😀😀😀😀😀😀';
    const { url } = await withTurns({ text, chunkMs: 1 });
    const deltas = (await events(await ask(url, { stream: true }))).filter(
      (e) => e.type === 'content_block_delta',
    );
    const pieces = deltas.map(({ delta }) => (delta as { text: string }).text);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join('')).toBe(text);
    expect(pieces.filter((piece) => /\p{Surrogate}/u.test(piece))).toEqual([]);
  });

  test('with an error in it ends there', async () => {
    const { url } = await withTurns({
      text: 'Half',
      streamError: { type: 'overloaded_error', message: 'busy' },
    });
    const all = await events(await ask(url, { stream: true }));
    expect(all.at(-1)).toEqual({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } });
    expect(all.map(({ type }) => type)).not.toContain('message_stop');
  });
});

describe('errors by script', () => {
  test.each([
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [529, 'overloaded_error'],
  ])('%i has the type that the API gives it', async (status, type) => {
    const { url } = await withTurns({
      error: { status, message: 'as asked', headers: { 'retry-after': 2 } },
    });
    const response = await ask(url, { stream: true });
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(await response.json()).toEqual({ type: 'error', error: { type, message: 'as asked' } });
  });

  test('an error in mid stream is an HTTP error for a request without stream', async () => {
    const { url } = await withTurns({ streamError: { type: 'overloaded_error' } });
    const response = await ask(url);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { type: 'overloaded_error' } });
  });

  test('a dropped connection is no answer at all, and the next request is served', async () => {
    const { url } = await withTurns({ drop: true }, { text: 'back' });
    await expect(ask(url)).rejects.toThrow('fetch failed');
    expect(await textOf(await ask(url))).toBe('back');
  });

  test('a header that HTTP does not allow is a 500 that says so', async () => {
    const { url } = await withTurns({ headers: { 'x-broken': 'a\nb' } });
    const response = await ask(url);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('x-broken');
  });
});

describe('closing', () => {
  test.each([
    ['a hanging request', { hang: true }, { stream: true }],
    ['a delayed answer', { delayMs: 600_000 }, {}],
  ])('ends %s at once', async (_, turn, extra) => {
    const simulator = await withTurns(turn);
    const answer = ask(simulator.url, extra);
    const failed = expect(answer).rejects.toThrow('fetch failed');
    await expect.poll(() => simulator.requests().length).toBe(1);
    await simulator.close();
    await failed;
  });

  test('ends an answer that is under way', async () => {
    const simulator = await withTurns({ text: 'x'.repeat(80), chunkMs: 600_000 });
    const response = await ask(simulator.url, { stream: true });
    const failed = expect(response.text()).rejects.toThrow();
    await simulator.close();
    await failed;
  });

  test('ends a connection that never asked anything, and can be done twice', async () => {
    const simulator = await simulate();
    const socket = connect(Number(new URL(simulator.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    await Promise.all([simulator.close(), simulator.close()]);
    await closed;
    await expect(ask(simulator.url)).rejects.toThrow('fetch failed');
  });

  test('a client that goes away during a delay leaves the simulator serving', async () => {
    const simulator = await withTurns({ delayMs: 600_000 }, { text: 'next' });
    const leaving = new AbortController();
    const request = { method: 'POST', body: '{}', signal: leaving.signal };
    const failed = expect(fetch(`${simulator.url}/v1/messages`, request)).rejects.toThrow('aborted');
    await expect.poll(() => simulator.requests().length).toBe(1);
    leaving.abort();
    await failed;
    expect(await textOf(await ask(simulator.url))).toBe('next');
  });
});

describe('names', () => {
  test('keep scripts, counters and logs apart', async () => {
    const simulator = await simulate({
      scripts: { a: { after: { text: 'a{n}' } }, 'b c/d': { after: { text: 'b{n}' } } },
      script: { after: { text: 'default{n}' } },
    });
    const bases = [simulator.urlFor('a'), simulator.urlFor('b c/d'), simulator.url, simulator.urlFor('a')];
    const texts: string[] = [];
    for (const base of bases) texts.push(await textOf(await ask(base)));
    expect(texts).toEqual(['a1', 'b1', 'default1', 'a2']);
    expect(simulator.requests('a').map(({ n }) => n)).toEqual([1, 2]);
    expect(simulator.requests('b c/d')).toHaveLength(1);
    expect(simulator.requests()).toHaveLength(4);
    expect(simulator.urlFor('default')).not.toBe(simulator.url);
    expect(await textOf(await ask(simulator.urlFor('default')))).toBe('default2');
  });

  test('start afresh when a script is loaded again', async () => {
    const simulator = await simulate({ script: { turns: [{ text: 'old' }] } });
    await ask(simulator.url);
    simulator.load('default', { turns: [{ text: 'new {n}' }] });
    expect(simulator.requests()).toEqual([]);
    expect(await textOf(await ask(simulator.url))).toBe('new 1');
  });

  test('that no script has are refused by name', async () => {
    const simulator = await simulate();
    const response = await ask(simulator.urlFor('nobody'));
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('no script has the name \\"nobody\\"');
    expect(simulator.requests('nobody')).toMatchObject([{ kind: 'refused' }]);
  });

  test('that cannot stand in an address are refused at load', async () => {
    const simulator = await simulate();
    for (const name of ['', '.', '..']) expect(() => simulator.load(name, {})).toThrow('cannot be the name');
  });

  test('an invalid pattern is refused at load and leaves the old script in place', async () => {
    const simulator = await simulate({ script: { after: { text: 'old' } } });
    const rules = [{ when: { any: '[' }, turns: [{}] }];
    expect(() => simulator.load('default', { rules })).toThrow(
      'script "default", rules[0].when.any: Invalid',
    );
    expect(await textOf(await ask(simulator.url))).toBe('old');
    await expect(startSimulator({ script: { rules } })).rejects.toThrow('Invalid regular expression');
  });
});

describe('what it was asked', () => {
  test('is told before the answer, and kept with number, turn, headers and body', async () => {
    const told: SimulatorRequest[] = [];
    const simulator = await simulate({ script: { turns: [{}] }, onRequest: (request) => told.push(request) });
    await ask(simulator.url, { model: 'm-2' });
    expect(told).toEqual(simulator.requests());
    expect(told).toEqual([
      {
        at: expect.any(Number),
        name: 'default',
        kind: 'messages',
        n: 1,
        servedBy: 'turn 1',
        method: 'POST',
        path: '/v1/messages',
        headers: expect.objectContaining({ host: expect.any(String) }),
        body: { model: 'm-2', messages: [] },
      },
    ]);
  });

  test('a listener that throws turns the answer into an error, not into a crash', async () => {
    const { url } = await simulate({
      onRequest: () => {
        throw new Error('listener broke');
      },
    });
    const response = await ask(url);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('listener broke');
  });
});
