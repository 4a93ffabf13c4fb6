import { statSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../../engine/core/text/defined.ts';
import { JournalScan } from '../../../engine/home/journal/scan.ts';
import { readKey } from '../../../engine/home/layout.ts';
import type { Insights } from '../view/insight-types.ts';
import { insightsOf, type Summed } from '../view/insights.ts';
import { LoopSummary } from '../view/loop-summary.ts';
import type { LoopRow } from '../view/overview-types.ts';
import type { ProjectAsked } from './known-elsewhere.ts';
import type { Loops } from './loops.ts';
import type { DashboardPorts } from './world.ts';

const MOST_LOOPS = 500;
const KEPT = 1_000;
const LONGEST_JOURNAL = 64 * 1024 * 1024;
const TIME_MS = 2_000;
const DAY_MS = 86_400_000;

/** Reads journals for the insights: the newest first, in bounded time. What was read is kept until its journal changes. */
export class LookBack {
  private readonly kept = new Map<string, { mark: string; summary: LoopSummary }>();
  private readonly loops: Loops;
  private readonly world: DashboardPorts;

  constructor(loops: Loops, world: DashboardPorts) {
    this.loops = loops;
    this.world = world;
  }

  async insights(days: number, project: string | undefined): Promise<Insights> {
    const now = this.world.clock.now();
    const since = now - days * DAY_MS;
    const rows = this.loops
      .rows()
      .filter((row) => row.lastAt >= since && (project === undefined || row.project === project))
      .sort((a, b) => b.lastAt - a.lastAt);
    const until = Date.now() + TIME_MS;
    const read: Summed[] = [];
    for (const row of rows.slice(0, MOST_LOOPS)) {
      if (Date.now() > until) break;
      read.push({ row, summary: await this.summaryOf(row) });
    }
    const found = insightsOf(read, since, now);
    const more = await this.world.lookBack?.(since, this.asked(project));
    return { ...found, ...(read.length < rows.length ? { cut: true as const } : {}), ...more };
  }

  private asked(project: string | undefined): ProjectAsked | undefined {
    return project === undefined ? undefined : { id: project, ...defined({ path: this.folderOf(project) }) };
  }

  /** The folder of a project of this home. */
  folderOf(project: string): string | undefined {
    return this.loops.projects().find(({ id }) => id === project)?.path;
  }

  private async summaryOf({ id }: LoopRow): Promise<LoopSummary | undefined> {
    const ref = this.loops.ref(id);
    if (!ref) return undefined;
    const path = join(ref.dir, 'journal.jsonl');
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > LONGEST_JOURNAL) return undefined;
    const mark = `${stat.ino} ${stat.size} ${stat.ctimeMs}`;
    const known = this.kept.get(id);
    if (known?.mark === mark) return known.summary;
    const summary = new LoopSummary();
    let place = 0;
    try {
      for await (const scanned of new JournalScan(path, readKey(this.world.home)).next()) {
        if (scanned.ok)
          summary.add(place, Date.parse(scanned.line.at), scanned.line.entry, scanned.line.state);
        place++;
      }
    } catch {
      return undefined;
    }
    this.kept.set(id, { mark, summary });
    const [oldest] = this.kept.keys();
    if (this.kept.size > KEPT && oldest !== undefined) this.kept.delete(oldest);
    return summary;
  }
}
