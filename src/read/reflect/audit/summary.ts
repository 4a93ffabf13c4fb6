/** Puts the audited sessions together to figures. Pure: what is asked of the disk comes in. */

import type { CheckKind } from '../../../engine/core/commands/check-names.ts';
import type { AuditedTurn, SessionAudit } from './audit-session.ts';
import type { Masking, TurnClass } from './turn.ts';

export const CLASSES: readonly TurnClass[] = ['verified', 'stale', 'failed', 'masked', 'never_ran'];

export type ClassCounts = Record<TurnClass, number>;

/** A turn that counts, with the class that it has at last. */
export interface CountedTurn extends AuditedTurn {
  class: TurnClass;
  masking?: Masking;
  project: string;
}

export interface Group {
  /** The path of a project, or the Monday of a week. */
  key: string;
  counts: ClassCounts;
  total: number;
}

export interface AuditSummary {
  counts: ClassCounts;
  total: number;
  /** Turns that edited files and are no claim, or nothing that a check is about. */
  notCounted: { asked: number; admitted: number; cut_off: number; prose: number };
  withoutEdits: number;
  byProject: Group[];
  byWeek: Group[];
  /** How the masked ones were masked. */
  maskings: { masking: Masking; count: number }[];
  /** Unverified turns of projects in which a check is known. */
  wouldHold: number;
  /** Those with a time that has not come yet. */
  fromTheFuture: number;
  turns: CountedTurn[];
  sessions: number;
  bytes: number;
  lines: number;
  badLines: number;
  problems: { path: string; why: string }[];
}

export interface AboutProjects {
  now: number;
  /** Kinds of checks that a project has, by its own files. */
  checksOf(project: string): readonly CheckKind[];
}

/** Collects sessions in any order: the figures do not depend on it. */
export class AuditCollector {
  private readonly audits: SessionAudit[] = [];

  add(audit: SessionAudit): void {
    this.audits.push(audit);
  }

  summary(about: AboutProjects): AuditSummary {
    const known = new KnownChecks(this.audits, about);
    const all = onceEach(this.audits.flatMap(({ turns }) => turns));
    const claims = all.filter(({ ending, prose }) => ending === 'claim' && !prose);
    const turns = claims.map((turn) => counted(turn, known)).sort(byTime);
    const counts = countsOf(turns);
    const sum = (of: (audit: SessionAudit) => number) => this.audits.reduce((n, audit) => n + of(audit), 0);
    return {
      counts,
      total: turns.length,
      notCounted: {
        asked: all.filter(({ ending }) => ending === 'asked').length,
        admitted: all.filter(({ ending }) => ending === 'admitted').length,
        cut_off: all.filter(({ ending }) => ending === 'cut_off').length,
        prose: all.filter(({ ending, prose }) => ending === 'claim' && prose).length,
      },
      withoutEdits: sum((audit) => audit.withoutEdits),
      byProject: groups(turns, ({ project }) => project).sort(
        (a, b) => b.total - a.total || compare(a.key, b.key),
      ),
      byWeek: groups(turns, ({ endedAt }) => (endedAt === undefined ? undefined : mondayOf(endedAt))).sort(
        (a, b) => compare(a.key, b.key),
      ),
      maskings: maskingsOf(turns),
      wouldHold: turns.filter((turn) => turn.class !== 'verified' && known.any(turn.project)).length,
      fromTheFuture: turns.filter(({ endedAt }) => (endedAt ?? 0) > about.now + DAY).length,
      turns,
      sessions: this.audits.length,
      bytes: sum(({ bytes }) => bytes),
      lines: sum(({ lines }) => lines),
      badLines: sum(({ badLines }) => badLines),
      problems: this.audits.flatMap(({ problems }) => problems),
    };
  }
}

const DAY = 86_400_000;
const UNKNOWN = '(unknown folder)';

/** The checks that a project has, as its sessions or its files show. */
class KnownChecks {
  private readonly seen = new Map<string, Set<CheckKind>>();
  private readonly about: AboutProjects;

  constructor(audits: readonly SessionAudit[], about: AboutProjects) {
    this.about = about;
    for (const [project, kinds] of audits.flatMap(({ wide }) => Object.entries(wide)))
      this.seen.set(project, new Set([...(this.seen.get(project) ?? []), ...kinds]));
  }

  any(project: string): boolean {
    return (this.seen.get(project)?.size ?? 0) > 0 || this.about.checksOf(project).length > 0;
  }

  has(project: string, kinds: readonly CheckKind[]): boolean {
    const there = [...(this.seen.get(project) ?? []), ...this.about.checksOf(project)];
    return there.some((kind) => kind === 'all' || kinds.includes(kind));
  }
}

function counted(turn: AuditedTurn, known: KnownChecks): CountedTurn {
  const { judged } = turn;
  const project = turn.cwd ?? UNKNOWN;
  const isWidest = judged?.ifNothingWider === true && !known.has(project, judged.run?.kinds ?? []);
  const found = isWidest ? 'verified' : (judged?.class ?? 'never_ran');
  return { ...turn, project, class: found, masking: isWidest ? undefined : judged?.masking };
}

/** A fork or a copy of a session repeats its turns. The one that went on longest counts. */
function onceEach(turns: readonly AuditedTurn[]): AuditedTurn[] {
  const kept = new Map<string, AuditedTurn>();
  for (const turn of turns) {
    const key = turn.uuid ?? `${turn.session}:${turn.line}`;
    const other = kept.get(key);
    const isLonger =
      (turn.endedAt ?? 0) - (other?.endedAt ?? 0) || compare(other?.session ?? '', turn.session);
    if (!other || isLonger > 0) kept.set(key, turn);
  }
  return [...kept.values()];
}

function groups(turns: readonly CountedTurn[], keyOf: (turn: CountedTurn) => string | undefined): Group[] {
  const found = new Map<string, CountedTurn[]>();
  for (const turn of turns) {
    const key = keyOf(turn);
    if (key === undefined) continue;
    const own = found.get(key);
    if (own) own.push(turn);
    else found.set(key, [turn]);
  }
  return [...found].map(([key, own]) => ({ key, counts: countsOf(own), total: own.length }));
}

function countsOf(turns: readonly CountedTurn[]): ClassCounts {
  const counts: ClassCounts = { verified: 0, stale: 0, failed: 0, masked: 0, never_ran: 0 };
  for (const turn of turns) counts[turn.class]++;
  return counts;
}

function maskingsOf(turns: readonly CountedTurn[]): AuditSummary['maskings'] {
  const found = new Map<Masking, number>();
  for (const { masking } of turns) if (masking) found.set(masking, (found.get(masking) ?? 0) + 1);
  return [...found]
    .map(([masking, count]) => ({ masking, count }))
    .sort((a, b) => b.count - a.count || compare(a.masking, b.masking));
}

/** The Monday of a week, in the time of this machine. */
function mondayOf(at: number): string {
  const day = new Date(at);
  day.setDate(day.getDate() - ((day.getDay() + 6) % 7));
  const two = (n: number) => String(n).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

function byTime(a: CountedTurn, b: CountedTurn): number {
  return (b.endedAt ?? 0) - (a.endedAt ?? 0) || compare(a.session, b.session) || b.line - a.line;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
