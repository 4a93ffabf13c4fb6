/** Made-up evidence of a demo: journals by their entries, and what a scripted model was asked. */
import { resolve } from 'node:path';
import { type Demo, openDemo } from '../../../src/dev/demo/demo-folder.ts';
import { type Evidence, happened } from '../../../src/dev/demo/expectation.ts';
import type { SimulatorRequest } from '../../../src/dev/simulator/server.ts';
import type { StopSeen } from '../../../src/engine/core/loop/count-stop.ts';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import { advance } from '../../../src/engine/core/loop/journal.ts';
import type { LoopState } from '../../../src/engine/core/loop/state.ts';
import type { Scanned } from '../../../src/engine/home/journal/scan.ts';
import { claim, seenStop, T0 } from '../../support/core/samples.ts';

const SRC = resolve(import.meta.dirname, '../../../src');

/** A demo of the repository. */
export function demoNamed(name: string): Demo {
  return openDemo(name, SRC);
}

export function stepsOf({ expect }: Demo): string[] {
  return expect.map(({ says }) => says);
}

/** The names of the steps that did not happen. */
export function missing(demo: Demo, evidence: Evidence): string[] {
  return demo.expect.filter((step) => !happened(step, demo, evidence)).map(({ says }) => says);
}

/** The names of the steps that happened. */
export function happenedIn(demo: Demo, evidence: Evidence): string[] {
  return demo.expect.filter((step) => happened(step, demo, evidence)).map(({ says }) => says);
}

export type StopEntry = Extract<Entry, { kind: 'stop' }>;

export function stop(decision: StopEntry['decision'], seen: Partial<StopSeen> = {}): StopEntry {
  return { kind: 'stop', seen: seenStop(seen), verdicts: [claim('fail')], decision };
}

export function journalOf(...entries: Entry[]): Scanned[] {
  let state: LoopState | undefined;
  return entries.map((entry, i): Scanned => {
    state = advance(state, entry, T0 + i);
    const line = { v: 1 as const, seq: i + 1, at: new Date(T0 + i).toISOString(), entry, state, prev: '' };
    return { start: 0, bytes: 0, ok: true, line, text: '', chained: true, sha256: '' };
  });
}

/** One request for each content, served turn by turn. */
export function askedFor(contents: readonly (string | object[])[]): SimulatorRequest[] {
  return contents.map((content, i) => {
    const request = { at: T0, name: 'default', method: 'POST', path: '/v1/messages', headers: {} };
    const body = { messages: [{ role: 'user', content }] };
    return { ...request, kind: 'messages', n: i + 1, servedBy: `turn ${i + 1}`, body };
  });
}

export const DAMAGED: Scanned = { start: 0, bytes: 0, ok: false, number: 4, problem: 'not JSON' };

/** With a line that does not follow from the one before it. */
export function unchained(journal: readonly Scanned[]): Scanned[] {
  return journal.map((line, i) => (i === 1 && line.ok ? { ...line, chained: false } : line));
}
