/** Judged Stops of a journal, kept small, and what is drawn of them: the heat strip and the series. Pure. */
import type { EntryOf } from '../../../engine/core/loop/entry.ts';
import type { LoopState } from '../../../engine/core/loop/state.ts';
import type { Outcome } from '../../../engine/core/loop/verdict.ts';
import { blocks } from '../../../engine/core/loop/verdict.ts';
import type { HeatStrip, Series } from './loop-types.ts';

const OUTCOMES: readonly Outcome[] = ['skip', 'pass', 'unproven', 'fail'];
const GATES_KEPT = 100;
const COLUMNS = 200;
const POINTS = 400;
const MARKS = 400;

interface SeenStop {
  place: number;
  at: number;
  iteration: number;
  costUsd: number;
  tokens: number;
  context?: number;
  /** By the number of the gate: 0 not judged, else the place in `OUTCOMES` plus 1. */
  cells: Uint8Array;
}

export class SeenStops {
  private readonly gates = new Map<string, number>();
  private readonly held: number[] = [];
  private readonly stops: SeenStop[] = [];
  private readonly marks: Series['marks'] = [];

  add(place: number, at: number, { verdicts, seen }: EntryOf<'stop'>, state: LoopState): void {
    const found: [number, number][] = [];
    for (const verdict of verdicts) {
      const gate = this.numberOf(verdict.gate);
      if (gate === undefined) continue;
      found.push([gate, OUTCOMES.indexOf(verdict.outcome) + 1]);
      if (blocks(verdict)) this.held[gate] = (this.held[gate] ?? 0) + 1;
    }
    const cells = new Uint8Array(found.reduce((most, [gate]) => Math.max(most, gate + 1), 0));
    for (const [gate, cell] of found) cells[gate] = cell;
    const { costUsd, tokens } = state.spent;
    const context = seen.contextShare;
    const { iteration } = state;
    this.stops.push({
      place,
      at,
      iteration,
      costUsd,
      tokens,
      ...(context === undefined ? {} : { context }),
      cells,
    });
  }

  mark(kind: Series['marks'][number]['kind'], at: number, place: number): void {
    this.marks.push({ at, kind, place });
  }

  get count(): number {
    return this.stops.length;
  }

  strip(columns = COLUMNS): HeatStrip {
    const groups = inGroups(this.stops, columns);
    return {
      columns: groups.map((group) => {
        const [first] = group;
        const last = group.at(-1) ?? first;
        return { from: first.iteration, to: last?.iteration ?? 0, place: first.place, at: first.at };
      }),
      gates: [...this.gates].map(([name, gate]) => ({
        name,
        cells: groups.map((group) => worst(group.map(({ cells }) => cells[gate] ?? 0))),
        held: this.held[gate] ?? 0,
      })),
    };
  }

  series(): Series {
    const points = inGroups(this.stops, POINTS).map((group) => {
      const last = group.at(-1) ?? group[0];
      const { at, iteration, place, costUsd, tokens, context } = last;
      return {
        at,
        iteration,
        place,
        tokens,
        ...(costUsd > 0 ? { costUsd } : {}),
        ...(context === undefined ? {} : { context }),
      };
    });
    return { points, marks: this.marks.slice(-MARKS) };
  }

  private numberOf(name: string): number | undefined {
    const known = this.gates.get(name);
    if (known !== undefined || this.gates.size >= GATES_KEPT) return known;
    this.gates.set(name, this.gates.size);
    return this.gates.size - 1;
  }
}

function worst(cells: readonly number[]): Outcome | null {
  const most = Math.max(0, ...cells);
  return most === 0 ? null : (OUTCOMES[most - 1] ?? null);
}

/** At most so many groups of neighbours, all of nearly the same size. */
function inGroups<T>(all: readonly T[], most: number): [T, ...T[]][] {
  const count = Math.min(most, all.length);
  return Array.from({ length: count }, (_, i) =>
    all.slice(Math.floor((i * all.length) / count), Math.floor(((i + 1) * all.length) / count)),
  ).filter((group): group is [T, ...T[]] => group.length > 0);
}
