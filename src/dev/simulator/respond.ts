/** Carries out one turn on one HTTP response. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type Asked, errorAnswer, messageOf, renderEvent, streamErrorOf, streamOf } from './messages.ts';
import type { Turn } from './script.ts';

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string | number> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function refuse(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, errorAnswer({ status, message }).body);
}

/** Rejects with an AbortError when the client goes away (or the simulator is closed) before the answer is complete. */
export async function carryOut(
  turn: Turn,
  asked: Asked & { stream: boolean },
  response: ServerResponse,
): Promise<void> {
  if (turn.hang) return;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (turn.delayMs) await wait(turn.delayMs, undefined, { signal: gone.signal });
  if (turn.drop) {
    response.destroy();
    return;
  }
  const id = { 'request-id': `req_sim_${asked.n}` };
  if (turn.error) {
    const { status, headers, body } = errorAnswer(turn.error);
    sendJson(response, status, body, { ...id, ...headers });
    return;
  }
  const message = messageOf(turn, asked);
  if (asked.stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...id, ...turn.headers });
    await stream(turn, message, response, gone.signal);
  } else if (turn.streamError) {
    sendJson(response, 500, { type: 'error', error: streamErrorOf(turn.streamError) }, id);
  } else {
    sendJson(response, 200, message, { ...id, ...turn.headers });
  }
}

async function stream(
  turn: Turn,
  message: ReturnType<typeof messageOf>,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  for (const event of streamOf(turn, message)) {
    const flowing = response.write(renderEvent(event));
    if (!flowing) await once(response, 'drain', { signal });
    if (event.pieceOfText && turn.chunkMs) await wait(turn.chunkMs, undefined, { signal });
  }
  response.end();
}
