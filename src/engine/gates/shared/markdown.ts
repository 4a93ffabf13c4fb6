/** Reads Markdown as lines of text and code, and finds the lines below a heading. */
export interface MarkdownLine {
  /** Without comments. */
  text: string;
  /** Counted from 1. */
  line: number;
  /** Part of a fenced code block, its fences included. */
  isCode: boolean;
  isHeading: boolean;
}

interface Heading {
  level: number;
  title: string;
}

const FENCE = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}|~{3,})(.*)$/;
const ATX_HEADING = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/;
const RULER = /^ {0,3}(=+|-+)\s*$/;
const LIST_ITEM = /^\s*\d{1,9}[.)]\s+\[[ xX]\]\s/;

/** All lines, or those below the headings of this title; undefined when there is no such heading. */
export function linesUnder(markdown: string, section?: string): MarkdownLine[] | undefined {
  const wanted = section === undefined ? undefined : plainTitle(section.replace(/^#+\s+/, ''));
  /** The level of the wanted heading above the current line. */
  let under: number | undefined;
  let found = wanted === undefined;
  const all = readLines(markdown);
  const lines = all.flatMap(({ text, isCode }, at): MarkdownLine[] => {
    const heading = isCode ? undefined : headingAt(all, at);
    let isOwnHeading = false;
    if (heading && wanted !== undefined) {
      if (under !== undefined && heading.level <= under) under = undefined;
      if (under === undefined && plainTitle(heading.title) === wanted) {
        under = heading.level;
        isOwnHeading = true;
      }
      found ||= under !== undefined;
    }
    if (isOwnHeading || (wanted !== undefined && under === undefined)) return [];
    return [{ text, line: at + 1, isCode, isHeading: heading !== undefined }];
  });
  return found ? lines : undefined;
}

type PlainLine = Pick<MarkdownLine, 'text' | 'isCode'>;

function readLines(markdown: string): PlainLine[] {
  let fence: string | undefined;
  let inComment = false;
  return markdown.split(/\r?\n/).map((line) => {
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined;
      return { text: line, isCode: true };
    }
    if (!inComment) {
      const [, marks, info = ''] = FENCE.exec(line) ?? [];
      if (marks !== undefined && !(marks.startsWith('`') && info.includes('`'))) {
        fence = marks;
        return { text: line, isCode: true };
      }
    }
    const { text, open } = withoutComments(line, inComment);
    inComment = open;
    return { text, isCode: false };
  });
}

function closes(line: string, fence: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === fence.charAt(0).repeat(text.length);
}

function withoutComments(line: string, inComment: boolean): { text: string; open: boolean } {
  let text = '';
  let rest = line;
  let open = inComment;
  for (;;) {
    const mark = open ? '-->' : '<!--';
    const at = rest.indexOf(mark);
    if (!open) text += at < 0 ? rest : rest.slice(0, at);
    if (at < 0) return { text, open };
    rest = rest.slice(at + mark.length);
    open = !open;
  }
}

/** `# Title`, or a title with a ruler of = or - on the line below it. */
function headingAt(lines: readonly PlainLine[], at: number): Heading | undefined {
  const line = lines[at]?.text ?? '';
  const [, marks, title] = ATX_HEADING.exec(line) ?? [];
  if (marks !== undefined) return { level: marks.length, title: title ?? '' };
  const below = lines[at + 1];
  const [, ruler] = below && !below.isCode ? (RULER.exec(below.text) ?? []) : [];
  if (ruler === undefined || line.trim() === '' || LIST_ITEM.test(line) || /^\s*[-*+>|#]/.test(line))
    return undefined;
  return { level: ruler.startsWith('=') ? 1 : 2, title: line };
}

function plainTitle(title: string): string {
  return plainText(title).replace(/[:.]$/, '').toLowerCase();
}

/** Removes emphasis and extra white space, so that items and titles can be compared. */
export function plainText(text: string): string {
  return text
    .replace(/\*\*|__/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
