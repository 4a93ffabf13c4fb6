import { sayBytes } from '../../../engine/core/text/bytes.ts';
import { UsageError } from '../../../engine/core/text/errors.ts';
import { auditView } from '../view/audit-view.ts';
import type { AuditView } from '../view/insight-types.ts';
import type { DashboardPorts } from './world.ts';

const KEPT = 20;
const DAY_MS = 86_400_000;

/** Audits that were asked for: one at a time, because each reads all transcripts. The last ones are kept with their time. */
export class Audits {
  private readonly world: DashboardPorts;
  private readonly signal: AbortSignal;
  private readonly found = new Map<string, AuditView>();
  private running: string | undefined;

  constructor(world: DashboardPorts, signal: AbortSignal) {
    this.world = world;
    this.signal = signal;
  }

  get canAudit(): boolean {
    return this.world.audit !== undefined;
  }

  view(days: number, project: string | undefined): AuditView | undefined {
    return this.found.get(keyOf(days, project));
  }

  /** `folder`: of the project; undefined for all. */
  start(days: number, project: string | undefined, folder: string | undefined): AuditView {
    const { audit, clock, only } = this.world;
    const key = keyOf(days, project);
    if (!audit) throw new UsageError('this dashboard cannot audit; in a terminal: untildone audit');
    if (this.running === key) return this.found.get(key) ?? this.put(key, reading(0, 0));
    if (this.running !== undefined)
      throw new UsageError('another audit is being made: wait until it has ended');
    const meant = folder ?? (only.length === 1 ? only[0] : undefined);
    if (meant === undefined && (only.length > 0 || project !== undefined))
      throw new UsageError('choose a project whose folder is known: its transcripts are looked for by it');
    this.running = key;
    const request = { sinceMs: days * DAY_MS, project: meant, now: clock.now() };
    audit(request, (read, all) => this.put(key, reading(read, all)), this.signal)
      .then(
        (found) =>
          this.put(
            key,
            'problem' in found
              ? { state: 'failed', at: clock.now(), words: found.problem, findings: [] }
              : auditView(found.counts, clock.now()),
          ),
        (error: Error) =>
          this.put(key, {
            state: 'failed',
            at: clock.now(),
            findings: [],
            words: `the audit failed: ${error.message}`,
          }),
      )
      .finally(() => {
        this.running = undefined;
      });
    return this.put(key, reading(0, 0));
  }

  private put(key: string, view: AuditView): AuditView {
    this.found.delete(key);
    this.found.set(key, view);
    const [oldest] = this.found.keys();
    if (this.found.size > KEPT && oldest !== undefined) this.found.delete(oldest);
    return view;
  }
}

function keyOf(days: number, project: string | undefined): string {
  return `${days} ${project ?? ''}`;
}

function reading(read: number, all: number): AuditView {
  const words =
    all === 0 ? 'Looking for transcripts …' : `Reading transcripts: ${sayBytes(read)} of ${sayBytes(all)}`;
  return { state: 'running', share: all === 0 ? 0 : Math.min(1, read / all), words, findings: [] };
}
