/** A Messages API on loopback that answers by script: the real Claude Code runs without network, key or cost. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isFields } from '../../engine/core/text/fields.ts';
import { RequestLog, type SimulatorRequest } from './request-log.ts';
import { carryOut, refuse, sendJson } from './respond.ts';
import {
  type CompiledScript,
  type Counters,
  compileScript,
  modelOf,
  NOTHING_SERVED,
  pickTurn,
  type Script,
} from './script.ts';

export type { SimulatorRequest };

export interface SimulatorOptions {
  /** Scripts by name; each has its own address, counters and log. */
  scripts?: Record<string, Script>;
  /** The script of the plain address, whose name is "default". Absent: every request gets "turn N: done." */
  script?: Script;
  /** A free one when absent. */
  port?: number;
  /** Called before the request is answered. Must not throw: a throw turns the answer into a 500. */
  onRequest?(request: SimulatorRequest): void;
}

export interface Simulator {
  /** The base address of the script "default". */
  url: string;
  /** The base address of a script, for `ANTHROPIC_BASE_URL`. */
  urlFor(name: string): string;
  /** Puts a script in place, with counters and log at their start. Throws when a pattern in it is invalid. */
  load(name: string, script: Script): void;
  /** What was asked since the script was loaded, oldest first; of all scripts when no name is given. */
  requests(name?: string): SimulatorRequest[];
  /** Ends every connection at once, hanging ones too. */
  close(): Promise<void>;
}

interface Conversation {
  script: CompiledScript;
  counters: Counters;
  asked: number;
}

const DEFAULT_NAME = 'default';
const DEFAULT_TOKEN_COUNT = 100;
const BODY_LIMIT = 64 * 1024 * 1024;

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const conversations = new Map<string, Conversation>();
  const log = new RequestLog();
  const load = (name: string, script: Script): void => {
    if (/^\.*$/.test(name))
      throw new Error(`"${name}" cannot be the name of a script: it is part of an address`);
    conversations.set(name, { script: compileScript(name, script), counters: NOTHING_SERVED, asked: 0 });
    log.forget(name);
  };
  for (const [name, script] of Object.entries({ [DEFAULT_NAME]: options.script ?? {}, ...options.scripts })) {
    load(name, script);
  }
  const record = (request: SimulatorRequest, bytes: number): void => {
    log.add(request, bytes);
    options.onRequest?.(request);
  };

  const server = createServer((request, response) => {
    serve(request, response, conversations, record).catch((error: unknown) => endBroken(response, error));
  });
  // A tool may run for minutes between two requests over one connection.
  server.keepAliveTimeout = 0;
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return closing;
  };
  return {
    url,
    urlFor: (name) => `${url}/s/${encodeURIComponent(name)}`,
    load,
    requests: (n) => log.of(n),
    close,
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  conversations: Map<string, Conversation>,
  record: (request: SimulatorRequest, bytes: number) => void,
): Promise<void> {
  const { text, bytes, tooLarge } = await readBody(request);
  const { name, path } = addressed(request.url ?? '/');
  const conversation = conversations.get(name);
  const body = parseJson(text);
  const common = { at: Date.now(), name, method: request.method ?? '', path, headers: request.headers, body };
  const refused = (status: number, message: string): void => {
    record({ ...common, kind: 'refused' }, bytes);
    refuse(response, status, message);
  };

  const served = path === '/v1/messages' || path === '/v1/messages/count_tokens';
  if (!served || request.method !== 'POST')
    return refused(404, `${request.method} ${path} is not served here`);
  if (!conversation) return refused(404, `no script has the name "${name}"`);
  if (tooLarge) return refused(413, `the body is larger than ${BODY_LIMIT} bytes`);
  if (!isFields(body)) return refused(400, 'the body is not a JSON object');
  if (path === '/v1/messages/count_tokens') {
    record({ ...common, kind: 'count_tokens' }, bytes);
    const { countTokens = DEFAULT_TOKEN_COUNT } = conversation.script.source;
    return sendJson(response, 200, { input_tokens: countTokens });
  }

  const { turn, servedBy, counters } = pickTurn(conversation.script, conversation.counters, body);
  conversation.counters = counters;
  conversation.asked += 1;
  const n = conversation.asked;
  record({ ...common, kind: 'messages', n, servedBy }, bytes);
  const uniqueId = () => randomBytes(8).toString('hex');
  await carryOut(turn, { n, model: modelOf(body), stream: body.stream === true, uniqueId }, response);
}

/** A body over the limit is read to its end without being kept, so that the refusal can be read by the sender. */
async function readBody(
  request: IncomingMessage,
): Promise<{ text: string; bytes: number; tooLarge: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= BODY_LIMIT) chunks.push(chunk);
    else chunks.length = 0;
  }
  return { text: Buffer.concat(chunks).toString(), bytes, tooLarge: bytes > BODY_LIMIT };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `/s/NAME/v1/...` is meant for the script NAME, everything else for the default one. */
function addressed(url: string): { name: string; path: string } {
  const [path = '/'] = url.split('?');
  const [, name, rest] = /^\/s\/([^/]+)(\/.*)?$/s.exec(path) ?? [];
  if (name === undefined) return { name: DEFAULT_NAME, path };
  return { name: decoded(name), path: rest ?? '/' };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Ends a response that failed: the other side went away, or the script asked for what HTTP does not allow. */
function endBroken(response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.headersSent) {
    response.destroy();
    return;
  }
  refuse(
    response,
    500,
    `the simulator could not answer: ${error instanceof Error ? error.message : String(error)}`,
  );
}
