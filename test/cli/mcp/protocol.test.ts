import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Conversation, type Message, type Tool } from '../../../src/cli/mcp/protocol.ts';
import { serve } from '../../../src/cli/mcp/serve.ts';

const echo: Tool = {
  name: 'echo',
  title: 'Echo',
  description: 'Says it again.',
  takes: { text: { type: 'string', description: 'what' }, more: { type: 'strings', description: 'more' } },
  async call({ text = '' }) {
    if (text === 'throw') throw new Error('it went wrong');
    return String(text);
  },
};
const waits: Tool = {
  name: 'waits',
  title: 'Waits',
  description: 'Until it is ended.',
  takes: {},
  call: (_, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended')))),
};
const FACTS = { name: 'untildone', version: '1.2.3', instructions: 'Do.', tools: [echo, waits] };

const request = (method: string, params?: object, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) });
const ask = (line: string, conversation = new Conversation(FACTS)) =>
  conversation.answer(line) as Promise<{ id?: unknown; result?: Message; error?: { code: number } }>;
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('versions that begin with a handshake', () => {
  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2026-07-28', '2025-11-25'],
    ['1900-01-01', '2025-11-25'],
  ])('a client that asks for %s gets %s', async (asked, got) => {
    const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    expect(await ask(request('initialize', params))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        protocolVersion: got,
        capabilities: { tools: {} },
        instructions: 'Do.',
        serverInfo: { name: 'untildone', version: '1.2.3' },
      },
    });
  });
  test('results have nothing of the later version', async () => {
    expect(await ask(request('ping'))).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(Object.keys((await ask(request('tools/list'))).result ?? {})).toEqual(['tools']);
  });
  test('several messages in one list are answered in the one version that has that', async () => {
    const list = `[${request('ping')},${JSON.stringify({ jsonrpc: '2.0', method: 'x' })},${request('ping', {}, 'b')}]`;
    expect(await ask(list)).toMatchObject({ error: { code: -32600 } });
    const conversation = new Conversation(FACTS);
    await ask(request('initialize', { protocolVersion: '2025-03-26' }), conversation);
    expect(await ask(list, conversation)).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 'b', result: {} },
    ]);
    expect(await ask('[]', conversation)).toMatchObject({ error: { code: -32600 } });
  });
});

describe('2026-07-28, in which every request says its version', () => {
  test('the server can be discovered', async () => {
    const { result } = await ask(request('server/discover', { _meta: META }));
    expect(result).toMatchObject({
      resultType: 'complete',
      capabilities: { tools: {} },
      cacheScope: 'public',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'untildone', version: '1.2.3' } },
    });
    expect(result?.ttlMs).toBeGreaterThan(0);
  });
  test('results say what they are', async () => {
    const { result: list } = await ask(request('tools/list', { _meta: META }));
    expect(list).toMatchObject({ resultType: 'complete', cacheScope: 'public', ttlMs: expect.any(Number) });
    const { result } = await ask(
      request('tools/call', { _meta: META, name: 'echo', arguments: { text: 'a' } }),
    );
    expect(result).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'a' }] });
  });
  test('another version is refused with those that are spoken', async () => {
    const _meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' };
    expect(await ask(request('tools/list', { _meta }))).toMatchObject({
      error: {
        code: -32022,
        data: { requested: '2030-01-01', supported: expect.arrayContaining(['2026-07-28']) },
      },
    });
  });
  test.each(['ping', 'initialize'])('%s is gone', async (method) => {
    expect(await ask(request(method, { _meta: META, protocolVersion: '2025-11-25' }))).toMatchObject({
      error: { code: -32601 },
    });
  });
  test('without the capabilities of the client it is no request', async () => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    expect(await ask(request('tools/list', { _meta }))).toMatchObject({ error: { code: -32602 } });
  });
});

describe('tools', () => {
  test('are listed with what they take, and as tools that change nothing', async () => {
    const { result } = await ask(request('tools/list'));
    const tools = result?.tools as Message[] | undefined;
    expect(tools?.[0]).toEqual({
      name: 'echo',
      title: 'Echo',
      description: 'Says it again.',
      inputSchema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          text: { type: 'string', description: 'what' },
          more: { type: 'array', items: { type: 'string' }, description: 'more' },
        },
      },
      annotations: expect.objectContaining({ readOnlyHint: true, destructiveHint: false }),
    });
  });
  test.each<[object, string, boolean]>([
    [{ text: 'a' }, 'a', false],
    [{ text: 'throw' }, 'it went wrong', true],
    [{ text: 1 }, 'expected a text as "text"', true],
    [{ more: 'a' }, 'expected a list of texts as "more"', true],
    [{ more: [1] }, 'expected a list of texts as "more"', true],
    [{ other: 1 }, 'echo takes no "other"; it takes: text, more', true],
    [{ toString: 'a' }, 'echo takes no "toString"; it takes: text, more', true],
    [[], 'expected an object with the arguments of echo', true],
  ])('%j', async (given, text, isError) => {
    const { result } = await ask(request('tools/call', { name: 'echo', arguments: given }));
    expect(result).toEqual({ content: [{ type: 'text', text }], isError });
  });
  test('one that is not there is an error of the protocol', async () => {
    expect(await ask(request('tools/call', { name: 'toString' }))).toMatchObject({ error: { code: -32602 } });
  });
});

describe('bad input', () => {
  test.each<[string, number, unknown]>([
    ['{', -32700, undefined],
    ['nothing of ours', -32700, undefined],
    ['null', -32600, undefined],
    ['7', -32600, undefined],
    ['[]', -32600, undefined],
    ['{}', -32600, undefined],
    ['{"jsonrpc":"1.0","id":3,"method":"ping"}', -32600, 3],
    ['{"jsonrpc":"2.0","id":3}', -32600, 3],
    ['{"jsonrpc":"2.0","id":3,"method":7}', -32600, 3],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, undefined],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, undefined],
    ['{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}', -32600, 3],
    ['{"jsonrpc":"2.0","id":3,"method":"resources/list"}', -32601, 3],
    ['{"jsonrpc":"2.0","id":3,"method":"__proto__"}', -32601, 3],
    ['{"jsonrpc":"2.0","id":3,"method":"initialize"}', -32602, 3],
    ['{"jsonrpc":"2.0","id":3,"method":"tools/call"}', -32602, 3],
  ])('%s', async (line, code, id) => {
    const answer = await ask(line);
    expect(answer).toMatchObject({ jsonrpc: '2.0', error: { code, message: expect.any(String) } });
    expect(answer.id).toBe(id);
  });
  test.each([
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}',
    '{"jsonrpc":"2.0","method":"nothing/known"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
  ])('needs no answer: %s', async (line) => expect(await ask(line)).toBeUndefined());
  test('whatever JSON it is, there is one answer or none, and it is whole', async () => {
    const message = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          jsonrpc: fc.constant('2.0'),
          id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
          method: fc.oneof(fc.constantFrom('initialize', 'ping', 'tools/list', 'tools/call'), fc.string()),
          params: fc.oneof(
            fc.record({ name: fc.constant('echo'), arguments: fc.jsonValue() }),
            fc.jsonValue(),
          ),
        },
        { requiredKeys: [] },
      ),
    );
    await fc.assert(
      fc.asyncProperty(message, async (value) => {
        const answer = await ask(JSON.stringify(value));
        if (answer === undefined) return;
        expect(answer).toMatchObject({ jsonrpc: '2.0' });
        expect('result' in answer !== 'error' in answer).toBe(true);
      }),
    );
  });
});

describe('the stream', () => {
  function open() {
    const input = new PassThrough();
    const said: string[] = [];
    const ended = serve(FACTS, input, (line) => void said.push(line));
    const until = async (count: number) => {
      while (said.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    return { input, said, ended, until };
  }

  test('is cut into lines wherever it is cut into pieces', async () => {
    const { input, said, ended } = open();
    const text = `${request('tools/call', { name: 'echo', arguments: { text: 'größe 😀' } })}\r\n\n${request('ping', {}, 2)}\n`;
    for (const byte of Buffer.from(text)) input.write(Buffer.from([byte]));
    input.end();
    await ended;
    expect(said).toHaveLength(2);
    expect(said.join('')).toContain('größe 😀');
  });
  test('a line without an end is no message', async () => {
    const { input, said, ended } = open();
    input.end(request('ping'));
    await ended;
    expect(said).toEqual([]);
  });
  test('a line that is too long is refused and forgotten, and the next one is answered', async () => {
    const { input, said, ended, until } = open();
    for (let i = 0; i < 40; i++) input.write('x'.repeat(100_000));
    input.write(`\n${request('ping')}\n`);
    await until(2);
    input.end();
    await ended;
    expect(said.map((line) => JSON.parse(line) as unknown)).toEqual([
      { jsonrpc: '2.0', error: { code: -32600, message: 'this message is too long: 1 MiB is the most' } },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]);
  });
  test('what is cancelled is ended and not answered; others are, meanwhile', async () => {
    const { input, said, ended, until } = open();
    input.write(
      `${request('tools/call', { name: 'waits' }, 'a')}\n${request('tools/call', { name: 'waits' }, 'a')}\n`,
    );
    input.write(`${request('ping', {}, 'b')}\n`);
    await until(2);
    expect(said.map((line) => (JSON.parse(line) as Message).id)).toEqual(['a', 'b']);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } };
    input.write(`${JSON.stringify(cancel)}\n${request('ping', {}, 'c')}\n`);
    await until(3);
    input.end();
    await ended;
    expect(said).toHaveLength(3);
  });
  test('its end ends what is under way', async () => {
    const { input, said, ended } = open();
    input.end(`${request('tools/call', { name: 'waits' })}\n`);
    await ended;
    expect(said).toEqual([]);
  });
});
