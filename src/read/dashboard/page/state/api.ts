/** Asks the server. What it refuses, and what does not arrive, is a `Refusal` with words for people. */
import type { ActionAnswer, ActionRequest, Problem } from '../../view/types.ts';

export class Refusal extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

export async function load<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return answered(await reach(path, { signal, headers: { accept: 'application/json' } }));
}

export function act(loop: string, request: ActionRequest): Promise<ActionAnswer> {
  return send(`api/loops/${encodeURIComponent(loop)}/actions`, request);
}

export async function send<Answer>(path: string, request: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const body = JSON.stringify(request);
  return answered(await reach(path, { method: 'POST', headers, body }));
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, credentials: 'same-origin' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Refusal({
      code: 'no_connection',
      message: 'The server of the dashboard does not answer.',
      fix: 'Start it again in a terminal: untildone dashboard',
    });
  }
}

async function answered<Answer>(response: Response): Promise<Answer> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && body !== undefined) return body as Answer;
  throw new Refusal(isProblem(body) ? body : unclear(response.status));
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string';
}

function unclear(status: number): Problem {
  return { code: `http_${status}`, message: `The server answered ${status} without an explanation.` };
}

/** Any failure in words. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Refusal) return error.problem;
  return { code: 'page', message: error instanceof Error ? error.message : String(error) };
}

export function wasAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
