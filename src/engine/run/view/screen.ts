/** Draws the live view of a run as lines of text. Pure: the same model, size and time give the same lines. */

import { elapsedMs } from '../../core/loop/limits.ts';
import { contextWindow } from '../../core/loop/transcript.ts';
import { sayDuration } from '../../core/text/duration.ts';
import { momentOf } from '../../core/text/moment.ts';
import { type Style, styled, VERDICT_STYLES } from '../../terminal/style.ts';
import { columnsOf, cutTo } from '../../terminal/text.ts';
import { ofLimit, positionWords, sessionNumber, spentWords, stopwatch, tokensOf } from './format-figures.ts';
import type { RunViewModel } from './view-model.ts';
import { isOpen } from './words.ts';

export interface ScreenSize {
  columns: number;
  /** The most lines that the view may use. */
  rows: number;
}

interface Span {
  text: string;
  style?: Style;
}
type Row = readonly Span[];

const LABEL = 10;
const GAUGE = 20;
const NAME = 16;
/** The mark and the word say the same as the colour. */
const MARKS = { pass: '✓', fail: '✗', unproven: '?', skip: '-' } as const;

const LEAST = { blank: false, evidence: false, closed: false, task: false } as const;
/** What is shown, from much room to little. */
const DENSITIES = [
  { blank: true, evidence: true, closed: true, task: true },
  { blank: false, evidence: true, closed: true, task: true },
  { blank: false, evidence: false, closed: true, task: true },
  { blank: false, evidence: false, closed: false, task: true },
  LEAST,
] as const;
type Density = (typeof DENSITIES)[number];

export function screenLines(view: RunViewModel, size: ScreenSize, now: number, colour: boolean): string[] {
  const rows = roomFor(view, size.rows, now);
  return rows.map((row) => drawn(row, size.columns, colour));
}

function roomFor(view: RunViewModel, most: number, now: number): Row[] {
  for (const density of DENSITIES) {
    const rows = rowsOf(view, now, density);
    if (rows.length <= most) return rows;
  }
  // With hardly any room: the position, the current action, and as many gates as fit.
  const rows = [headRow(view), doingRow(view, now), ...gateRows(view, LEAST)];
  if (rows.length <= most) return rows;
  const hidden: Row = [{ text: `${rows.length - most + 1} more`, style: 'quiet' }];
  return most < 3 ? rows.slice(0, most) : [...rows.slice(0, most - 1), labelled('', hidden)];
}

function rowsOf(view: RunViewModel, now: number, density: Density): Row[] {
  const { task, next } = view;
  return [
    ...(density.blank ? [[]] : []),
    headRow(view),
    ...(density.task && task ? [labelled('task', [{ text: task }])] : []),
    ...(next ? [labelled('next', [{ text: next }])] : []),
    ...gateRows(view, density),
    ...contextRows(view),
    ...spentRows(view, now),
    ...childRows(view, now),
    doingRow(view, now),
  ];
}

function headRow({ loop, state }: RunViewModel): Row {
  const place = state
    ? `${positionWords(state)}, session ${sessionNumber(state)} (${state.session.slice(0, 8)})`
    : 'getting ready';
  return [{ text: `run ${loop ?? ''}`.trimEnd(), style: 'bold' }, { text: `  ${place}` }];
}

function gateRows(
  { gates }: RunViewModel,
  { closed, evidence }: Pick<Density, 'closed' | 'evidence'>,
): Row[] {
  const shown = closed ? gates : gates.filter(isOpen);
  const width = Math.min(NAME, Math.max(0, ...shown.map((g) => columnsOf(g.name))));
  const rows = shown.flatMap((gate): Row[] => {
    const mark = MARKS[gate.verdict];
    const style = VERDICT_STYLES[gate.verdict];
    const name = cutTo(gate.name, NAME);
    const padding = ' '.repeat(Math.max(0, width - columnsOf(name)));
    const said = gate.class === 'measured' ? gate.summary : `(${gate.class}) ${gate.summary}`;
    const row = [
      { text: `${mark} ${gate.verdict.padEnd(8)}`, style },
      { text: `  ${name}${padding}  ${said}` },
    ];
    const proof: Span = { text: `${' '.repeat(LABEL + 2)}${gate.evidence}`, style: 'quiet' };
    return evidence && gate.evidence !== undefined ? [row, [proof]] : [row];
  });
  const hidden = gates.length - shown.length;
  if (hidden > 0) rows.push([{ text: `${hidden} more do not fail`, style: 'quiet' }]);
  return rows.map((row, index) => labelled(index === 0 ? 'gates' : '', row));
}

function contextRows({ context, limits }: RunViewModel): Row[] {
  if (!context) return [];
  const window = contextWindow(context.model);
  const share = Math.min(1, context.tokens / window);
  const filled = Math.round(share * GAUGE);
  const gauge = `[${'#'.repeat(filled)}${'.'.repeat(GAUGE - filled)}]`;
  const near = limits !== undefined && share >= limits.context;
  const over = limits === undefined ? '' : `, hands over at ${percent(limits.context)}`;
  return [
    labelled('context', [
      near ? { text: gauge, style: 'open' } : { text: gauge },
      { text: ` ${percent(share)} of ${tokensOf(window)} (${context.model})${over}` },
    ]),
  ];
}

function spentRows({ state, limits }: RunViewModel, now: number): Row[] {
  if (!state) return [];
  const time = `${stopwatch(elapsedMs(state, now) / 1000)}${ofLimit(limits?.durationMs, sayDuration)}`;
  return [labelled('spent', [{ text: `${spentWords(state, limits)}, ${time}` }])];
}

function doingRow({ waiting, calls, doing }: RunViewModel, now: number): Row {
  if (waiting && waiting.until === undefined)
    return labelled('waiting', [{ text: waiting.why, style: 'open' }]);
  if (waiting?.until !== undefined) {
    const left =
      waiting.until > now ? `${stopwatch(Math.ceil((waiting.until - now) / 1000))} left` : 'any moment';
    return labelled('waiting', [
      { text: `${left}, until ${momentOf(waiting.until, now)}`, style: 'open' },
      { text: `: ${waiting.why}` },
    ]);
  }
  const call = calls.at(-1);
  const { what, since } = call ?? doing;
  const more = calls.length > 1 ? ` (and ${calls.length - 1} more)` : '';
  return labelled('now', [{ text: `${stopwatch((now - since) / 1000)}  ${what}${more}` }]);
}

/** One line for each child: its position, its gates, and what it does. */
function childRows({ children }: RunViewModel, now: number): Row[] {
  return [...children].map(([piece, { state, gates, waiting, calls, doing }], index): Row => {
    const open = gates.filter(isOpen).length;
    const { what, since } = calls.at(-1) ?? doing;
    const at = state ? `${positionWords(state)}, ${gates.length - open} of ${gates.length} gates, ` : '';
    const doingNow = waiting ? `waiting: ${waiting.why}` : `${stopwatch((now - since) / 1000)}  ${what}`;
    return labelled(index === 0 ? 'children' : '', [
      { text: `[${cutTo(piece, NAME)}] `, style: 'bold' },
      { text: `${at}${doingNow}` },
    ]);
  });
}

function labelled(label: string, row: Row): Row {
  return [{ text: label.padEnd(LABEL), style: 'quiet' }, ...row];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Cuts a row to the width of the terminal; colours take no width. */
function drawn(row: Row, columns: number, colour: boolean): string {
  let left = columns;
  let line = '';
  for (const span of row) {
    const text = cutTo(span.text, left);
    left -= columnsOf(text);
    line += colour && span.style !== undefined ? styled(span.style, text) : text;
    if (text !== span.text) break;
  }
  return line.trimEnd();
}
