/** The lines of a scenario file: statements, what is attached to them, and the files at the end. */

/** A scenario that cannot be understood: which file, which line, what is wrong. */
export class ScenarioError extends Error {
  constructor(name: string, line: number, problem: string) {
    super(`${name}.txt:${line}: ${problem}`);
  }
}

export interface Statement {
  line: number;
  indented: boolean;
  text: string;
  /** The lines with `|` below a statement that ends with a colon. */
  block?: string[];
}

export interface FileSection {
  line: number;
  /** Between the dashes, options included. */
  head: string;
  lines: string[];
}

export interface ScriptParts {
  statements: Statement[];
  sections: FileSection[];
}

const SECTION = /^-- (.+) --$/;
const BLOCK_LINE = /^\s+\|(?: (.*))?$/;

/** Takes a file apart; nothing is judged here. Line numbers begin with 1. */
export function splitScript(text: string): ScriptParts {
  const statements: Statement[] = [];
  const sections: FileSection[] = [];
  for (const [index, source] of text.replace(/\n$/, '').split('\n').entries()) {
    const line = index + 1;
    const head = SECTION.exec(source)?.[1];
    const section = sections.at(-1);
    if (head !== undefined) sections.push({ line, head, lines: [] });
    else if (section) section.lines.push(source);
    else addStatement(statements, source, line);
  }
  return { statements, sections };
}

function addStatement(statements: Statement[], source: string, line: number): void {
  const last = statements.at(-1);
  const inBlock = BLOCK_LINE.exec(source);
  if (inBlock && last?.text.endsWith(':')) {
    last.block = [...(last.block ?? []), inBlock[1] ?? ''];
    return;
  }
  const text = source.trim();
  if (text === '' || text.startsWith('#')) return;
  statements.push({ line, indented: /^\s/.test(source), text });
}

/** How the lines of a block or a section become bytes. */
const CONTENT_OPTIONS = ['crlf', 'bom', 'escapes', 'hex', 'no final newline'] as const;
type ContentOption = (typeof CONTENT_OPTIONS)[number];

/** `path (crlf, bom)`: what stands before the brackets, and the options in them; undefined for an unknown option. */
export function splitOptions(text: string): { rest: string; options: ContentOption[] } | undefined {
  const match = /^(.*\S) \(([a-z, ]+)\)$/.exec(text);
  if (!match) return { rest: text, options: [] };
  const named = (match[2] ?? '').split(',').map((word) => word.trim());
  const options = CONTENT_OPTIONS.filter((option) => named.includes(option));
  return options.length === named.length ? { rest: match[1] ?? '', options } : undefined;
}

/** Bytes of a file: every line ends with a newline, also the last, unless the options say otherwise. */
export function contentOf(lines: readonly string[], options: readonly ContentOption[]): Buffer {
  if (options.includes('hex')) return Buffer.from(lines.join('').replace(/\s+/g, ''), 'hex');
  const newline = options.includes('crlf') ? '\r\n' : '\n';
  const ended = options.includes('no final newline') || lines.length === 0 ? '' : newline;
  const text = lines.join(newline) + ended;
  const plain = options.includes('escapes') ? unescaped(text) : text;
  return Buffer.from(options.includes('bom') ? `\uFEFF${plain}` : plain);
}

const SIMPLE: Record<string, string> = { n: '\n', r: '\r', t: '\t', '\\': '\\' };

function unescaped(text: string): string {
  return text.replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([nrt\\]))/g, (_, x, u, simple) =>
    simple === undefined ? String.fromCharCode(Number.parseInt(x ?? u, 16)) : (SIMPLE[simple] ?? ''),
  );
}
