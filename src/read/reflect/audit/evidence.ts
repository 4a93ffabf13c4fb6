/** What stands behind a figure, turn by turn. */
import { dateOf } from '../../../engine/core/text/moment.ts';
import { cutTo, harmless } from '../../../engine/terminal/text.ts';
import type { Printer } from '../printer.ts';
import type { CountedTurn } from './summary.ts';
import { CLASS_NAMES, whyClass } from './words.ts';

export function evidenceLines(
  turns: readonly CountedTurn[],
  limit: number,
  { now, columns }: { now: number; columns: number },
  paint: Printer['paint'],
): string[] {
  if (turns.length === 0) return ['No such turn.'];
  const width = Math.max(60, columns);
  const shown = turns.slice(0, limit).flatMap((turn) => [...oneTurn(turn, now, width, paint), '']);
  const left = turns.length - limit;
  return [
    ...shown,
    left > 0 ? `${left} more: --limit ${turns.length} shows all.` : `${turns.length} in all.`,
  ];
}

function oneTurn(turn: CountedTurn, now: number, width: number, paint: Printer['paint']): string[] {
  const { judged, lastEdit } = turn;
  const when = turn.endedAt === undefined ? 'at an unknown time' : dateOf(turn.endedAt, now);
  const row = (name: string, text: string) =>
    `  ${paint('quiet', name.padEnd(9))} ${cutTo(text, width - 12)}`;
  const at = (file: number, line: number) => `${turn.files[file] ?? ''}:${line}`;
  const run = judged?.run;
  return [
    `${paint('bold', CLASS_NAMES[turn.class])}  ${when}  ${harmless(turn.project)}`,
    row('why', whyClass(turn)),
    row('prompt', `"${harmless(turn.prompt)}"`),
    ...(lastEdit ? [row('last edit', `${lastEdit.tool} ${harmless(lastEdit.path)}`)] : []),
    ...(run ? [row('check', `${harmless(run.command)}  (${run.result})`)] : []),
    row('session', turn.session),
    `  ${paint('quiet', 'from'.padEnd(9))} ${harmless(at(0, turn.line))}`,
    ...(run ? [`  ${paint('quiet', 'check at'.padEnd(9))} ${harmless(at(run.file, run.line))}`] : []),
  ];
}
