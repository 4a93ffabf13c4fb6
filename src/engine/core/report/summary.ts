import type { Verdict } from '../loop/verdict.ts';
import { visible, visibleText } from '../text/visible.ts';
import { isOpen, withNotes } from './findings.ts';
import { contractNotes, type Report } from './report.ts';

/** A report as Markdown, for the summary of a job. Texts of others are shown as they are: they can format nothing. */

/** GitHub takes 1 MiB of a step, and nobody reads so much. */
const LONGEST = 200_000;
const MOST_LINES = 60;

const HEADS = ['done', 'NOT done', 'could not be judged'];
const MARKS: Record<Verdict['outcome'], string> = { pass: '✅', fail: '❌', unproven: '⚠️', skip: '➖' };

export function summaryText(report: Report): string {
  const { exitCode, words, verdicts, notJudged, contract } = report;
  const mark = exitCode === 0 ? MARKS.pass : exitCode === 1 ? MARKS.fail : MARKS.unproven;
  const from = contract.from
    ? ` of ${md(contract.from.name)} (${md(contract.from.commit.slice(0, 12))})`
    : '';
  const parts = [
    `## ${mark} untildone: ${HEADS[exitCode] ?? HEADS[2]}`,
    md(words),
    ...contractNotes(contract).map((note) => `> ⚠️ ${md(note)}`),
    verdicts.length > 0 ? table(verdicts) : '',
    ...verdicts.flatMap(openParts),
    ...verdicts.flatMap(withNotes).map(notedPart),
    ...notJudged.map(({ gate, reason }) => `- not judged: **${md(gate)}**: ${md(reason)}`),
    ...contract.changed.map(({ name, diff }) => folded(`Changed: ${name}`, diff)),
    `Judged by ${md(contract.file)}${contract.isMissingThere ? ' of the work itself' : from}.`,
  ];
  return `${cut(parts.filter((part) => part !== ''))}\n`;
}

function table(verdicts: readonly Verdict[]): string {
  const rows = verdicts.flatMap((verdict) => row(verdict, 0));
  return ['| | gate | evidence | found |', '|---|---|---|---|', ...rows].join('\n');
}

function row({ gate, class: evidence, outcome, summary, children = [] }: Verdict, depth: number): string[] {
  const indent = '&nbsp;'.repeat(depth * 4);
  return [
    `| ${MARKS[outcome]} ${outcome} | ${indent}${md(gate)} | ${evidence} | ${md(summary)} |`,
    ...children.flatMap((child) => row(child, depth + 1)),
  ];
}

function openParts(verdict: Verdict): string[] {
  if (!isOpen(verdict.outcome)) return [];
  const inside = (verdict.children ?? []).flatMap(openParts);
  if (inside.length > 0) return inside;
  const { gate, summary, evidence = [], next } = verdict;
  const lines = [summary, ...evidence, ...(next === undefined ? [] : [next])];
  return evidence.length === 0 && next === undefined ? [] : [folded(gate, lines)];
}

/** What a gate that passes has to say all the same. */
function notedPart({ gate, notes = [], exceptions = [] }: Verdict): string {
  return folded(`${gate}, noted`, [...exceptions.map((text) => `allowed by a person: ${text}`), ...notes]);
}

/** Within `<pre>`, Markdown ends only at `</pre>`, which cannot be among escaped lines. */
function folded(title: string, lines: readonly string[]): string {
  const more = lines.length - MOST_LINES;
  const shown = [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`... ${more} lines more`] : [])];
  const text = html(visibleText(shown.join('\n')));
  return `<details><summary>${md(title)}</summary>\n\n<pre>${text}</pre>\n\n</details>`;
}

/** Whole parts as long as they fit. */
function cut(parts: readonly string[]): string {
  let room = LONGEST;
  const kept = parts.filter((part) => {
    room -= part.length + 2;
    return room >= 0;
  });
  const note = kept.length < parts.length ? ['The rest is too long to be shown here: see the log.'] : [];
  return [...kept, ...note].join('\n\n');
}

function html(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** One line in which no character means anything to Markdown or HTML. */
function md(text: string): string {
  return visible(text.replaceAll('\r\n', '\n').replaceAll('\n', ' ')).replace(
    /[!-/:-@[-`{-~]/g,
    (sign) => `&#${sign.charCodeAt(0)};`,
  );
}
