import type { Entry } from '../../core/loop/entry.ts';
import type { LoopState } from '../../core/loop/state.ts';

export const JOURNAL_VERSION = 1;

/** One line of a journal, as on disk. `prev` is the SHA-256 of the line before, `mac` seals the line itself. */
export interface JournalLine {
  v: typeof JOURNAL_VERSION;
  seq: number;
  at: string;
  entry: Entry;
  state: LoopState;
  prev: string;
}

/** Renders a line without its seal and line break; `sealLine` adds the seal. */
export function renderLine(line: JournalLine): string {
  const { v, seq, at, entry, state, prev } = line;
  return JSON.stringify({ v, seq, at, entry, state, prev });
}

const SEAL = ',"mac":"';
const END = '"}';

export function sealLine(body: string, mac: string): string {
  return `${body.slice(0, -1)}${SEAL}${mac}${END}`;
}

/** Splits a line into its sealed content and its seal; undefined when it has no seal. */
export function unseal(text: string): { body: string; mac: string } | undefined {
  const at = text.lastIndexOf(SEAL);
  if (at < 0 || !text.endsWith(END)) return undefined;
  return { body: `${text.slice(0, at)}}`, mac: text.slice(at + SEAL.length, -END.length) };
}

export type ParsedLine = { ok: true; line: JournalLine } | { ok: false; problem: string };

/** Parses a line and checks the fields that the program relies on. A line of another version is a problem. */
export function parseLine(text: string): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: 'not JSON' };
  }
  if (typeof value !== 'object' || value === null) return { ok: false, problem: 'not an object' };
  const line = value as Partial<JournalLine>;
  if (line.v !== JOURNAL_VERSION)
    return {
      ok: false,
      problem: `it has version ${String(line.v)}, this program reads version ${JOURNAL_VERSION}`,
    };
  if (!Number.isSafeInteger(line.seq) || (line.seq ?? 0) < 1)
    return { ok: false, problem: 'no sequence number' };
  if (typeof line.at !== 'string' || Number.isNaN(Date.parse(line.at)))
    return { ok: false, problem: 'no time' };
  if (typeof line.prev !== 'string') return { ok: false, problem: 'no hash of the line before' };
  if (typeof line.entry?.kind !== 'string') return { ok: false, problem: 'no entry' };
  if (typeof line.state?.status !== 'string' || typeof line.state.session !== 'string') {
    return { ok: false, problem: 'no state' };
  }
  return { ok: true, line: line as JournalLine };
}
