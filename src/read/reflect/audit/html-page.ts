/** The page of an audit for a browser: one file, no scripts, nothing from elsewhere. Without evidence it holds only counts. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { writeWhole } from '../../../engine/files/whole-file.ts';
import { harmless } from '../../../engine/terminal/text.ts';
import { STYLE } from './html-style.ts';
import { type AuditScope, sayScope } from './scope-words.ts';
import { type AuditSummary, CLASSES, type ClassCounts, type CountedTurn, type Group } from './summary.ts';
import { CLASS_MEANS, CLASS_NAMES, MASKING_MEANS, share, whyClass, wouldHaveHeld } from './words.ts';

const MARK = '<!-- made by untildone audit -->';
const MOST_PROJECTS = 12;
const MOST_WEEKS = 16;
const MOST_TURNS = 200;

/** Overwrites a page of ours, and no other file. */
export function writePage(path: string, summary: AuditSummary, scope: AuditScope, evidence: boolean): void {
  if (isOfOthers(path))
    throw new Error(`${path} is there already, and is no page of untildone audit: name another file`);
  try {
    writeWhole(path, htmlPage(summary, scope, evidence), 0o644);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${path} cannot be written (${code ?? message}): name a file in a folder that is there`, {
      cause: error,
    });
  }
}

function isOfOthers(path: string): boolean {
  try {
    return !readFileSync(path, 'utf8').slice(0, 200).includes(MARK);
  } catch (error) {
    return (
      (error as NodeJS.ErrnoException).code !== 'ENOENT' &&
      (error as NodeJS.ErrnoException).code !== 'ENOTDIR'
    );
  }
}

export function htmlPage(summary: AuditSummary, scope: AuditScope, evidence: boolean): string {
  const { counts, total } = summary;
  const figure = share(counts.verified, total);
  return `<!doctype html>
${MARK}
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>How often was done done? ${figure}</title><style>${STYLE}</style></head><body><main>
<header><h1><strong>untildone audit</strong></h1><span>${escaped(sayScope(summary, scope))}</span></header>
<div class="hero"><div class="figure">${figureHtml(figure)}</div>
<p class="said">of all claims of “done” had a passing check behind them.<span>${counts.verified} of ${total} turns in which Claude Code edited files and ended with a claim.</span></p></div>
${stacked(counts, total)}
<ul class="cards">${CLASSES.map((name) => card(name, counts, total)).join('')}</ul>
${weeks(summary.byWeek.slice(-MOST_WEEKS))}
${projects(summary.byProject.slice(0, MOST_PROJECTS), evidence)}
${maskings(summary)}
${evidence ? turnsHtml(summary.turns) : ''}
${todo(summary)}
<footer><p>${method(summary)}</p><p>${escaped(new Date(scope.now).toISOString().slice(0, 10))} · made on this machine from its own transcripts. ${
    evidence
      ? 'This page holds names, prompts and commands: look at it before you share it.'
      : 'This page holds counts only: no names, prompts, code or paths.'
  }</p></footer>
</main></body></html>
`;
}

function figureHtml(figure: string): string {
  const [number = '', sign = ''] = figure.replace('under 1 %', '&lt;1 %').split(' ');
  return `${number}<small>${sign}</small>`;
}

function card(name: (typeof CLASSES)[number], counts: ClassCounts, total: number): string {
  return `<li style="--c:var(--${name})"><span class="name">${CLASS_NAMES[name]}</span><b>${counts[name]}<small>${share(counts[name], total)}</small></b><p>${CLASS_MEANS[name]}</p></li>`;
}

/** Said in words as well, for those who cannot see it. */
function stacked(counts: ClassCounts, total: number): string {
  const parts = CLASSES.filter((name) => counts[name] > 0);
  const said = parts.map((name) => `${CLASS_NAMES[name]} ${counts[name]}`).join(', ');
  const bars = parts.map((name) => `<i class="${name}" style="flex:${counts[name]} 0 0"></i>`).join('');
  return total === 0 ? '' : `<div class="bar" role="img" aria-label="${said}">${bars}</div>`;
}

function weeks(groups: readonly Group[]): string {
  if (groups.length < 2) return '';
  const most = Math.max(...groups.map(({ total }) => total));
  const columns = groups.map(({ key, counts, total }) => {
    const parts = CLASSES.filter((name) => counts[name] > 0)
      .map((name) => `<i class="${name}" style="flex:${counts[name]} 0 0"></i>`)
      .join('');
    const said = `${key}: ${counts.verified} of ${total} verified`;
    return `<li><em>${share(counts.verified, total)}</em><div class="stack" role="img" aria-label="${said}" title="${said}" style="height:${Math.round((76 * total) / most)}%">${parts}</div><span>${key.slice(5)}</span></li>`;
  });
  return `<section><h2>By week, and the share that was verified</h2><ul class="weeks">${columns.join('')}</ul></section>`;
}

function projects(groups: readonly Group[], evidence: boolean): string {
  if (groups.length < 2) return '';
  const rows = groups.map((group, i) => {
    const name = evidence ? escaped(harmless(basename(group.key) || group.key)) : `Project ${i + 1}`;
    return `<tr><th scope="row">${name}</th><td class="wide">${stacked(group.counts, group.total)}</td><td class="n">${group.counts.verified} of ${group.total}</td><td class="n">${share(group.counts.verified, group.total)}</td></tr>`;
  });
  return `<section><h2>By project</h2><table>${rows.join('')}</table></section>`;
}

function maskings({ maskings: found, counts }: AuditSummary): string {
  if (found.length === 0) return '';
  const rows = found.map(
    ({ masking, count }) =>
      `<tr><th scope="row" style="white-space:normal;max-width:none">${escaped(MASKING_MEANS[masking])}</th><td style="width:30%"><div class="bar"><i class="masked" style="flex:${count} 0 0"></i><i style="flex:${counts.masked - count} 0 0"></i></div></td><td class="n">${count}</td></tr>`,
  );
  return `<section><h2>How failures were masked</h2><table>${rows.join('')}</table></section>`;
}

function turnsHtml(turns: readonly CountedTurn[]): string {
  const open = turns.filter((turn) => turn.class !== 'verified');
  const shown = open.slice(0, MOST_TURNS).map((turn) => {
    const run = turn.judged?.run;
    const when =
      turn.endedAt === undefined ? '' : new Date(turn.endedAt).toISOString().slice(0, 16).replace('T', ' ');
    return `<div class="turn" style="--c:var(--${turn.class})"><span class="name">${CLASS_NAMES[turn.class]}</span>${escaped(harmless(turn.prompt))}<div>${escaped(`${when} · ${harmless(basename(turn.project))} · ${whyClass(turn)}`)}</div>${run ? `<code>${escaped(harmless(run.command).slice(0, 300))}</code>` : ''}</div>`;
  });
  const left = open.length - shown.length;
  return `<section><h2>Turn by turn</h2>${shown.join('')}${left > 0 ? `<p>and ${left} more</p>` : ''}</section>`;
}

function todo({ total, counts, wouldHold }: AuditSummary): string {
  const open = total - counts.verified;
  const said =
    open === 0
      ? 'Every claim had a passing check behind it. To keep it so:'
      : wouldHold === 0
        ? 'No check is known in these projects. Begin with one that can be run, then:'
        : wouldHaveHeld(open, wouldHold);
  return `<section class="do"><p>${said}</p><code>npx untildone setup</code><p>Holds Claude Code at its end until the checks of the project pass.</p></section>`;
}

function method({ notCounted: { asked, admitted, cut_off, prose } }: AuditSummary): string {
  return `A turn goes from a prompt to the end of the work that it started. Not counted: ${asked} that ended with a question, ${admitted} that said something is open, ${cut_off} that were cut off, ${prose} that edited only Markdown and the like.`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
