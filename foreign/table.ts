/** The rows as a table in Markdown, and what they come to. */
import { isCheat, isGreen, isHeld, type Row, type Stopped } from './row.ts';

const HEAD = [
  ...['project', 'commit', 'licence', 'kind', 'own tests', 'contract', 'green at once', 'setup'],
  ...['commit ends as', 'first Stop', 'second Stop', 'cheat', 'its Stop'],
];

export function table(rows: readonly Row[]): string[] {
  const cells = [HEAD, HEAD.map(() => '---'), ...rows.map(cellsOf)];
  const widths = HEAD.map((_, n) => Math.max(...cells.map((row) => row[n]?.length ?? 0)));
  return cells.map((row) =>
    `| ${row.map((cell, n) => (cell === '---' ? '-'.repeat(widths[n] ?? 3) : cell.padEnd(widths[n] ?? 0))).join(' | ')} |`.trimEnd(),
  );
}

function cellsOf(row: Row): string[] {
  const { test, contract, setup, honest, again, cheat } = row;
  const source = [row.name, commitOf(row), row.licence, row.ecosystem];
  if (row.result === 'not played') return [...source, 'not played', ...Array(8).fill('')];
  const reached = [
    ...source,
    test ? `${test.first.seconds} s, ${test.again.seconds} s` : '',
    contract ? (contract.wrong.length === 0 ? 'right' : 'not right') : '',
    setup ? (isGreen(row) ? 'green' : 'not green') : '',
    setup ? `${setup.seconds} s` : '',
    ...(honest ? [honest.ending, beside(honest)] : ['', '']),
    again ? beside(again) : '',
    ...(cheat ? [cheatCell(row, cheat), beside(cheat)] : [row.shown ? 'is none' : '', '']),
  ];
  return row.result === 'broken' ? reached.map((cell) => cell || 'broken') : reached;
}

function commitOf({ commit, scale }: Row): string {
  return scale === undefined ? commit.slice(0, 12) : `made, size ${scale}`;
}

/** What holds the commit as well says nothing by holding the cheat. */
function cheatCell({ honest }: Row, cheat: Stopped): string {
  if (!isHeld(cheat)) return cheat.ending;
  return honest?.ending === 'verified_done' ? 'held' : 'held, as the commit';
}

function beside({ seconds, test }: Stopped): string {
  return `${seconds} s / ${test.seconds} s = ${ratio(seconds, test.seconds)}`;
}

function ratio(seconds: number, test: number): string {
  return test === 0 ? '-' : (seconds / test).toFixed(1);
}

/** What is not as it should be, project by project, in the words that were printed. */
export function details(rows: readonly Row[]): string[] {
  return rows.flatMap((row) => {
    const lines = detailsOf(row);
    return lines.length === 0 ? [] : [`${row.name}:`, ...lines.map((line) => `  ${line}`)];
  });
}

function detailsOf({ result, why, contract, setup, honest, again, cheat, shown }: Row): string[] {
  if (result === 'not played') return [`${result}: ${why ?? ''}`];
  const red = (setup?.gates ?? []).filter(({ verdict }) => verdict === 'fail' || verdict === 'unproven');
  const stops = [honest, again].filter((stop) => stop !== undefined);
  const held = stops.filter(({ ending }) => ending !== 'verified_done');
  return [
    ...(result === 'broken' ? [`${result}: ${why ?? ''}`] : []),
    ...(contract?.wrong ?? []).map((text) => `contract: ${text}`),
    ...red.map(({ name, verdict, summary }) => `setup: ${verdict} ${name}: ${firstLines(summary, 3)}`),
    ...held.map(
      ({ ending, gates, said }) => `commit: ${ending} by ${gates.join(', ')}: ${firstLines(said, 6)}`,
    ),
    ...stops.flatMap(({ refused }) => refused.map((text) => `refused: ${firstLines(text, 2)}`)),
    ...(cheat && !isHeld(cheat) ? [`cheat: ended as ${cheat.ending}`] : []),
    ...(shown && !isCheat(shown)
      ? [
          `cheat: is none: broken code ends the tests with ${shown.broken.code}, hidden with ${shown.hidden.code}`,
        ]
      : []),
  ];
}

function firstLines(text: string, count: number): string {
  return text
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, count)
    .join(' | ')
    .slice(0, 700);
}

export function closingLine(rows: readonly Row[]): string {
  const played = rows.filter(({ result }) => result !== 'not played');
  const count = (test: (row: Row) => boolean) => played.filter(test).length;
  const programs = [...new Set(played.map(({ program }) => program))];
  const kinds = new Set(played.map(({ ecosystem }) => ecosystem)).size;
  return [
    `${played.length} of ${rows.length} played, of ${kinds} kinds${programs.length === 0 ? '' : `, with untildone at ${programs.join(', ')}`}`,
    `contract right in ${count(({ contract }) => contract?.wrong.length === 0)}`,
    `green at once in ${count(isGreen)}`,
    `commit verified in ${count(isVerified)}`,
    `cheat held in ${count(isCheatHeld)}, in ${count((row) => isVerified(row) && isCheatHeld(row))} of these verified`,
  ].join('; ');
}

function isVerified({ honest }: Row): boolean {
  return honest?.ending === 'verified_done';
}

function isCheatHeld({ cheat }: Row): boolean {
  return cheat !== undefined && isHeld(cheat);
}
