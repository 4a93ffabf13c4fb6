/** What an ending rests on: from the weakest kind of evidence to the strongest, and what is weak about it. Pure. */

import type { Verdict } from '../loop/verdict.ts';
import { oneLine } from '../text/clip.ts';

export const RUNGS = [
  'claimed',
  'judged',
  'measured_in_place',
  'clean_room',
  'differential',
  'held_out',
  'countersigned',
] as const;

export type RungName = (typeof RUNGS)[number];

export const RUNG_WORDS: Record<RungName, string> = {
  claimed: 'claimed',
  judged: 'judged',
  measured_in_place: 'measured in place',
  clean_room: 'in a clean room',
  differential: 'differential',
  held_out: 'held out',
  countersigned: 'countersigned',
};

export interface Rung {
  rung: RungName;
  reached: boolean;
  /** The gates that passed on it. */
  gates: string[];
  /** Who countersigned. */
  by?: string;
}

/** Something that makes an ending weaker than its highest rung. */
export interface WeakLink {
  what:
    | 'claimed'
    | 'judged'
    | 'in_place'
    | 'as_found'
    | 'skipped'
    | 'failed'
    | 'reused'
    | 'flaky'
    | 'vacuous'
    | 'untested'
    | 'by_model'
    | 'exception'
    | 'note';
  /** The gate that it is about; null when it is about the whole. */
  gate: string | null;
  text: string;
}

export interface Ladder {
  /** The highest rung that was reached; null when no gate passed. */
  rung: RungName | null;
  rungs: Rung[];
  weak: WeakLink[];
}

/** A verdict as a ladder needs it, of a judging or of a receipt. */
export interface Evidence {
  gate: string;
  kind: string;
  class: string;
  outcome: string;
  summary: string;
  /** Null: nothing was run. */
  command: string | null;
  /** Where the command ran; absent: in the folder of the project. */
  room?: string;
  /** `as_found`: the dependencies in the room are those of the start. */
  dependencies?: string;
  differential?: unknown;
  reused?: boolean;
  flaky?: boolean;
  notes?: readonly string[];
  exceptions?: readonly string[];
  children?: readonly Evidence[];
}

/** What a person decided, and who signed the work besides. */
export interface Beside {
  /** Exceptions that a person allowed by name. */
  allowed?: readonly string[];
  /** Who else judged the same tree and signed that. */
  countersignedBy?: string;
}

export function evidenceOf(verdict: Verdict): Evidence {
  const { gate, kind, outcome, summary, proof, reused, flaky, notes, exceptions, children } = verdict;
  return {
    gate,
    kind,
    class: verdict.class,
    outcome,
    summary,
    command: proof?.command ?? null,
    room: proof?.room,
    dependencies: proof?.dependencies,
    differential: differentialOf(proof),
    reused,
    flaky,
    notes,
    exceptions,
    children: children?.map(evidenceOf),
  };
}

/** What `differential` measured; undefined for other gates. */
export function differentialOf(proof: object | undefined): unknown {
  return proof && 'differential' in proof ? proof.differential : undefined;
}

export function ladderOf(verdicts: readonly Evidence[], beside: Beside = {}): Ladder {
  const by = beside.countersignedBy;
  const leaves = verdicts.flatMap(leavesOf);
  const passed = leaves.filter(({ outcome }) => outcome === 'pass');
  const rungs = RUNGS.map((rung): Rung => {
    if (rung === 'countersigned') return { rung, reached: by !== undefined, gates: [], ...(by && { by }) };
    const gates = namesOf(passed.filter((leaf) => rungOf(leaf) === rung));
    return { rung, reached: gates.length > 0, gates };
  });
  const rung = rungs.findLast(({ reached }) => reached)?.rung ?? null;
  return { rung, rungs, weak: weakLinks(verdicts, leaves, beside) };
}

function rungOf({ kind, class: given, room }: Evidence): RungName {
  if (given === 'claimed' || given === 'judged') return given;
  if (kind === 'differential') return 'differential';
  if (kind === 'holdout') return 'held_out';
  return room === 'clean' ? 'clean_room' : 'measured_in_place';
}

/** The gates that a verdict is made of. Where any one is enough, only those that passed carry it. */
function leavesOf(verdict: Evidence): Evidence[] {
  const { kind, outcome, children = [] } = verdict;
  if (children.length === 0) return [verdict];
  const carrying =
    kind === 'any' && outcome === 'pass' ? children.filter((c) => c.outcome === 'pass') : children;
  return carrying.flatMap(leavesOf);
}

function namesOf(leaves: readonly Evidence[]): string[] {
  return [...new Set(leaves.map(({ gate }) => gate))];
}

function weakLinks(
  verdicts: readonly Evidence[],
  leaves: readonly Evidence[],
  { allowed = [] }: Beside,
): WeakLink[] {
  const unique = [...new Map(leaves.map((leaf) => [leaf.gate, leaf])).values()];
  const hasRoom = unique.some((leaf) => leaf.outcome === 'pass' && leaf.room === 'clean');
  const byHand = allowed.map(
    (name): WeakLink => ({ what: 'exception', gate: null, text: `allowed by hand: ${name}` }),
  );
  const combined = verdicts.filter(({ children = [] }) => children.length > 0).flatMap(withInner);
  const asFound = unique.some((leaf) => leaf.outcome === 'pass' && leaf.dependencies === 'as_found');
  return [
    ...unique.flatMap((leaf) => weaknessesOf(leaf, hasRoom)),
    ...(asFound ? [AS_FOUND] : []),
    ...combined.flatMap((each) => remarksOf(each)),
    ...byHand,
  ];
}

const AS_FOUND: WeakLink = {
  what: 'as_found',
  gate: null,
  text: 'dependencies as found: what lay in the project when the loop began, not what a lock file names',
};

/** A combination and the combinations in it, which may carry remarks of their own. */
function withInner(verdict: Evidence): Evidence[] {
  const inner = (verdict.children ?? []).filter(({ children = [] }) => children.length > 0);
  return [verdict, ...inner.flatMap(withInner)];
}

function weaknessesOf(leaf: Evidence, hasRoom: boolean): WeakLink[] {
  const { gate, kind, class: given, outcome, room, command, summary } = leaf;
  const link = (what: WeakLink['what'], text: string): WeakLink => ({ what, gate, text: `${gate} ${text}` });
  const links: WeakLink[] = [];
  if (outcome === 'skip') return [link('skipped', `was skipped: ${oneLine(summary, 200)}`)];
  if (outcome !== 'pass') return [link('failed', `did not pass: ${oneLine(summary, 200)}`)];
  // That something was changed is a condition. It claims nothing about the work.
  if (given === 'claimed' && kind !== 'changed') links.push(link('claimed', 'is only claimed'));
  if (given === 'judged') links.push(link('judged', 'is judged by a model or a person, not measured'));
  if (given === 'measured' && hasRoom && room !== 'clean' && command !== null)
    links.push(link('in_place', 'was measured in place, beside others in a clean room'));
  return [...links, ...remarksOf(leaf)];
}

function remarksOf({ gate, reused, flaky, notes = [], exceptions = [], differential }: Evidence): WeakLink[] {
  const link = (what: WeakLink['what'], text: string): WeakLink => ({ what, gate, text });
  return [
    ...(reused
      ? [link('reused', `${gate} is the verdict of an earlier Stop: nothing that it names has changed`)]
      : []),
    ...(flaky ? [link('flaky', `${gate} is flaky: the same tree and command had different outcomes`)] : []),
    ...differentialLinks(gate, differential),
    ...exceptions.map((text) => link('exception', `${gate}, allowed by a person: ${text}`)),
    ...notes.map((text) => link('note', `${gate}: ${text}`)),
  ];
}

function differentialLinks(gate: string, value: unknown): WeakLink[] {
  if (typeof value !== 'object' || value === null) return [];
  const found = value as Record<string, unknown>;
  const old = (typeof found.old === 'object' && found.old !== null ? found.old : {}) as Record<
    string,
    unknown
  >;
  const rows: [WeakLink['what'], number, string][] = [
    ['exception', countOf(found.allowed), 'tests whose old form fails, allowed by a person'],
    ['by_model', countOf(found.byModel), 'tests whose old form fails, accepted by a model'],
    ['vacuous', countOf(found.vacuous), 'new or changed tests that also pass on the old code'],
    ['untested', countOf(found.untested), 'changed places without which all tests still pass'],
    ['flaky', countOf(old.flaky), 'flaky tests'],
  ];
  return rows
    .filter(([, count]) => count > 0)
    .map(([what, count, words]) => ({ what, gate, text: `${gate}: ${count} × ${words}` }));
}

/** A number, or how many are in a list. */
function countOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

const WEAK_LIMIT = 300;

/** One line for messages: the highest rung, and the weakest link if there is one. */
export function restsOn({ rung, rungs, weak }: Ladder): string {
  if (rung === null) return 'nothing';
  const gates = rungs.find((each) => each.rung === rung)?.gates ?? [];
  const by = gates.length === 0 ? '' : ` (${oneLine(gates.join(', '), 120)})`;
  const [weakest] = [...weak].sort((a, b) => WEAKEST.indexOf(a.what) - WEAKEST.indexOf(b.what));
  const rest = weak.length - 1;
  const more = rest > 0 ? ` and ${rest} more` : '';
  return weakest
    ? `${RUNG_WORDS[rung]}${by}; weakest link: ${oneLine(weakest.text, WEAK_LIMIT)}${more}`
    : `${RUNG_WORDS[rung]}${by}`;
}

/** From the weakest on. */
const WEAKEST: readonly WeakLink['what'][] = [
  ...(['failed', 'claimed', 'exception', 'by_model', 'judged', 'skipped'] as const),
  ...(['in_place', 'vacuous', 'untested', 'flaky', 'as_found', 'reused', 'note'] as const),
];

/** The ladder from the lowest rung up, and below it what is weak. */
export function ladderLines({ rungs, weak }: Ladder): string[] {
  const width = Math.max(...RUNGS.map((rung) => RUNG_WORDS[rung].length));
  return [
    ...rungs.map(({ rung, reached, gates, by }) => {
      const whose = by === undefined ? gates.join(', ') : `by ${by}`;
      return `${reached ? '[x]' : '[ ]'} ${RUNG_WORDS[rung].padEnd(width)}  ${whose}`.trimEnd();
    }),
    ...weak.map(({ text }) => `weak: ${text}`),
  ];
}
