/** The overview as lines of a terminal, for `untildone status --watch`. Pure. */
import { oneLine } from '../../../engine/core/text/clip.ts';
import { sayDuration } from '../../../engine/core/text/duration.ts';
import { clockOf } from '../../../engine/core/text/moment.ts';
import { paint, paintStatus, VERDICT_STYLES } from '../../../engine/terminal/style.ts';
import { hasRowEnded, shownRows } from './overview.ts';
import type { LoopRow, Need } from './overview-types.ts';

const MARKS = { pass: '+', fail: 'x', unproven: '?', skip: '-' } as const;
const ENDED_SHOWN = 5;
const NEEDS_SHOWN = 6;

/** At most so many lines: what needs you first, then loops that have not ended, then the newest that have. */
export function watchLines(
  rows: readonly LoopRow[],
  needs: readonly Need[],
  most: number,
  now: number,
): string[] {
  const shown = shownRows(rows).loops;
  const open = shown.filter((row) => !hasRowEnded(row));
  const ended = shown.filter(hasRowEnded).slice(0, ENDED_SHOWN);
  const lines = [
    `${paint('bold', 'untildone')}  ${open.length} not ended, ${needs.length} for you  ${clockOf(now)}  (Ctrl-C ends)`,
    ...needs.slice(0, NEEDS_SHOWN).map((need) => needLine(need, now)),
    ...(needs.length > NEEDS_SHOWN
      ? [`  and ${needs.length - NEEDS_SHOWN} more for you: untildone status`]
      : []),
    ...(open.length + ended.length === 0
      ? ['No loops yet. Start one inside Claude Code: untildone start "what is to be done"']
      : []),
    ...[...open, ...ended].flatMap(rowLines),
  ];
  if (lines.length <= most) return lines;
  return [...lines.slice(0, Math.max(1, most - 1)), 'More than fits here: untildone status'];
}

function needLine({ title, loop, since, command }: Need, now: number): string {
  const where = loop === undefined ? '' : ` (${loop}, for ${sayDuration(Math.max(0, now - since))})`;
  return `${paint('open', '!')} ${oneLine(title, 200)}${where}${command === undefined ? '' : `: ${command}`}`;
}

function rowLines(row: LoopRow): string[] {
  const of = row.maxIterations === undefined ? '' : ` of ${row.maxIterations}`;
  const facts = [
    ...(row.iteration === undefined ? [] : [`iteration ${row.iteration}${of}`]),
    sayDuration(row.elapsedMs),
    ...(row.costUsd === undefined ? [] : [`${row.costUsd.toFixed(2)} USD`]),
    ...(row.context === undefined ? [] : [`context ${Math.round(row.context * 100)} %`]),
    row.gates
      .map(({ name, verdict }) => paint(VERDICT_STYLES[verdict], `${MARKS[verdict]}${name}`))
      .join(' '),
  ].filter((fact) => fact !== '');
  const indent = row.run?.parent === undefined ? '' : '  ';
  return [
    `${indent}${paint('bold', row.id)}  ${paintStatus(row.status)}  ${facts.join('  ')}`,
    `${indent}  ${oneLine(row.words, 200)}${row.requested ? ` (requested: ${row.requested.join(', ')})` : ''}  ${paint('quiet', oneLine(row.task, 80))}`,
  ];
}

/** One line about a loop that changed, for where nothing can be drawn again. */
export function changeLine(row: LoopRow, now: number): string {
  const of = row.maxIterations === undefined ? '' : ` of ${row.maxIterations}`;
  const iteration = row.iteration === undefined ? '' : `, iteration ${row.iteration}${of}`;
  return `${clockOf(now)}  ${row.id}  ${row.status}${iteration}: ${oneLine(row.words, 300)}`;
}
