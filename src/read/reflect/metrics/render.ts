/** The figures as a page for a terminal: short tables, bars, and a line of days. */

import { ENDINGS } from '../../../engine/core/loop/state.ts';
import { dateOf } from '../../../engine/core/text/moment.ts';
import { paint, statusStyle } from '../../../engine/terminal/style.ts';
import { columnsOf, cutTo, harmless } from '../../../engine/terminal/text.ts';
import type { Figures } from './figures.ts';
import type { Gathered } from './gather.ts';
import type { Counts, Spread } from './spread.ts';
import { daysOf, gatesByHolds, type StatsPeriod } from './stats-json.ts';

const MOST_ROWS = 12;
const NAME_COLUMNS = 22;
/** On a narrower terminal there are no bars, and only the most important columns. */
const ROOM_FOR_BARS = 60;
const BAR_COLUMNS = 20;

export function renderStats({ figures, read }: Gathered, period: StatsPeriod, width: number): string[] {
  const where = period.project === undefined ? 'all projects' : harmless(period.project);
  const head = `${where}, since ${dateOf(period.since, period.until)}`;
  if (isEmpty(figures)) return [head, '', ...EMPTY];
  const sections = [
    loopLines(figures, width),
    stopLines(figures, width),
    gateLines(figures, width),
    hookLines(figures, width),
    toolLines(figures, width),
    otherLines(figures),
  ].filter((lines) => lines.length > 0);
  const unread =
    read.unreadable > 0 ? ['', `${read.unreadable} journals, transcripts or lines could not be read.`] : [];
  return [head, ...sections.flatMap((lines) => ['', ...lines]), ...unread].map((line) =>
    painted(inWidth(line, width)),
  );
}

const EMPTY = [
  'Nothing to count here yet: no loop, and no event that a hook of untildone answered.',
  'Figures come by themselves once a session is held: untildone setup, then untildone start "what is to be done".',
  'Of all projects: untildone stats --all. Of a longer time: untildone stats --since 365d.',
];

function isEmpty({ loops, hooks }: Figures): boolean {
  return loops.total === 0 && hooks.size === 0;
}

const HEADS = /^(?:Loops|Stops|Gates|Hooks|Tools|Sessions)\b/;

/** Paints a line that has its width already. */
function painted(line: string): string {
  if (HEADS.test(line)) return line.replace(HEADS, (head) => paint('bold', head));
  const [, name] = /^ {2}(\w+) /.exec(line) ?? [];
  if (name === undefined || !isEnding(name)) return line;
  return `  ${paint(statusStyle(name), name)}${line.slice(2 + name.length)}`;
}

function isEnding(name: string): boolean {
  return (ENDINGS as readonly string[]).includes(name);
}

function inWidth(line: string, width: number): string {
  return columnsOf(line) <= width ? line : cutTo(line, width);
}

function loopLines({ loops, iterations }: Figures, width: number): string[] {
  const { total, active, paused, endings } = loops;
  if (total === 0) return [];
  const open = [...(active > 0 ? [`${active} active`] : []), ...(paused > 0 ? [`${paused} paused`] : [])];
  const until = iterations.count > 0 ? `; done in ${spreadWords(iterations, plain)} iterations` : '';
  return [
    `Loops  ${total}${open.length > 0 ? ` (${open.join(', ')})` : ''}${until}`,
    ...barLines(endings, width),
  ];
}

function stopLines(figures: Figures, width: number): string[] {
  const { calls, holds, allows, ends } = figures.stops;
  if (calls === 0) return [];
  const share = Math.round((100 * holds) / calls);
  const days = daysOf(figures);
  const first = days[0]?.at ?? 0;
  const chart = sparkline(
    days.map(({ holds: held }) => held),
    Math.max(8, Math.min(60, width - 30)),
  );
  const named = (counts: Counts) =>
    counts
      .sorted()
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  return [
    `Stops  ${calls}, held ${holds} (${share} %)`,
    ...(days.length > 1 ? [`  holds a day  ${chart}  from ${dateOf(first, days.at(-1)?.at ?? first)}`] : []),
    ...(allows.total > 0 ? [`  waited: ${named(allows)}`] : []),
    ...(ends.total > 0 ? [`  ended: ${named(ends)}`] : []),
    ...refusedLine(figures),
  ];
}

function refusedLine({ guards }: Figures): string[] {
  if (guards.refused.total === 0) return [];
  const all = guards.refused.sorted().map(([event, count]) => `${count} ${event}`);
  return [`  refused besides: ${all.join(', ')}`];
}

function gateLines(figures: Figures, width: number): string[] {
  const gates = gatesByHolds(figures);
  if (gates.length === 0) return [];
  const most = Math.max(...gates.map(({ held }) => held));
  const rows = gates
    .slice(0, MOST_ROWS)
    .map(({ name, judged, held, reused, ms }) => [
      ...[`  ${named(name)}`, String(judged), String(held), String(reused), ...percentiles(ms, sayMs)],
      bar(held, most, width),
    ]);
  return table(['Gates', 'judged', 'held', 'reused', 'p50', 'p95', 'p99', ''], rows, width, gates.length);
}

function hookLines({ hooks }: Figures, width: number): string[] {
  const all = [...hooks.values()].sort((a, b) => b.calls - a.calls);
  if (all.length === 0) return [];
  const rows = all
    .slice(0, MOST_ROWS)
    .map(({ event, calls, answers, ms }) => [
      ...[`  ${named(event)}`, String(calls), String(answers.of('refuse')), ...percentiles(ms, sayMs)],
    ]);
  return table(['Hooks', 'calls', 'refused', 'p50', 'p95', 'p99'], rows, width, all.length);
}

function toolLines({ tools }: Figures, width: number): string[] {
  if (tools.calls.total === 0) return [];
  const kinds = tools.kinds.sorted().map(([kind, count]) => `${kind} ${count}`);
  return [
    `Tools  ${tools.calls.total} calls, ${tools.errors.total} failed: ${kinds.join(', ')}`,
    ...barLines(tools.calls, width),
  ];
}

function otherLines(figures: Figures): string[] {
  const { prompts, compactions, spent, models, sessions } = figures;
  const of = [...models].map(([model, { input, output, cacheRead, cacheCreation }]) => {
    const read = input + cacheRead + cacheCreation;
    return `  ${named(model)}  ${amount(read)} in (${amount(cacheRead)} from the cache), ${amount(output)} out`;
  });
  const estimated = spent.estimatedUsd > 0 ? `, ${usd(spent.estimatedUsd)} of it estimated` : '';
  const byAgents = spent.subagentTokens > 0 ? `, ${amount(spent.subagentTokens)} by subagents` : '';
  return [
    `Sessions  ${sessions.size}, ${compactions} ${compactions === 1 ? 'compaction' : 'compactions'}`,
    ...(prompts.count > 0 ? [`  prompts  ${prompts.count}, characters: ${spreadWords(prompts, plain)}`] : []),
    ...(spent.tokens > 0 ? [`  tokens of loops  ${amount(spent.tokens)}${byAgents}`] : []),
    ...(spent.costUsd > 0 ? [`  cost of loops  ${usd(spent.costUsd)}${estimated}`] : []),
    ...of,
  ];
}

function named(name: string): string {
  return cutTo(harmless(name), NAME_COLUMNS);
}

function barLines(counts: Counts, width: number): string[] {
  const all = counts.sorted();
  const most = all[0]?.[1] ?? 0;
  const rows = all.slice(0, MOST_ROWS).map(([name, count]) => {
    return `  ${pad(named(name), NAME_COLUMNS)} ${String(count).padStart(6)}  ${bar(count, most, width)}`.trimEnd();
  });
  const rest = all.slice(MOST_ROWS).reduce((sum, [, count]) => sum + count, 0);
  return rest === 0 ? rows : [...rows, `  ${pad('all others', NAME_COLUMNS)} ${String(rest).padStart(6)}`];
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

function bar(value: number, most: number, width: number): string {
  if (most <= 0 || value <= 0 || width < ROOM_FOR_BARS) return '';
  const eighths = Math.max(1, Math.round((8 * BAR_COLUMNS * value) / most));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}

const STEPS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** One character a value; where there are more values than room, neighbours are added up. */
export function sparkline(values: readonly number[], room: number): string {
  const size = Math.max(1, Math.ceil(values.length / Math.max(1, room)));
  const sums = Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size).reduce((sum, value) => sum + value, 0),
  );
  const most = Math.max(0, ...sums);
  return sums.map((sum) => STEPS[most === 0 ? 0 : Math.ceil((7 * sum) / most)] ?? '').join('');
}

/** Rows below a bold head, columns to the right but the first and a bar. Columns that have no room are left out. */
function table(head: readonly string[], rows: readonly string[][], width: number, all: number): string[] {
  const wide = width >= ROOM_FOR_BARS;
  const shown = head.map((title, column) => wide || column < 3 || title === 'p50');
  const columns = head.map((title, column) =>
    Math.max(columnsOf(title), ...rows.map((row) => columnsOf(row[column] ?? ''))),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => {
        const room = columns[column] ?? 0;
        return column === 0 || head[column] === ''
          ? pad(cell, room)
          : ' '.repeat(room - columnsOf(cell)) + cell;
      })
      .filter((_, column) => shown[column])
      .join('  ')
      .trimEnd();
  const more = all > rows.length ? [`  and ${all - rows.length} more: untildone stats --json`] : [];
  return [line(head), ...rows.map(line), ...more];
}

function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}

function percentiles(spread: Spread, say: (value: number) => string): string[] {
  return [0.5, 0.95, 0.99].map((share) => {
    const value = spread.at(share);
    return value === undefined ? '-' : say(value);
  });
}

function spreadWords(spread: Spread, say: (value: number) => string): string {
  const [half, most] = [spread.at(0.5) ?? 0, spread.at(0.95) ?? 0];
  return half === most ? say(half) : `${say(half)} (p95 ${say(most)})`;
}

function plain(value: number): string {
  return String(Math.round(value));
}

function sayMs(ms: number): string {
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${String(Math.floor((ms % 60_000) / 1000)).padStart(2, '0')} s`;
}

function amount(count: number): string {
  if (count < 10_000) return String(count);
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

function usd(value: number): string {
  return `${value.toFixed(2)} USD`;
}
