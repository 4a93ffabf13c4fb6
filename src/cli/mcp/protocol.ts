/**
 * The Model Context Protocol, as far as a server with a few tools needs it. There are two ways to speak it: up to 2025-11-25 a
 * client begins with `initialize`, since 2026-07-28 every request says its version itself. Both are answered.
 */

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** The arguments that it takes, all of them texts or lists of texts. */
  takes: Record<string, { type: 'string' | 'strings'; description: string }>;
  /** What the host reads. Throws what went wrong, in words for people. */
  call(given: Record<string, string | string[] | undefined>, signal: AbortSignal): Promise<string>;
}

export interface ServerFacts {
  name: string;
  version: string;
  instructions: string;
  tools: readonly Tool[];
}

export type Message = Record<string, unknown>;

const MODERN = '2026-07-28';
/** The newest first: it is offered to clients that ask for one we do not know. */
const WITH_HANDSHAKE = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
/** The only version in which several messages may come in one list. */
const WITH_LISTS = '2025-03-26';
const META = 'io.modelcontextprotocol/';
const LIST_FRESH_MS = 3_600_000;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const UNSUPPORTED_VERSION = -32022;

class ProtocolError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** One client, which may ask several things at once. */
export class Conversation {
  readonly #facts: ServerFacts;
  readonly #open = new Map<string, AbortController>();
  #version: string | undefined;

  constructor(facts: ServerFacts) {
    this.#facts = facts;
  }

  /** Answers a line. Undefined: nothing is to be said. Never throws. */
  async answer(line: string): Promise<Message | Message[] | undefined> {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return failure(undefined, PARSE_ERROR, 'expected one JSON message a line, found something else');
    }
    if (!Array.isArray(message)) return this.#answerOne(message);
    if (this.#version !== WITH_LISTS || message.length === 0)
      return failure(undefined, INVALID_REQUEST, 'expected one message, found a list');
    const answers = await Promise.all(message.map((one) => this.#answerOne(one)));
    const said = answers.filter((one) => one !== undefined);
    return said.length === 0 ? undefined : said;
  }

  /** Ends everything that is under way. */
  close(): void {
    for (const controller of this.#open.values()) controller.abort();
  }

  async #answerOne(message: unknown): Promise<Message | undefined> {
    if (!isObject(message) || message.jsonrpc !== '2.0' || ('params' in message && !isObject(message.params)))
      return failure(idOf(message), INVALID_REQUEST, 'expected a message of JSON-RPC 2.0');
    const { method, id } = message;
    const params = isObject(message.params) ? message.params : {};
    if (typeof method !== 'string') {
      // An answer to something that we never asked is let go.
      const isAnswer = 'result' in message || 'error' in message;
      return isAnswer ? undefined : failure(idOf(message), INVALID_REQUEST, 'expected the name of a method');
    }
    if (!('id' in message)) return this.#take(method, params);
    if (typeof id !== 'string' && typeof id !== 'number')
      return failure(undefined, INVALID_REQUEST, 'expected a text or a number as the id');
    return this.#answerRequest(id, method, params);
  }

  #take(method: string, { requestId }: Message): undefined {
    if (method === 'notifications/cancelled') this.#open.get(keyOf(requestId))?.abort();
    return undefined;
  }

  async #answerRequest(id: string | number, method: string, params: Message): Promise<Message | undefined> {
    const key = keyOf(id);
    if (this.#open.has(key)) return failure(id, INVALID_REQUEST, 'this id is that of a request under way');
    const controller = new AbortController();
    this.#open.set(key, controller);
    try {
      const isModern = usesModern(params);
      const result = await this.#resultOf(method, params, isModern, controller.signal);
      const marked = isModern ? { resultType: 'complete', ...result, _meta: this.#aboutUs() } : result;
      return controller.signal.aborted ? undefined : { jsonrpc: '2.0', id, result: marked };
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      const { code, data } =
        error instanceof ProtocolError ? error : { code: INTERNAL_ERROR, data: undefined };
      return failure(id, code, (error as Error).message, data);
    } finally {
      this.#open.delete(key);
    }
  }

  async #resultOf(method: string, params: Message, isModern: boolean, signal: AbortSignal): Promise<Message> {
    const cached = isModern ? { ttlMs: LIST_FRESH_MS, cacheScope: 'public' } : {};
    switch (method) {
      case 'tools/list':
        return { tools: this.#facts.tools.map(describe), ...cached };
      case 'tools/call':
        return this.#call(params, signal);
      case 'server/discover':
        return {
          supportedVersions: [MODERN, ...WITH_HANDSHAKE],
          capabilities: { tools: {} },
          instructions: this.#facts.instructions,
          ttlMs: LIST_FRESH_MS,
          cacheScope: 'public',
        };
      case 'initialize':
        if (!isModern) return this.#greet(params);
        break;
      case 'ping':
        if (!isModern) return {};
    }
    throw new ProtocolError(METHOD_NOT_FOUND, `there is no method ${method}`);
  }

  #greet({ protocolVersion }: Message): Message {
    if (typeof protocolVersion !== 'string')
      throw new ProtocolError(INVALID_PARAMS, 'expected the version of the protocol as protocolVersion');
    this.#version = WITH_HANDSHAKE.includes(protocolVersion) ? protocolVersion : WITH_HANDSHAKE[0];
    const { name, version, instructions } = this.#facts;
    return {
      protocolVersion: this.#version,
      capabilities: { tools: {} },
      serverInfo: { name, version },
      instructions,
    };
  }

  #aboutUs(): Message {
    const { name, version } = this.#facts;
    return { [`${META}serverInfo`]: { name, version } };
  }

  /** What goes wrong in a tool is a result: the model reads it, and can do something about it. */
  async #call({ name, arguments: given = {} }: Message, signal: AbortSignal): Promise<Message> {
    const tool = this.#facts.tools.find((one) => one.name === name);
    if (!tool) throw new ProtocolError(INVALID_PARAMS, `there is no tool ${JSON.stringify(name)}`);
    const wrong = wrongArguments(tool, given);
    if (wrong !== undefined) return said(wrong, true);
    try {
      return said(await tool.call(given as Record<string, string | string[]>, signal), false);
    } catch (error) {
      return said((error as Error).message, true);
    }
  }
}

/** Whether a request says its version itself. Throws when it is one that we do not speak that way. */
function usesModern({ _meta: meta }: Message): boolean {
  if (!isObject(meta) || !(`${META}protocolVersion` in meta)) return false;
  const requested = meta[`${META}protocolVersion`];
  if (requested !== MODERN) {
    const supported = [MODERN, ...WITH_HANDSHAKE];
    throw new ProtocolError(UNSUPPORTED_VERSION, 'Unsupported protocol version', { supported, requested });
  }
  if (!isObject(meta[`${META}clientCapabilities`]))
    throw new ProtocolError(INVALID_PARAMS, `expected ${META}clientCapabilities in _meta`);
  return true;
}

function describe({ name, title, description, takes }: Tool): Message {
  const properties = Object.fromEntries(
    Object.entries(takes).map(([key, { type, description: what }]) => [
      key,
      type === 'string'
        ? { type, description: what }
        : { type: 'array', items: { type: 'string' }, description: what },
    ]),
  );
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object', properties, additionalProperties: false },
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}

function wrongArguments({ name, takes }: Tool, given: unknown): string | undefined {
  if (!isObject(given)) return `expected an object with the arguments of ${name}`;
  for (const [key, value] of Object.entries(given)) {
    const kind = Object.hasOwn(takes, key) ? takes[key]?.type : undefined;
    if (kind === undefined)
      return `${name} takes no ${JSON.stringify(key)}; it takes: ${Object.keys(takes).join(', ') || 'nothing'}`;
    const isTexts = Array.isArray(value) && value.every((one) => typeof one === 'string');
    if (kind === 'string' ? typeof value !== 'string' : !isTexts)
      return `expected ${kind === 'string' ? 'a text' : 'a list of texts'} as ${JSON.stringify(key)}`;
  }
  return undefined;
}

function said(text: string, isError: boolean): Message {
  return { content: [{ type: 'text', text }], isError };
}

export function failure(
  id: string | number | undefined,
  code: number,
  message: string,
  data?: unknown,
): Message {
  return {
    jsonrpc: '2.0',
    ...(id === undefined ? {} : { id }),
    error: { code, message, ...(data === undefined ? {} : { data }) },
  };
}

export const TOO_LONG = failure(undefined, INVALID_REQUEST, 'this message is too long: 1 MiB is the most');

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function idOf(message: unknown): string | number | undefined {
  const id = isObject(message) ? message.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** The ids 1 and "1" are different ones. */
function keyOf(id: unknown): string {
  return JSON.stringify(id) ?? '';
}
