/** The page of an audit for a terminal. */

import { basename } from 'node:path';
import { sayBytes } from '../../../engine/core/text/bytes.ts';
import { dateOf } from '../../../engine/core/text/moment.ts';
import type { Style } from '../../../engine/terminal/style.ts';
import { columnsOf, cutTo, harmless, wrapLine } from '../../../engine/terminal/text.ts';
import type { Printer } from '../printer.ts';
import { type AuditScope, sayScope } from './scope-words.ts';
import { type AuditSummary, CLASSES, type ClassCounts, type CountedTurn, type Group } from './summary.ts';
import type { TurnClass } from './turn.ts';
import { CLASS_NAMES, CLASS_SHORT, MASKING_MEANS, share, whyClass, wouldHaveHeld } from './words.ts';

type Paint = Printer['paint'];

const STYLES: Record<TurnClass, Style> = {
  verified: 'good',
  stale: 'open',
  failed: 'bad',
  masked: 'model',
  never_ran: 'aside',
};
/** A class is told apart without colours, too. */
const MARKS: Record<TurnClass, string> = {
  verified: '█',
  stale: '▓',
  failed: '▚',
  masked: '▒',
  never_ran: '░',
};
const BAR = 22;
const MOST_PROJECTS = 8;
const MOST_WEEKS = 10;
const MOST_EXAMPLES = 5;

export function pageLines(summary: AuditSummary, scope: AuditScope, columns: number, paint: Paint): string[] {
  const width = Math.max(60, Math.min(columns, 110));
  const head = `${paint('bold', 'untildone audit')}  ${paint('quiet', sayScope(summary, scope))}`;
  if (summary.total === 0)
    return [head, '', ...nothingCounted(summary, width), ...notes(summary, width, paint)];
  return [
    head,
    '',
    ...figure(summary, paint),
    '',
    ...CLASSES.map((name) => classLine(name, summary, width, paint)),
    ...maskings(summary, width, paint),
    ...groupLines(
      'By project',
      named(summary.byProject).slice(0, MOST_PROJECTS),
      summary.byProject.length,
      paint,
    ),
    ...groupLines('By week', summary.byWeek.slice(-MOST_WEEKS).map(weekNamed), summary.byWeek.length, paint),
    ...worst(summary, scope.now, width, paint),
    '',
    ...ending(summary, width, paint),
    ...notes(summary, width, paint),
  ];
}

/** The one figure, large enough to be seen first. */
function figure({ counts, total }: AuditSummary, paint: Paint): string[] {
  const style = counts.verified * 2 >= total ? 'good' : 'bad';
  const rows = bigText(share(counts.verified, total).replace('under 1 %', '<1 %').replace(' ', ''));
  const beside = [
    '',
    'of all claims of "done" had a passing check behind them:',
    `${counts.verified} of ${total} turns that edited files and ended with a claim.`,
  ];
  return rows.map((row, i) => `  ${paint(style, row)}   ${beside[i] ?? ''}`.trimEnd());
}

const DIGITS: Record<string, readonly string[]> = {
  '0': ['▄▀▀▄', '█  █', '▀▄▄▀'],
  '1': ['▄█ ', ' █ ', '▄█▄'],
  '2': ['▄▀▀▄', '  ▄▀', '▄█▄▄'],
  '3': ['▀▀▀▄', ' ▀▀▄', '▄▄▄▀'],
  '4': ['▄  ▄', '█▄▄█', '   █'],
  '5': ['█▀▀▀', '▀▀▀▄', '▄▄▄▀'],
  '6': ['▄▀▀▀', '█▀▀▄', '▀▄▄▀'],
  '7': ['▀▀▀█', '  ▄▀', ' ▄▀ '],
  '8': ['▄▀▀▄', '▄▀▀▄', '▀▄▄▀'],
  '9': ['▄▀▀▄', '▀▄▄█', '▄▄▄▀'],
  '%': ['█ ▄▀', ' ▄▀ ', '▄▀ █'],
  '<': ['  ▄▀', '▄▀  ', ' ▀▄ '],
};

function bigText(text: string): string[] {
  return [0, 1, 2].map((row) => [...text].map((char) => DIGITS[char]?.[row] ?? '').join(' '));
}

function classLine(name: TurnClass, { counts, total }: AuditSummary, width: number, paint: Paint): string {
  const filled = Math.round((BAR * counts[name]) / total);
  const bar = MARKS[name].repeat(counts[name] > 0 ? Math.max(1, filled) : 0);
  const start = `  ${CLASS_NAMES[name].padEnd(10)} ${String(counts[name]).padStart(5)}  `;
  const part = share(counts[name], total).padStart(9);
  const means = cutTo(CLASS_SHORT[name], Math.max(0, width - columnsOf(start) - BAR - 11));
  return `${start}${paint(STYLES[name], bar)}${' '.repeat(BAR - columnsOf(bar))}${part}  ${paint('quiet', means)}`.trimEnd();
}

function maskings({ maskings: found }: AuditSummary, width: number, paint: Paint): string[] {
  if (found.length === 0) return [];
  const lines = found
    .slice(0, 6)
    .map(({ masking, count }) => cutTo(`  ${String(count).padStart(16)}  ${MASKING_MEANS[masking]}`, width));
  return ['', paint('bold', 'How failures were masked'), ...lines];
}

interface NamedGroup extends Group {
  name: string;
}

/** The last part of a path is enough, where it is the only one. */
function named(groups: readonly Group[]): NamedGroup[] {
  const names = groups.map(({ key }) => basename(key));
  return groups.map((group, i) => {
    const name = names[i] ?? '';
    return {
      ...group,
      name: names.filter((other) => other === name).length > 1 || name === '' ? group.key : name,
    };
  });
}

function weekNamed(group: Group): NamedGroup {
  return { ...group, name: group.key };
}

function groupLines(title: string, groups: readonly NamedGroup[], all: number, paint: Paint): string[] {
  if (groups.length === 0 || all < 2) return [];
  const lines = groups.map(({ name, counts, total }) => {
    const label = cutTo(harmless(name), 22);
    const start = `  ${label}${' '.repeat(22 - columnsOf(label))} ${String(total).padStart(4)}  `;
    return `${start}${stacked(counts, total, BAR, paint)}  ${share(counts.verified, total)} verified`;
  });
  const left = all - groups.length;
  return ['', paint('bold', title), ...lines, ...(left > 0 ? [paint('quiet', `  and ${left} more`)] : [])];
}

/** All classes in one bar of a fixed length. */
function stacked(counts: ClassCounts, total: number, length: number, paint: Paint): string {
  let before = 0;
  let used = 0;
  return CLASSES.map((name) => {
    before += counts[name];
    const end = Math.round((length * before) / total);
    const part = MARKS[name].repeat(end - used);
    used = end;
    return part === '' ? '' : paint(STYLES[name], part);
  }).join('');
}

/** The newest of the worst classes. */
function worst({ turns }: AuditSummary, now: number, width: number, paint: Paint): string[] {
  const order: readonly TurnClass[] = ['failed', 'masked', 'stale', 'never_ran'];
  const found = order
    .flatMap((name) => turns.filter((turn) => turn.class === name).slice(0, 2))
    .slice(0, MOST_EXAMPLES);
  if (found.length === 0) return [];
  return [
    '',
    paint('bold', 'The newest of the worst'),
    ...found.flatMap((turn) => example(turn, now, width, paint)),
  ];
}

function example(turn: CountedTurn, now: number, width: number, paint: Paint): string[] {
  const when = turn.endedAt === undefined ? '' : `${dateOf(turn.endedAt, now)}  `;
  const prompt = harmless(turn.prompt);
  const ran = turn.judged?.run ? `: ${harmless(turn.judged.run.command)}` : '';
  const mark = paint(STYLES[turn.class], CLASS_NAMES[turn.class].padEnd(10));
  return [
    `  ${mark} ${when}${harmless(basename(turn.project))}  ${cutTo(`"${prompt}"`, Math.max(20, width - 50))}`,
    paint('quiet', cutTo(`             ${whyClass(turn)}${ran}`, width)),
  ];
}

function ending({ total, counts, wouldHold }: AuditSummary, width: number, paint: Paint): string[] {
  const open = total - counts.verified;
  if (open === 0)
    return wrapLine('Every claim had a passing check behind it. Keep it so: npx untildone setup', width);
  const command = paint('bold', 'npx untildone setup');
  const said =
    wouldHold === 0
      ? `In none of these projects is a check known: begin with a test that can be run.`
      : wouldHaveHeld(open, wouldHold);
  return [
    ...wrapLine(said, width),
    '',
    `    ${command}`,
    '',
    paint('quiet', 'Every figure can be opened: untildone audit --show masked'),
  ];
}

function nothingCounted(summary: AuditSummary, width: number): string[] {
  return wrapLine(
    `No turn edited files and ended with a claim, in ${summary.sessions} session${summary.sessions === 1 ? '' : 's'}. ` +
      `There is nothing to count yet.`,
    width,
  );
}

function notes(summary: AuditSummary, width: number, paint: Paint): string[] {
  const { asked, admitted, cut_off, prose } = summary.notCounted;
  const left = [
    [asked, 'ended with a question'],
    [admitted, 'said that something is open'],
    [cut_off, 'were cut off'],
    [prose, 'edited only Markdown and the like'],
  ] as const;
  const named = left.filter(([count]) => count > 0).map(([count, why]) => `${count} ${why}`);
  const damaged = summary.badLines > 0 ? [`${summary.badLines} damaged lines were passed over.`] : [];
  const future =
    summary.fromTheFuture > 0
      ? [`${summary.fromTheFuture} turns are dated in the future: a clock was wrong.`]
      : [];
  const unread = summary.problems
    .slice(0, 3)
    .map(({ path, why }) => `${harmless(path)} cannot be read (${harmless(why)}).`);
  const lines = [
    ...(named.length > 0 ? [`Not counted: ${named.join(', ')}.`] : []),
    ...damaged,
    ...future,
    ...unread,
    ...(summary.problems.length > 3 ? [`${summary.problems.length - 3} more files cannot be read.`] : []),
    `Read: ${summary.sessions} sessions, ${sayBytes(summary.bytes)}. Nothing has left this machine.`,
  ];
  return ['', ...lines.flatMap((line) => wrapLine(line, width)).map((line) => paint('quiet', line))];
}
