/** Which loops are shown, and in which order. Pure. */
import type { LoopRow, Need } from '../../view/types.ts';
import type { Filter, Sort, StateFilter } from './route.ts';

export interface Known {
  /** Loops that need a person. */
  needy: ReadonlySet<string>;
  /** Names of projects by their ids. */
  projects: ReadonlyMap<string, string>;
}

export function needyLoops(needs: readonly Need[]): Set<string> {
  return new Set(needs.flatMap(({ loop }) => loop ?? []));
}

export function isShown(row: LoopRow, filter: Filter, known: Known): boolean {
  if (filter.project !== '' && row.project !== filter.project) return false;
  return stateOf(row, known).includes(filter.state) && holdsWords(row, filter.words, known);
}

/** The filters under which a loop is found. */
export function stateOf(row: LoopRow, { needy }: Known): StateFilter[] {
  if (needy.has(row.id) || row.doing === 'waits_you' || row.doing === 'not_held')
    return row.doing === 'ended' ? ['all', 'needs-you', endOf(row)] : ['all', 'needs-you'];
  switch (row.doing) {
    case 'thinks':
    case 'gate_runs':
      return ['all', 'working'];
    case 'ended':
      return ['all', endOf(row)];
    case 'unreadable':
      return ['all', 'needs-you'];
    default:
      return ['all', 'waiting'];
  }
}

/** Only what is proven counts as done. */
function endOf(row: LoopRow): StateFilter {
  return row.tone === 'done' ? 'done' : 'undone';
}

/** Every word is somewhere in what the row says. */
function holdsWords(row: LoopRow, words: string, { projects }: Known): boolean {
  const asked = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (asked.length === 0) return true;
  const said = [
    ...[row.task, row.id, row.status, row.words, projects.get(row.project), row.current?.name],
    ...[row.owner.session, ...row.gates.map(({ name }) => name)],
  ];
  const text = said.join('\n').toLowerCase();
  return asked.every((word) => text.includes(word));
}

const URGENCY: Record<LoopRow['doing'], number> = {
  waits_you: 0,
  not_held: 0,
  unreadable: 1,
  gate_runs: 2,
  thinks: 2,
  waits_limit: 3,
  waits_other: 3,
  paused: 4,
  ended: 5,
};

/** `urgent` goes by what is asked of you; the order does not change while loops work, so that rows stay where they are. */
const ORDERS: Record<Sort, (one: LoopRow, other: LoopRow) => number> = {
  urgent: (one, other) => urgency(one) - urgency(other) || recency(other) - recency(one),
  newest: (one, other) => other.startedAt - one.startedAt,
  cost: (one, other) => (other.costUsd ?? -1) - (one.costUsd ?? -1),
  time: (one, other) => other.elapsedMs - one.elapsedMs,
  iteration: (one, other) => (other.iteration ?? 0) - (one.iteration ?? 0),
  name: (one, other) => one.task.localeCompare(other.task),
};

function urgency(row: LoopRow): number {
  return row.questions > 0 && row.doing !== 'ended' ? 0 : URGENCY[row.doing];
}

function recency(row: LoopRow): number {
  return row.endedAt ?? row.startedAt;
}

/** Pieces of a run stay below their run where both are shown. */
export function ordered(rows: readonly LoopRow[], sort: Sort): LoopRow[] {
  const sorted = [...rows].sort((one, other) => ORDERS[sort](one, other) || one.id.localeCompare(other.id));
  const shown = new Set(sorted.map(({ id }) => id));
  const pieces = new Map<string, LoopRow[]>();
  const heads: LoopRow[] = [];
  for (const row of sorted) {
    const parent = row.run?.parent;
    if (parent === undefined || !shown.has(parent)) heads.push(row);
    else pieces.set(parent, [...(pieces.get(parent) ?? []), row]);
  }
  const withPieces = (row: LoopRow): LoopRow[] => [row, ...(pieces.get(row.id) ?? []).flatMap(withPieces)];
  const tree = heads.flatMap(withPieces);
  // Journals of others may name each other as parents.
  const placed = new Set(tree);
  return [...tree, ...sorted.filter((row) => !placed.has(row))];
}
