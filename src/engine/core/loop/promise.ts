/**
 * The promise: the agent claims to be done by writing `<promise>TEXT</promise>`. A tag is a claim when it
 * - stands alone on its line or lines; a list bullet, a ticked box, a heading mark, emphasis around it and one `.` or
 *   `!` after it are decoration; or
 * - ends the message, emphasis and white space aside; then text may stand before it on its line, unless that line is a
 *   row of a table or a box that is not ticked, or its sentence denies or postpones ("I will not say ..."). A full stop
 *   after such a tag makes it part of a sentence: no claim.
 *
 * A tag inside code (fenced, indented, inline), on a line of a block quote or in quotation marks is only mentioned, and
 * an empty tag says nothing. Where it can be read either way it is no claim: asking once more costs less than believing.
 */

const OPEN = '<promise>';
const CLOSE = '</promise>';

/** The text of the last claim in a message, white space normalised. Time grows with the message's length, no faster. */
export function findPromise(message: string): string | undefined {
  if (!message.includes(OPEN)) return undefined;
  const text = message.replace(/\r\n?/g, '\n').trim();
  return findClaims(text, readLines(text)).at(-1)?.promise;
}

/** A promise that is empty or holds a tag itself can never be kept: `keepsPromise(renderPromise(p), p)` tells. */
export function keepsPromise(message: string, promise: string): boolean {
  const wanted = normalise(promise);
  return wanted !== '' && findPromise(message) === wanted;
}

export function renderPromise(promise: string): string {
  return `${OPEN}${normalise(promise)}</promise>`;
}

/** Printable ASCII with single spaces: nothing to normalise. */
const NORMAL = /^[!-~]+(?: [!-~]+)*$/;

function normalise(text: string): string {
  if (NORMAL.test(text)) return text;
  return text
    .normalize('NFC')
    .replace(/[\p{White_Space}\uFEFF]+/gu, ' ')
    .trim();
}

interface Claim {
  start: number;
  promise: string;
}

/** Escaped: the bundler leaves patterns as they are, and one character beyond ASCII doubles the size of the bundle. */
const TOKEN = /<promise>|<\/promise>|["\u201c\u201d\u201e\u00ab\u00bb]/g;
const QUOTATION: Record<string, string> = {
  '“': 'curly',
  '”': 'curly',
  '„': 'curly',
  '«': 'angle',
  '»': 'angle',
};

/** A promise that holds a tag itself talks about tags and is no claim. */
const TAG = /<\/?promise>/;

function findClaims(text: string, lines: Line[]): Claim[] {
  const code = inlineCode(text, lines);
  const reader = new ClaimReader(text);
  for (const line of lines) {
    reader.beginLine(line);
    for (const { token, at } of tokensIn(text, line, code)) reader.take(token, at, line);
  }
  return reader.claims;
}

class ClaimReader {
  readonly claims: Claim[] = [];
  private readonly text: string;
  private readonly end: number;
  private open: { start: number; line: Line } | undefined;
  /** Where an open quotation of each kind began. */
  private quotations = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
    this.end = endOfWords(text);
  }

  beginLine({ prose, breaks }: Line): void {
    if (!prose) this.open = undefined;
    if (this.open === undefined && breaks) this.quotations = new Map();
  }

  take(token: string, at: number, line: Line): void {
    if (token === OPEN) this.open = { start: at, line };
    else if (token === CLOSE) this.close(at, line);
    else if (this.open === undefined) this.quote(QUOTATION[token] ?? 'straight', at);
  }

  private close(at: number, line: Line): void {
    const claim = this.open && claimBetween(this.text, this.open, { at, line }, this.end);
    if (claim) this.claims.push(claim);
    this.open = undefined;
  }

  /** A second mark of a kind in the same paragraph closes a quotation: what was claimed inside it is taken back. */
  private quote(kind: string, at: number): void {
    const opened = this.quotations.get(kind);
    if (opened === undefined) {
      this.quotations.set(kind, at);
      return;
    }
    this.quotations.delete(kind);
    while ((this.claims.at(-1)?.start ?? -1) > opened) this.claims.pop();
  }
}

/** Tags and quotation marks of a line of prose, those in inline code left out. */
function tokensIn(text: string, line: Line, code: Uint8Array): { token: string; at: number }[] {
  if (!line.prose) return [];
  return [...text.slice(line.start, line.end).matchAll(TOKEN)]
    .map(({ 0: token, index }) => ({ token, at: line.start + index }))
    .filter(({ at }) => !code[at]);
}

/** What the text between two tags claims; undefined where it only talks about a promise. */
function claimBetween(
  text: string,
  open: { start: number; line: Line },
  close: { at: number; line: Line },
  end: number,
): Claim | undefined {
  const promise = normalise(text.slice(open.start + OPEN.length, close.at));
  const after = close.at + CLOSE.length;
  const isClaim = isAlone(text, open, close.line, after) || (after >= end && isSpoken(text, open));
  return promise && isClaim && !TAG.test(promise) ? { start: open.start, promise } : undefined;
}

const AFTER_TAG = /^[*_]{0,8}[.!]?[*_]{0,8}(?:[^\S\n]+#+)?[^\S\n]*$/;

function isAlone(text: string, open: { start: number; line: Line }, last: Line, after: number): boolean {
  return open.line.body === open.start && AFTER_TAG.test(text.slice(after, last.end));
}

const TABLE_OR_OPEN_BOX = /^\s*(?:\||(?:[-*+]|\d{1,9}[.)])[ \t]+\[ ?\])/;

/** Words that deny (`not`, `won't`, with any apostrophe) or postpone (`until`, `before`). */
const DENIAL =
  /\b(?:not|never|cannot|(?:ca|wo|do|does|did|is|are|was|were|have|has|had|should|could|would|must)n.t|refuse|until|unless|before|without|instead)\b/i;

function isSpoken(text: string, { start, line }: { start: number; line: Line }): boolean {
  if (TABLE_OR_OPEN_BOX.test(text.slice(line.start, line.end))) return false;
  const before = text.slice(line.start, start);
  const sentence = Math.max(...['. ', '! ', '? '].map((mark) => before.lastIndexOf(mark)));
  return !DENIAL.test(before.slice(sentence + 1));
}

/** Where the message ends, without emphasis and white space. */
function endOfWords(text: string): number {
  let end = text.length;
  while (end > 0 && /[*_\s]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}

/** A line of Markdown, as far as it matters here. */
interface Line {
  start: number;
  end: number;
  /** Neither code nor quoted. */
  prose: boolean;
  /** Inline code and quotations of earlier lines end before this line. */
  breaks: boolean;
  /** Where it begins after bullet, heading mark, ticked box and emphasis. */
  body: number;
}

interface Fence {
  mark: string;
  length: number;
  column: number;
}

/** The blocks that earlier lines leave open. */
interface Blocks {
  fence?: Fence | undefined;
  inParagraph: boolean;
  /** Where the text of the last list item begins; 0 outside of lists. */
  listColumn: number;
}

const INDENT = /[ \t]*/y;
const BULLETS = /(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*/y;
const FENCE = /`{3,}(?=[^`]*$)|~{3,}/y;
const DECORATION = /[^\S\n]*(?:#{1,6}[ \t]+)?(?:\[[xX]\][ \t]+)?[*_]*/y;

function readLines(text: string): Line[] {
  const lines: Line[] = [];
  const blocks: Blocks = { inParagraph: false, listColumn: 0 };
  let start = 0;
  for (const source of text.split('\n')) {
    lines.push(readLine(source, start, blocks));
    start += source.length + 1;
  }
  return lines;
}

function readLine(source: string, start: number, blocks: Blocks): Line {
  const indented = matchEnd(INDENT, source, 0);
  const content = matchEnd(BULLETS, source, indented);
  const body = start + matchEnd(DECORATION, source, content);
  const line: Line = { start, end: start + source.length, prose: false, breaks: true, body };
  const goesOn = blocks.inParagraph;
  blocks.inParagraph = false;
  if (blocks.fence) {
    if (closes(blocks.fence, source, indented)) blocks.fence = undefined;
    return line;
  }
  if (source.trim() === '') return { ...line, prose: true };
  const column = columns(source, indented);
  const isIndentedCode = !goesOn && column >= blocks.listColumn + 4;
  if (isIndentedCode || source.startsWith('>', content)) return line;
  if (content > indented) blocks.listColumn = columns(source, content);
  else if (!goesOn && column < blocks.listColumn) blocks.listColumn = 0;
  const fenceEnd = matchEnd(FENCE, source, content);
  if (fenceEnd > content) {
    blocks.fence = {
      mark: source.charAt(content),
      length: fenceEnd - content,
      column: columns(source, content),
    };
    return line;
  }
  blocks.inParagraph = true;
  return { ...line, prose: true, breaks: !goesOn || content > indented };
}

function closes(fence: Fence, source: string, indented: number): boolean {
  const run = source.slice(indented).trimEnd();
  const isRun = run.length >= fence.length && run === fence.mark.repeat(run.length);
  return isRun && columns(source, indented) <= fence.column + 3;
}

function matchEnd(sticky: RegExp, source: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(source) ? sticky.lastIndex : at;
}

function columns(source: string, end: number): number {
  let column = 0;
  for (let at = 0; at < end; at += 1) column += source.charAt(at) === '\t' ? 4 - (column % 4) : 1;
  return column;
}

/** Marks every character that lies in inline code: between two runs of equally many backticks in one paragraph. */
function inlineCode(text: string, lines: Line[]): Uint8Array {
  const marks = new Uint8Array(text.length);
  let start = 0;
  for (const [index, line] of lines.entries()) {
    if (line.breaks) start = line.start;
    const next = lines[index + 1];
    if (line.prose && (next === undefined || next.breaks)) markCode(text, start, line.end, marks);
  }
  return marks;
}

function markCode(text: string, start: number, end: number, marks: Uint8Array): void {
  const runs = [...text.slice(start, end).matchAll(/`+/g)];
  const nextOfLength = new Map<number, number>();
  const partner = runs.map(() => -1);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const length = runs[index]?.[0].length ?? 0;
    partner[index] = nextOfLength.get(length) ?? -1;
    nextOfLength.set(length, index);
  }
  for (let index = 0; index < runs.length; index += 1) {
    const opening = runs[index];
    const closing = runs[partner[index] ?? -1];
    if (!opening || !closing) continue;
    marks.fill(1, start + opening.index, start + closing.index + closing[0].length);
    index = partner[index] ?? index;
  }
}
