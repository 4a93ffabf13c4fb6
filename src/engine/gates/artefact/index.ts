import type { GateOptions } from '../../core/contract/gate-options.ts';
import { withoutLoopSection } from '../../core/loop/notes.ts';
import { fingerprint } from '../../core/loop/verdict.ts';
import { isGlob } from '../../core/text/globs.ts';
import { type LineMatcher, lineMatcher, patternProblem } from '../../core/text/line-pattern.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { frozenBy } from '../shared/asks.ts';
import { NOTHING_TO_COMPARE, workSinceStart } from '../shared/contents.ts';
import { linesUnder, type MarkdownLine } from '../shared/markdown.ts';
import { artefactTraits } from './traits.ts';

type Options = GateOptions['artefact'];

/**
 * A text that was written during the work: a plan, a classification, a review. It is a claim of the agent, but you can
 * read it, and the receipt holds its digest. A text that was there at the start of the loop does not count.
 */
export const artefactGate: Gate<'artefact'> = {
  ...artefactTraits,
  async freeze({ file, section }, { workspace }) {
    const found = isGlob(file) ? await workspace.find(file) : [file];
    const files: Record<string, string> = {};
    for (const path of found.slice(0, MOST_FROZEN)) {
      const text = await workspace.read(path);
      const written = text === undefined ? undefined : writtenText(text, section);
      if (written) files[path] = fingerprint(asOneText(written));
    }
    return { files };
  },
  async judge(options, context) {
    for (const { name, pattern } of options.has) {
      const problem = patternProblem(pattern);
      if (problem !== undefined)
        return { outcome: 'unproven', summary: `the pattern "${name}" cannot be used: expected ${problem}` };
    }
    const [file] = isGlob(options.file) ? await context.workspace.find(options.file) : [options.file];
    if (file === undefined) return missing(`there is no file that fits ${options.file}`, options);
    const text = await context.workspace.read(file);
    if (text === undefined) return missing(`${file} is missing`, options);
    const written = writtenText(text, options.section);
    if (!written) return missing(`${file} has no section "${options.section}"`, options);
    const since = await changeOf(file, written, options, context);
    if (since === 'unknown') return { outcome: 'unproven', summary: NOTHING_TO_COMPARE };
    return judgement(placeOf(file, options), written, options, since, context);
  },
};

/** Limits how many files of a glob are frozen; the newest come first. */
const MOST_FROZEN = 200;

function placeOf(file: string, { section }: Options): string {
  return section === undefined ? file : `${file}, section "${section}"`;
}

/** Whether the text was written since the start. For files that git ignores, the frozen fingerprint tells. */
async function changeOf(
  file: string,
  written: WrittenText,
  { section }: Options,
  context: GateContext,
): Promise<'changed' | 'same' | 'unknown'> {
  const text = asOneText(written);
  const span = await workSinceStart(context);
  if (span && (await context.workspace.contentAt(span.to, file)) !== undefined) {
    const before = await context.workspace.contentAt(span.from, file);
    const then = before === undefined ? undefined : writtenText(before, section);
    return then && asOneText(then) === text ? 'same' : 'changed';
  }
  const frozen = (frozenBy(context) as { files?: Record<string, unknown> } | undefined)?.files;
  // Without a loop, the text was frozen only a moment ago.
  if (!frozen || !context.request.answers) return 'unknown';
  return Object.hasOwn(frozen, file) && frozen[file] === fingerprint(text) ? 'same' : 'changed';
}

function judgement(
  place: string,
  written: WrittenText,
  { has, words }: Options,
  since: 'changed' | 'same',
  context: GateContext,
): Judgement {
  const lacking = has.filter(({ pattern }) => !hasLine(written, lineMatcher(pattern)));
  const problems = [
    ...(since === 'same' ? ['it was there when the work began, and nothing was written since'] : []),
    ...(written.words < words ? [`it has ${written.words} of the ${words} words that are asked for`] : []),
    ...(lacking.length > 0 ? [`it lacks ${lacking.map(({ name }) => `"${name}"`).join(', ')}`] : []),
  ];
  const proof = { outputSha256: context.judges.digest(asOneText(written)) };
  if (problems.length === 0) {
    const holds = has.map(({ name }) => `, has "${name}"`).join('');
    return { outcome: 'pass', summary: `${place}: ${written.words} words${holds}`, proof };
  }
  return {
    outcome: 'fail',
    summary: `${place}: ${problems.join('; ')}`,
    evidence: lacking.map(({ name, pattern }) =>
      name === pattern ? `no line fits /${pattern}/` : `${name}: no line fits /${pattern}/`,
    ),
    next: `Next: write down in ${place} what belongs there, in your own words. Placeholders and comments do not count.`,
    fingerprint: fingerprint([place, ...problems].join('\n')),
    proof,
  };
}

function missing(summary: string, { file, section, has, words }: Options): Judgement {
  const below = section === undefined ? '' : `, below the heading "${section}"`;
  const holding =
    has.length === 0 ? '' : `, with a line that fits ${has.map((h) => `/${h.pattern}/`).join(', ')}`;
  return {
    outcome: 'fail',
    summary,
    next: `Next: write ${file}${below}: at least ${words} words${holding}.`,
  };
}

/** The text of an artefact, without comments and without the section that untildone writes. */
interface WrittenText {
  /** The lines without comments. */
  lines: string[];
  /** The number of words. Headings, rulers and placeholders do not count. */
  words: number;
}

/** The text of a file or of one section; undefined when there is no such heading. */
export function writtenText(file: string, section?: string): WrittenText | undefined {
  const lines = linesUnder(withoutLoopSection(file), section);
  if (!lines) return undefined;
  return {
    lines: lines.map(({ text }) => text.trimEnd()),
    words: lines.reduce((sum, line) => sum + wordsIn(line), 0),
  };
}

function asOneText({ lines }: WrittenText): string {
  return lines.join('\n').trim();
}

/** Whether a line fits the pattern. A line of placeholders alone does not count. */
function hasLine({ lines }: WrittenText, matcher: LineMatcher): boolean {
  return lines.some((line) => matcher.test(line) && countWords(withoutPlaceholders(line)) > 0);
}

function wordsIn({ text, isHeading }: MarkdownLine): number {
  return isHeading ? 0 : countWords(withoutPlaceholders(text));
}

function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0;
}

const MARKERS = 'TODO|TBD|TBA|FIXME|XXX';
/** A marker in place of a value. The text behind the marker describes that value. */
const YET_TO_COME = new RegExp(`^([^:|]*[:|]|)[\\s\\W]*\\b(?:${MARKERS})\\b.*$`);
const SINGLE_MARKER = new RegExp(`\\b(?:${MARKERS})\\b`, 'g');
const BRACKETED =
  /<[^\s<>][^<>]{0,200}>|<[^\s<>]>|\{\{[^{}]{0,200}\}\}|\[(?:\.{2,}|\u2026|TODO|TBD)[^[\]]{0,200}\]/g;
const DOTS = /\.{3,}|\u2026|_{3,}/g;

function withoutPlaceholders(line: string): string {
  return line
    .replace(BRACKETED, ' ')
    .replace(YET_TO_COME, '$1')
    .replace(SINGLE_MARKER, ' ')
    .replace(DOTS, ' ');
}
