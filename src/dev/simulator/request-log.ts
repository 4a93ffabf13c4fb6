import type { IncomingHttpHeaders } from 'node:http';

/** What the simulator was asked. */
export interface SimulatorRequest {
  /** Milliseconds since 1970. */
  at: number;
  /** The script it was meant for, loaded or not. */
  name: string;
  /** `refused`: a path, method, name or body that is not served. */
  kind: 'messages' | 'count_tokens' | 'refused';
  /** Counts the `messages` requests of a script, from 1. */
  n?: number;
  /** Which turn of the script answers a `messages` request, in words. */
  servedBy?: string;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Undefined when it was no JSON, or was dropped because the log had grown too large. */
  body: unknown;
}

const KEEP_BODIES = 128 * 1024 * 1024;
const KEEP_REQUESTS = 100_000;

/** Every request since its script was loaded; of a very long session only the newest bodies. */
export class RequestLog {
  #entries: { request: SimulatorRequest; bytes: number }[] = [];
  #bytes = 0;
  readonly #limits: { bodies: number; requests: number };

  constructor(limits = { bodies: KEEP_BODIES, requests: KEEP_REQUESTS }) {
    this.#limits = limits;
  }

  add(request: SimulatorRequest, bytes: number): void {
    this.#entries.push({ request, bytes });
    this.#bytes += bytes;
    for (const entry of this.#entries) {
      if (this.#bytes <= this.#limits.bodies) break;
      this.#bytes -= entry.bytes;
      entry.bytes = 0;
      entry.request = { ...entry.request, body: undefined };
    }
    const surplus = this.#entries.length - this.#limits.requests;
    if (surplus > 0) for (const { bytes } of this.#entries.splice(0, surplus)) this.#bytes -= bytes;
  }

  of(name?: string): SimulatorRequest[] {
    const entries = this.#entries.filter(({ request }) => name === undefined || request.name === name);
    return entries.map(({ request }) => request);
  }

  forget(name: string): void {
    this.#entries = this.#entries.filter(({ request }) => request.name !== name);
    this.#bytes = this.#entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
