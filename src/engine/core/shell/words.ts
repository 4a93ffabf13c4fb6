/** One simple command of a shell line: its words, without quotes, assignments and redirections. */
export interface SimpleCommand {
  words: string[];
  /** Files that it writes to by `>` and `>>`. */
  writes: string[];
  /** Its input by `<<` and `<<<`. */
  input?: string;
  /** Command lines inside its double quotes: `"$(...)"`. */
  inner?: string[];
  /** It reads the output of the command before it. */
  piped?: true;
  /** How many subshells it is in. */
  depth?: number;
  /** `NAME=value` before its words. */
  assigns?: string[];
}

const OPERATORS = ['&&', '||', ';;', '|&', ';', '|', '&', '\n', '(', ')', '{', '}', '`'];
const BEGINS_OPERATOR = /[&|;\n(){}`]/;

/**
 * Parses a shell line, well enough to see what it calls and where it writes. Variables and substitutions stay as they are
 * written.
 */
export function simpleCommands(line: string): SimpleCommand[] {
  const commands = new CommandList();
  for (const token of shellTokens(line)) commands.take(token);
  return commands.all();
}

/** The words, operators, redirections and here-documents of a shell line, in their order. */
export function shellTokens(line: string): Token[] {
  return new Tokens(line).all();
}

/** Puts tokens together to simple commands. */
class CommandList {
  private readonly ended: SimpleCommand[] = [];
  private depth = 0;
  private current: SimpleCommand = { words: [], writes: [] };
  private goes: Destination = 'to words';

  take(token: Token): void {
    if (token.kind === 'operator') this.begin(token.text);
    else if (token.kind === 'redirection') this.goes = destinationOf(token.text);
    else this.add(token);
  }

  all(): SimpleCommand[] {
    this.begin('');
    return this.ended.map(withoutAssignments);
  }

  /** Ends the current command and begins the one behind the operator. */
  private begin(operator: string): void {
    const { words, writes } = this.current;
    if (words.length + writes.length > 0) this.ended.push(this.current);
    if (operator === '(') this.depth++;
    if (operator === ')') this.depth = Math.max(0, this.depth - 1);
    this.current = commandAfter(operator, this.depth);
    this.goes = 'to words';
  }

  private add({ kind, text, inner }: Token): void {
    const { current } = this;
    if (inner.length > 0) current.inner = [...(current.inner ?? []), ...inner];
    if (kind === 'heredoc' || this.goes === 'to input') current.input = (current.input ?? '') + text;
    else (this.goes === 'to writes' ? current.writes : current.words).push(text);
    this.goes = 'to words';
  }
}

function commandAfter(operator: string, depth: number): SimpleCommand {
  const isPiped = operator.startsWith('|') && operator !== '||';
  return {
    words: [],
    writes: [],
    depth: depth > 0 ? depth : undefined,
    piped: isPiped ? (true as const) : undefined,
  };
}

/** What the word after a redirection is. */
type Destination = 'to words' | 'to writes' | 'to input';

function destinationOf(redirection: string): Destination {
  if (redirection === '<<<') return 'to input';
  return redirection.includes('>') ? 'to writes' : 'to words';
}

function withoutAssignments(command: SimpleCommand): SimpleCommand {
  const first = command.words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const assigns = first < 0 ? command.words : command.words.slice(0, first);
  const words = first < 0 ? [] : command.words.slice(first);
  return { ...command, words, ...(assigns.length > 0 ? { assigns } : {}) };
}

export interface Token {
  kind: 'word' | 'operator' | 'redirection' | 'heredoc';
  text: string;
  inner: string[];
}

/** A here-document that was asked for; its lines come after the current line. */
interface Awaited {
  delimiter: Token;
  body: Token;
}

class Tokens {
  private readonly line: string;
  private readonly found: Token[] = [];
  private word: Token | undefined;
  private awaited: Awaited[] = [];
  private awaitsDelimiter = false;

  constructor(line: string) {
    this.line = line;
  }

  all(): Token[] {
    for (let i = 0; i < this.line.length; i++) i = this.take(i);
    this.endWord();
    return this.found.filter((token) => token.kind !== 'heredoc' || token.text !== '');
  }

  /** Reads what begins at this place and returns the place of its last character. */
  private take(at: number): number {
    const { line } = this;
    const char = line[at] ?? '';
    if (char === '\\') return this.addEscaped(at);
    if (/^\$?['"]/.test(line.slice(at, at + 2))) return this.addQuoted(at);
    if (char === '#' && this.word === undefined) return endOfLine(line, at) - 1;
    if (char === '>' || char === '<' || line.startsWith('&>', at)) return this.redirect(at);
    const operator = operatorAt(line, at, this.word !== undefined);
    if (operator) return this.operate(at, operator);
    if (/\s/.test(char)) this.endWord();
    else this.add(char);
    return at;
  }

  /** A backslash at the end of a line joins it with the next one. */
  private addEscaped(at: number): number {
    const next = this.line[at + 1] ?? '';
    if (next !== '\n') this.add(next);
    return at + 1;
  }

  private operate(at: number, operator: string): number {
    this.endWord();
    this.found.push({ kind: 'operator', text: operator, inner: [] });
    return operator === '\n' ? this.readAwaited(at) : at + operator.length - 1;
  }

  private add(text: string): void {
    this.word ??= { kind: 'word', text: '', inner: [] };
    this.word.text += text;
  }

  private addQuoted(at: number): number {
    const { line } = this;
    const escapes = line[at] === '$' && line[at + 1] === "'";
    const open = line[at] === '$' ? at + 1 : at;
    const close = closing(line, open, escapes);
    const text = line.slice(open + 1, close);
    if (line[open] === "'") this.add(escapes ? withEscapes(text) : text);
    else {
      this.add(text.replace(/\\([\\"$`])/g, '$1'));
      this.word?.inner.push(...substitutions(text));
    }
    return close;
  }

  private redirect(at: number): number {
    // A digit or & before the sign names the stream, not a word.
    if (this.word !== undefined && /^[\d&]$/.test(this.word.text)) this.word = undefined;
    this.endWord();
    const sign = /^(?:&>>|&>|<<<|<<-?|<>|<|>>|>\||>&|>)/.exec(this.line.slice(at, at + 3))?.[0] ?? '';
    this.found.push({ kind: 'redirection', text: sign, inner: [] });
    this.awaitsDelimiter = /^<<-?$/.test(sign);
    return at + sign.length - 1;
  }

  private endWord(): void {
    if (this.word === undefined) return;
    this.found.push(this.word);
    if (this.awaitsDelimiter) {
      const body: Token = { kind: 'heredoc', text: '', inner: [] };
      this.found.push(body);
      this.awaited.push({ delimiter: this.word, body });
    }
    this.awaitsDelimiter = false;
    this.word = undefined;
  }

  private readAwaited(at: number): number {
    let end = at;
    for (const { delimiter, body } of this.awaited) {
      const read = heredocBody(this.line, end + 1, delimiter.text);
      body.text = read.text;
      end = read.end;
      this.found.splice(this.found.indexOf(delimiter), 1);
    }
    this.awaited = [];
    return end;
  }
}

/** The lines up to the delimiter; `end` is the last character of the delimiter. */
function heredocBody(line: string, from: number, delimiter: string): { text: string; end: number } {
  for (let start = from; start < line.length; start = endOfLine(line, start) + 1) {
    const end = endOfLine(line, start);
    if (line.slice(start, end).replace(/^\t+/, '') === delimiter)
      return { text: line.slice(from, start), end: end - 1 };
  }
  return { text: line.slice(from), end: line.length };
}

function endOfLine(line: string, from: number): number {
  const at = line.indexOf('\n', from);
  return at < 0 ? line.length : at;
}

/** The operator at this place. Braces are operators only as words of their own: `a{b,c}` and `${x}` are not groups. */
function operatorAt(line: string, i: number, inWord: boolean): string | undefined {
  if (!BEGINS_OPERATOR.test(line[i] ?? '')) return undefined;
  const operator = OPERATORS.find((o) => line.startsWith(o, i));
  if (operator !== '{' && operator !== '}') return operator;
  const alone = !inWord && (i + 1 === line.length || /[\s;&|)]/.test(line[i + 1] ?? ''));
  return alone ? operator : undefined;
}

/** Where the quote at `open` is closed. */
function closing(line: string, open: number, escapes = false): number {
  const quote = line[open];
  for (let i = open + 1; i < line.length; i++) {
    if (line[i] === '\\' && (quote === '"' || escapes)) i++;
    else if (line[i] === quote) return i;
    else if (quote === '"' && line.startsWith('$(', i)) i = substitutionEnd(line, i + 2);
  }
  return line.length;
}

/** Finds the bracket that closes a substitution. Brackets in quotes and here-documents do not count. */
function substitutionEnd(line: string, from: number): number {
  let depth = 1;
  let delimiters: string[] = [];
  for (let i = from; i < line.length; i++) {
    const char = line[i] ?? '';
    if (char === '\\') i++;
    else if (/['"]/.test(char)) i = closing(line, i);
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return i;
    else if (char === '\n') {
      i = delimiters.reduce((at, delimiter) => heredocBody(line, at + 1, delimiter).end, i);
      delimiters = [];
    } else if (line.startsWith('<<', i) && line[i + 2] !== '<') {
      const asked = heredocAskedAt(line, i);
      delimiters.push(asked.delimiter);
      i += asked.length - 1;
    }
  }
  return line.length;
}

/** The delimiter of a here-document that is asked for by the `<<` at this place, and how long both are. */
function heredocAskedAt(line: string, at: number): { delimiter: string; length: number } {
  const asked = /^<<-?\s*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([^\s;&|<>()'"]+))/.exec(line.slice(at, at + 200));
  if (!asked) return { delimiter: '', length: 2 };
  return { delimiter: asked[1] ?? asked[2] ?? asked[3] ?? '', length: asked[0].length };
}

function substitutions(quoted: string): string[] {
  const found: string[] = [];
  for (let i = 0; i < quoted.length; i++) {
    if (quoted[i] === '\\') i++;
    else if (quoted.startsWith('$(', i)) {
      const end = substitutionEnd(quoted, i + 2);
      found.push(quoted.slice(i + 2, end));
      i = end;
    } else if (quoted[i] === '`') {
      const end = closing(quoted, i, true);
      found.push(quoted.slice(i + 1, end));
      i = end;
    }
  }
  return found;
}

const NAMED_ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

/** Resolves the escapes of `$'...'`. */
function withEscapes(text: string): string {
  return text.replace(/\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(.))/gs, (_, hex, octal, char) =>
    hex || octal
      ? String.fromCharCode(Number.parseInt(hex ?? octal, hex ? 16 : 8))
      : (NAMED_ESCAPES[char] ?? char),
  );
}

/** Quotes a text as one word for the shell. */
export function quoteForShell(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : singleQuoted(text);
}

/** One word for the shell between quotes, whatever the text holds. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
