/** An audit for programs. Without evidence there are only counts. */
import { harmless } from '../../../engine/terminal/text.ts';
import type { AuditScope } from './scope-words.ts';
import { type AuditSummary, CLASSES, type CountedTurn, type Group } from './summary.ts';

export function auditJson(
  summary: AuditSummary,
  scope: AuditScope,
  evidence: boolean,
): Record<string, unknown> {
  return {
    audited_at: new Date(scope.now).toISOString(),
    since: scope.sinceMs === undefined ? null : new Date(scope.now - scope.sinceMs).toISOString(),
    total: summary.total,
    ...summary.counts,
    verified_share:
      summary.total === 0 ? null : Math.round((1000 * summary.counts.verified) / summary.total) / 1000,
    would_hold: summary.wouldHold,
    maskings: Object.fromEntries(summary.maskings.map(({ masking, count }) => [masking, count])),
    not_counted: { ...summary.notCounted, no_edits: summary.withoutEdits },
    projects: summary.byProject.map((group, i) => ({
      project: evidence ? harmless(group.key) : `project ${i + 1}`,
      ...figures(group),
    })),
    weeks: summary.byWeek.map((group) => ({ week: group.key, ...figures(group) })),
    sessions: summary.sessions,
    bytes: summary.bytes,
    lines: summary.lines,
    bad_lines: summary.badLines,
    unreadable: summary.problems.length,
    from_the_future: summary.fromTheFuture,
    took_ms: Math.round(scope.tookMs),
  };
}

function figures({ total, counts }: Group): Record<string, number> {
  return { total, ...Object.fromEntries(CLASSES.map((name) => [name, counts[name]])) };
}

export function evidenceJson(turns: readonly CountedTurn[]): Record<string, unknown>[] {
  return turns.map((turn) => {
    const { judged, lastEdit } = turn;
    const run = judged?.run;
    const at = (file: number, line: number) => ({ transcript: turn.files[file] ?? null, line });
    return {
      class: turn.class,
      masking: turn.masking ?? null,
      session: turn.session,
      project: harmless(turn.project),
      ended_at: turn.endedAt === undefined ? null : new Date(turn.endedAt).toISOString(),
      prompt: harmless(turn.prompt),
      edited: turn.edited,
      ...at(0, turn.line),
      last_edit: lastEdit
        ? { tool: lastEdit.tool, path: harmless(lastEdit.path), ...at(lastEdit.file, lastEdit.line) }
        : null,
      check: run
        ? {
            command: harmless(run.command),
            result: run.result,
            narrow: run.narrow,
            ...at(run.file, run.line),
          }
        : null,
    };
  });
}
