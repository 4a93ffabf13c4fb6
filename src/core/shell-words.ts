/** One simple command of a shell line: its words, without quotes, assignments and redirections. */
export interface SimpleCommand {
  words: string[];
  /** Files that it writes to by `>` and `>>`. */
  writes: string[];
}

const OPERATORS = ['&&', '||', ';;', '|&', ';', '|', '&', '\n', '(', ')', '{', '}'];

/**
 * Takes a shell line apart, well enough to see what it calls and where it writes. It is no shell: what is computed
 * (variables, substitutions) stays as it is written.
 */
export function simpleCommands(line: string): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  let current: SimpleCommand = { words: [], writes: [] };
  let writing = false;
  for (const token of tokens(line)) {
    if (token.operator && OPERATORS.includes(token.text)) {
      if (current.words.length + current.writes.length > 0) commands.push(current);
      current = { words: [], writes: [] };
      writing = false;
    } else if (token.operator) {
      writing = token.text.includes('>');
    } else if (writing) {
      current.writes.push(token.text);
      writing = false;
    } else {
      current.words.push(token.text);
    }
  }
  if (current.words.length + current.writes.length > 0) commands.push(current);
  return commands.map(withoutAssignments);
}

function withoutAssignments(command: SimpleCommand): SimpleCommand {
  const first = command.words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  return { ...command, words: first < 0 ? [] : command.words.slice(first) };
}

interface Token {
  text: string;
  operator: boolean;
}

function tokens(line: string): Token[] {
  const found: Token[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) found.push({ text: word, operator: false });
    word = undefined;
  };
  for (let i = 0; i < line.length; i++) {
    const char = line[i] ?? '';
    if (char === '\\') {
      if (line[i + 1] !== '\n') word = (word ?? '') + (line[i + 1] ?? '');
      i++;
    } else if (char === "'" || char === '"') {
      const close = closing(line, i);
      word = (word ?? '') + unquoted(line.slice(i + 1, close), char);
      i = close;
    } else if (char === '#' && word === undefined) {
      while (i + 1 < line.length && line[i + 1] !== '\n') i++;
    } else if (char === '>' || char === '<') {
      // A digit or & before the sign names the stream, not a word.
      if (word !== undefined && /^[\d&]$/.test(word)) word = undefined;
      endWord();
      const sign = /^(?:<<<|<<-?|<>|<|>>|>\||>&|>)/.exec(line.slice(i))?.[0] ?? char;
      found.push({ text: sign, operator: true });
      i += sign.length - 1;
    } else if (operatorAt(line, i, word !== undefined)) {
      const operator = operatorAt(line, i, word !== undefined) ?? char;
      endWord();
      found.push({ text: operator, operator: true });
      i += operator.length - 1;
    } else if (/\s/.test(char)) {
      endWord();
    } else {
      word = (word ?? '') + char;
    }
  }
  endWord();
  return found;
}

/** Braces are only operators as words of their own: `a{b,c}` and `${x}` are not groups. */
function operatorAt(line: string, i: number, inWord: boolean): string | undefined {
  const operator = OPERATORS.find((o) => line.startsWith(o, i));
  if (operator !== '{' && operator !== '}') return operator;
  const alone = !inWord && (i + 1 === line.length || /[\s;&|)]/.test(line[i + 1] ?? ''));
  return alone ? operator : undefined;
}

function closing(line: string, open: number): number {
  const quote = line[open];
  for (let i = open + 1; i < line.length; i++) {
    if (quote === '"' && line[i] === '\\') i++;
    else if (line[i] === quote) return i;
  }
  return line.length;
}

function unquoted(text: string, quote: string): string {
  return quote === '"' ? text.replace(/\\([\\"$`])/g, '$1') : text;
}
