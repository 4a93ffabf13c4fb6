import { type FileHandle, open } from 'node:fs/promises';
import type { Entry } from '../../../engine/core/loop/entry.ts';
import { lineCheck } from '../../../engine/home/journal/file.ts';
import type { JournalLine } from '../../../engine/home/journal/line.ts';
import { JournalScan, type Scanned } from '../../../engine/home/journal/scan.ts';
import type { TimelineEntry, TimelineKind } from './loop-types.ts';
import { type Requested, requestIn } from './requests.ts';
import { SeenStops } from './stops.ts';
import { damagedEntry, kindOf, timelineEntry } from './timeline.ts';

const REQUESTS_KEPT = 30;
const PAGE = 200;

/** A request and the first step of the loop after it. */
export interface KeptRequest {
  requested: Requested;
  stepAt?: number;
}

/**
 * A journal that somebody looks at. It is read once from its beginning; what is kept of a line is where it lies and what kind
 * it is, so a long journal takes little memory. Lines are read again, and checked again, when they are shown.
 */
export class OpenJournal {
  readonly stops = new SeenStops();
  readonly requests: KeptRequest[] = [];
  private readonly starts: number[] = [];
  private readonly lengths: number[] = [];
  private readonly kinds: TimelineKind[] = [];
  private readonly counts = new Map<TimelineKind, number>();
  private readonly problems = new Map<number, string>();
  /** The tree of each Stop, and that of the Stop before it, or of the start. */
  private readonly trees = new Map<number, { from?: string; to: string }>();
  private lastTree: string | undefined;
  private readonly scan: JournalScan;
  private readonly path: string;
  private readonly key: string;
  private reading: Promise<void> = Promise.resolve();

  constructor(path: string, key: string) {
    this.path = path;
    this.key = key;
    this.scan = new JournalScan(path, key);
  }

  get entries(): number {
    return this.starts.length;
  }

  get kindCounts(): Partial<Record<TimelineKind, number>> {
    return Object.fromEntries(this.counts);
  }

  get damaged(): number {
    return this.problems.size;
  }

  /** Takes in what was added since the last call. Calls at the same time wait for each other. */
  update(): Promise<void> {
    const next = this.reading.then(() => this.takeIn());
    this.reading = next.catch(() => {});
    return next;
  }

  private async takeIn(): Promise<void> {
    for await (const scanned of this.scan.next()) this.keep(scanned);
  }

  private keep(scanned: Scanned): void {
    const place = this.starts.length;
    const kind = scanned.ok ? kindOf(scanned.line.entry) : 'damage';
    this.starts.push(scanned.start);
    this.lengths.push(scanned.bytes);
    this.kinds.push(kind);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    if (!scanned.ok) {
      this.problems.set(place, scanned.problem);
      return;
    }
    const { entry, state } = scanned.line;
    const at = Date.parse(scanned.line.at);
    if (entry.kind === 'stop' && entry.verdicts.length > 0) this.stops.add(place, at, entry, state);
    if (entry.kind === 'started') this.lastTree = entry.baseTree;
    if (entry.kind === 'stop' && entry.seen.tree !== undefined) {
      this.trees.set(place, { from: this.lastTree, to: entry.seen.tree });
      this.lastTree = entry.seen.tree;
    }
    const mark = markOf(kind, entry);
    if (mark) this.stops.mark(mark, at, place);
    this.keepRequest(place, at, scanned.line);
  }

  private keepRequest(place: number, at: number, { entry, state }: JournalLine): void {
    const requested = requestIn(place, at, entry, state);
    if (!requested) {
      for (const kept of this.requests) kept.stepAt ??= at;
      return;
    }
    this.requests.push({ requested });
    if (this.requests.length > REQUESTS_KEPT) this.requests.shift();
  }

  /** Entries by their place, or by their place among those of some kinds. */
  async page(
    from: number,
    count: number,
    only?: ReadonlySet<string>,
  ): Promise<{ total: number; entries: TimelineEntry[] }> {
    const places = only ? this.placesOf(only) : undefined;
    const total = places ? places.length : this.entries;
    const end = Math.min(total, from + Math.min(count, PAGE));
    const wanted = Array.from({ length: Math.max(0, end - from) }, (_, i) => places?.[from + i] ?? from + i);
    return { total, entries: await this.withFile((file) => this.entriesAt(wanted, file)) };
  }

  private placesOf(only: ReadonlySet<string>): number[] {
    const places: number[] = [];
    for (const [place, kind] of this.kinds.entries()) if (only.has(kind)) places.push(place);
    return places;
  }

  private async entriesAt(places: readonly number[], file: FileHandle): Promise<TimelineEntry[]> {
    const entries: TimelineEntry[] = [];
    let last: { place: number; line: JournalLine } | undefined;
    for (const place of places) {
      const before = last && last.place === place - 1 ? last.line : await this.validBefore(place, file);
      const line = await this.lineAt(place, file);
      entries.push(
        line
          ? timelineEntry(place, line, before, this.hasChanged(place))
          : damagedEntry(place, this.problems.get(place) ?? 'it was changed since'),
      );
      last = line && { place, line };
    }
    return entries;
  }

  /** The trees between which the work of a Stop was done. */
  treesAt(place: number): { from?: string; to: string } | undefined {
    return this.trees.get(place);
  }

  private hasChanged(place: number): boolean | undefined {
    const { from, to } = this.trees.get(place) ?? {};
    return from === undefined || to === undefined ? undefined : from !== to;
  }

  /** A line and the valid one before it; undefined when there is none at this place. */
  pair(place: number): Promise<{ line?: JournalLine; before?: JournalLine; problem?: string } | undefined> {
    if (!(place >= 0 && place < this.entries)) return Promise.resolve(undefined);
    return this.withFile(async (file) => ({
      line: await this.lineAt(place, file),
      before: await this.validBefore(place, file),
      problem: this.problems.get(place),
    }));
  }

  private async validBefore(place: number, file: FileHandle): Promise<JournalLine | undefined> {
    for (let at = place - 1; at >= 0; at--) {
      if (this.problems.has(at)) continue;
      return this.lineAt(at, file);
    }
    return undefined;
  }

  private async lineAt(place: number, file: FileHandle): Promise<JournalLine | undefined> {
    const start = this.starts[place];
    const length = this.lengths[place];
    if (start === undefined || length === undefined || this.problems.has(place)) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
    return lineCheck(this.path, this.key)(buffer.toString('utf8', 0, bytesRead));
  }

  private async withFile<T>(read: (file: FileHandle) => Promise<T>): Promise<T> {
    const file = await open(this.path, 'r');
    try {
      return await read(file);
    } finally {
      await file.close();
    }
  }
}

function markOf(kind: TimelineKind, entry: Entry): 'session' | 'compaction' | 'hand_over' | undefined {
  if (kind === 'compaction' || kind === 'hand_over') return kind;
  return entry.kind === 'intent' || entry.kind === 'claimed' ? 'session' : undefined;
}
