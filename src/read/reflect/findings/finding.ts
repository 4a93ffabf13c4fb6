import { oneLine } from '../../../engine/core/text/clip.ts';
import { redact } from '../../../engine/core/text/redact.ts';
import { sha256 } from '../../../engine/files/digest.ts';

/** What reflection finds. The names that document 004 knows are spelled as there; in its report in capital letters. */
export const FINDING_TYPES = [
  'repeated_command',
  'error_patterns',
  'long_session',
  'user_frustration',
  'repeated_reads',
  'reverted_edits',
  'tests_without_change',
  'tool_denials',
  'compactions',
  'slow_turns',
  'api_errors',
  'rate_limits',
  'slow_requests',
  'blocking_gate',
  'repeated_reason',
  'many_iterations',
  'stalls',
  'cheat_attempts',
  'repeated_tool_use',
] as const;

export type FindingType = (typeof FINDING_TYPES)[number];

export const SEVERITIES = ['high', 'medium', 'low'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Where something was seen: a line of a transcript, a trace or a journal. */
export interface Place {
  file: string;
  line: number;
  /** In milliseconds. */
  at?: number;
  /** In a few words, where several places of a finding differ. */
  what?: string;
}

/** What a finding cost, as far as that is known. */
export interface Cost {
  ms: number;
  tokens: number;
}

export interface Finding {
  type: FindingType;
  severity: Severity;
  /** One line: what was found. */
  title: string;
  count: number;
  /** What else the type tells, by the names of document 004: `tool`, `message_count`, ... */
  fields: Record<string, string | number>;
  /** The first places, and the last one; `count` says how many there are. */
  places: Place[];
  cost: Cost;
  /** What to do about it, in a few words. */
  suggestion: string;
  /** The sessions, or loops, in which it was found. */
  in: string[];
  /** The same finding has the same fingerprint, in whichever session it is found. */
  fingerprint: string;
}

export type NewFinding = Omit<Finding, 'fingerprint' | 'in' | 'cost' | 'fields'> & {
  /** What makes it the same finding another time; absent: there is one of its type. */
  key?: string;
  in: string;
  cost?: Partial<Cost>;
  fields?: Finding['fields'];
};

export function finding({ key = '', ...given }: NewFinding): Finding {
  return {
    ...given,
    title: shown(given.title, MOST_TITLE),
    fields: given.fields ?? {},
    cost: { ms: given.cost?.ms ?? 0, tokens: given.cost?.tokens ?? 0 },
    in: [given.in],
    fingerprint: sha256(`${given.type}\n${key}`).slice(0, 16),
  };
}

const MOST_TITLE = 300;
const MOST_SHOWN = 160;
/** Secrets are looked for in more than is shown: one that is cut in half would not look like one. */
const MOST_SEARCHED = 2_000;

/** Text of others for a report: one line, short, without secrets. */
export function shown(text: string, most = MOST_SHOWN): string {
  return oneLine(redact(text.slice(0, MOST_SEARCHED)), most);
}

/** The severity of a count. */
export function severityOf(count: number, medium: number, high: number): Severity {
  if (count >= high) return 'high';
  return count >= medium ? 'medium' : 'low';
}

/** The worst first; of the same severity, what cost most. */
export function ranked(findings: readonly Finding[]): Finding[] {
  const weight = (found: Finding) => found.cost.tokens + found.cost.ms;
  return [...findings].sort(
    (a, b) =>
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
      FINDING_TYPES.indexOf(a.type) - FINDING_TYPES.indexOf(b.type) ||
      weight(b) - weight(a) ||
      b.count - a.count ||
      (a.fingerprint < b.fingerprint ? -1 : 1),
  );
}

const MOST_PLACES = 4;
const MOST_NAMED = 20;

/** The same finding of several sessions becomes one: counts and costs are added, the worst severity stays. */
export function merged(findings: readonly Finding[]): Finding[] {
  const byPrint = new Map<string, Finding>();
  for (const found of findings) {
    const before = byPrint.get(found.fingerprint);
    byPrint.set(found.fingerprint, before ? together(before, found) : found);
  }
  return ranked([...byPrint.values()]);
}

function together(a: Finding, b: Finding): Finding {
  const worse = SEVERITIES.indexOf(a.severity) <= SEVERITIES.indexOf(b.severity) ? a : b;
  const count = a.count + b.count;
  const names = [...new Set([...a.in, ...b.in])];
  return {
    ...worse,
    title: worse.title,
    count,
    fields: sumOf(worse.fields, worse === a ? b.fields : a.fields),
    places: [...a.places, ...b.places].slice(0, MOST_PLACES),
    cost: { ms: a.cost.ms + b.cost.ms, tokens: a.cost.tokens + b.cost.tokens },
    in: names.slice(0, MOST_NAMED),
  };
}

/** Numbers of the same name are added up; words stay those of the worse one. */
function sumOf(one: Finding['fields'], other: Finding['fields']): Finding['fields'] {
  return Object.fromEntries(
    Object.entries(one).map(([name, value]) => {
      const more = other[name];
      return [name, typeof value === 'number' && typeof more === 'number' ? value + more : value];
    }),
  );
}
