/** One item of a Markdown task list. */
export interface Item {
  text: string;
  ticked: boolean;
  /** Counted from 1. */
  line: number;
}

interface Heading {
  level: number;
  title: string;
}

const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\]\s+(\S.*)$/;
const FENCE = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}|~{3,})(.*)$/;
const ATX_HEADING = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/;

/**
 * The items of a Markdown text outside code fences and comments; of the sections under one heading, when named.
 * Undefined when there is no such heading.
 */
export function findItems(markdown: string, section?: string): Item[] | undefined {
  const wanted = section === undefined ? undefined : plainTitle(section.replace(/^#+\s+/, ''));
  /** The level of the wanted heading that we are under. */
  let under: number | undefined;
  let found = wanted === undefined;
  const items: Item[] = [];
  const lines = visibleLines(markdown);
  lines.forEach((line, at) => {
    const heading = headingAt(lines, at);
    if (heading && wanted !== undefined) {
      if (under !== undefined && heading.level <= under) under = undefined;
      if (under === undefined && plainTitle(heading.title) === wanted) under = heading.level;
      found ||= under !== undefined;
    }
    const item = wanted === undefined || under !== undefined ? itemIn(line, at) : undefined;
    if (item) items.push(item);
  });
  return found ? items : undefined;
}

function itemIn(line: string, at: number): Item | undefined {
  const [, mark, text] = ITEM.exec(line) ?? [];
  return text === undefined ? undefined : { text: plainText(text), ticked: mark !== ' ', line: at + 1 };
}

/** Lines that a reader sees as text: those of code and comments are emptied, so that numbers stay right. */
function visibleLines(markdown: string): string[] {
  let fence: string | undefined;
  let inComment = false;
  return markdown.split(/\r?\n/).map((line) => {
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined;
      return '';
    }
    if (!inComment) {
      const [, marks, info = ''] = FENCE.exec(line) ?? [];
      if (marks !== undefined && !(marks.startsWith('`') && info.includes('`'))) {
        fence = marks;
        return '';
      }
    }
    const { text, open } = withoutComments(line, inComment);
    inComment = open;
    return text;
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
function headingAt(lines: readonly string[], at: number): Heading | undefined {
  const line = lines[at] ?? '';
  const [, marks, title] = ATX_HEADING.exec(line) ?? [];
  if (marks !== undefined) return { level: marks.length, title: title ?? '' };
  const [, ruler] = /^ {0,3}(=+|-+)\s*$/.exec(lines[at + 1] ?? '') ?? [];
  if (ruler === undefined || line.trim() === '' || ITEM.test(line) || /^\s*[-*+>|#]/.test(line))
    return undefined;
  return { level: ruler.startsWith('=') ? 1 : 2, title: line };
}

function plainTitle(title: string): string {
  return plainText(title).replace(/[:.]$/, '').toLowerCase();
}

/** White space and emphasis do not make another item. */
export function plainText(text: string): string {
  return text
    .replace(/\*\*|__/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
