/** The structure of a shell line: which command's exit status becomes that of another, and in the end that of the line. */
import { shellTokens, type Token } from './words.ts';

/** One call with what is inside of it. */
export interface CallNode {
  kind: 'call';
  /** Without assignments and redirections. */
  words: string[];
  assigns: string[];
  /** Files that it writes to by `>` and `>>`. */
  writes: string[];
  /** Its here-documents. */
  input: string[];
  /** `$(...)` and backquotes: the lines inside of double quotes, and the parsed ones outside. */
  quoted: string[];
  inner: ShellNode[];
}

export type ShellNode =
  | CallNode
  | { kind: 'list'; items: { node: ShellNode; background: boolean }[] }
  /** `a && b || c`: each with the operator before it, the first with none. */
  | { kind: 'chain'; items: { by: '' | '&&' | '||'; node: ShellNode }[] }
  | { kind: 'pipe'; parts: ShellNode[]; negated: boolean }
  | { kind: 'group'; subshell: boolean; body: ShellNode }
  | { kind: 'if'; conditions: ShellNode[]; branches: ShellNode[] }
  | { kind: 'loop'; condition?: ShellNode; body: ShellNode };

/** Words that end the part of a compound command. */
const ENDS = new Set(['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}', ')', '`']);
const DEEPEST = 40;

/** Never throws: a line with faults gives what can be seen of it. */
export function shellStructure(line: string): ShellNode {
  return new Structure(shellTokens(line)).whole();
}

class Structure {
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  /** Takes all tokens: what closes nothing is passed over. */
  whole(): ShellNode {
    const items: { node: ShellNode; background: boolean }[] = [];
    while (this.at < this.tokens.length) {
      const node = this.list();
      if (node.kind === 'list') items.push(...node.items);
      this.at++;
    }
    return { kind: 'list', items };
  }

  private list(): ShellNode {
    const items: { node: ShellNode; background: boolean }[] = [];
    this.depth++;
    for (;;) {
      this.skip(';', '\n', '&', ';;');
      if (this.at >= this.tokens.length || ENDS.has(this.text()) || this.depth > DEEPEST) break;
      const before = this.at;
      const node = this.chain();
      items.push({ node, background: this.isOperator('&') });
      if (this.at === before) break;
    }
    this.depth--;
    return { kind: 'list', items };
  }

  private chain(): ShellNode {
    const items: { by: '' | '&&' | '||'; node: ShellNode }[] = [{ by: '', node: this.pipe() }];
    for (;;) {
      const by = this.isOperator('&&') ? '&&' : this.isOperator('||') ? '||' : undefined;
      if (by === undefined) break;
      this.at++;
      this.skip('\n');
      items.push({ by, node: this.pipe() });
    }
    const [only] = items;
    return only && items.length === 1 ? only.node : { kind: 'chain', items };
  }

  private pipe(): ShellNode {
    let negated = false;
    while (this.isWord('!') || this.isWord('time')) {
      if (this.isWord('!')) negated = !negated;
      this.at++;
    }
    const parts = [this.command()];
    while (this.isOperator('|') || this.isOperator('|&')) {
      this.at++;
      this.skip('\n');
      parts.push(this.command());
    }
    const [only] = parts;
    return only && parts.length === 1 && !negated ? only : { kind: 'pipe', parts, negated };
  }

  private command(): ShellNode {
    if (this.isOperator('(')) return this.group(true, ')');
    if (this.isOperator('{')) return this.group(false, '}');
    if (this.isWord('if')) return this.conditional();
    if (this.isWord('while') || this.isWord('until')) return this.loop();
    if (this.isWord('for') || this.isWord('select')) return this.loop();
    return this.call();
  }

  private group(subshell: boolean, close: string): ShellNode {
    this.at++;
    const body = this.list();
    if (this.text() === close) this.at++;
    this.redirections();
    return { kind: 'group', subshell, body };
  }

  private conditional(): ShellNode {
    const conditions: ShellNode[] = [];
    const branches: ShellNode[] = [];
    while (this.isWord('if') || this.isWord('elif')) {
      this.at++;
      conditions.push(this.list());
      if (this.isWord('then')) this.at++;
      branches.push(this.list());
    }
    if (this.isWord('else')) {
      this.at++;
      branches.push(this.list());
    }
    if (this.isWord('fi')) this.at++;
    this.redirections();
    return { kind: 'if', conditions, branches };
  }

  private loop(): ShellNode {
    const isFor = this.isWord('for') || this.isWord('select');
    this.at++;
    const condition = isFor ? undefined : this.list();
    // The names and values of a `for`.
    while (isFor && this.at < this.tokens.length && !this.isWord('do')) this.at++;
    if (this.isWord('do')) this.at++;
    const body = this.list();
    if (this.isWord('done')) this.at++;
    this.redirections();
    return { kind: 'loop', condition, body };
  }

  private call(): CallNode {
    const call: CallNode = {
      kind: 'call',
      words: [],
      assigns: [],
      writes: [],
      input: [],
      quoted: [],
      inner: [],
    };
    for (let token = this.tokens[this.at]; token; token = this.tokens[this.at]) {
      if (token.kind === 'operator') {
        if (!this.substitution(call)) break;
      } else if (token.kind === 'redirection') this.redirection(call);
      else this.word(call, token);
    }
    return call;
  }

  private word(call: CallNode, token: Token): void {
    this.at++;
    call.quoted.push(...token.inner);
    if (token.kind === 'heredoc') call.input.push(token.text);
    else if (call.words.length === 0 && /^[A-Za-z_]\w*\+?=/.test(token.text)) call.assigns.push(token.text);
    else call.words.push(token.text);
  }

  /** `$(...)` comes as a word that ends in `$`, and a bracket. */
  private substitution(call: CallNode): boolean {
    const before = this.tokens[this.at - 1];
    const isDollar = this.isOperator('(') && before?.kind === 'word' && before.text.endsWith('$');
    const isProcess = this.isOperator('(') && before?.kind === 'redirection';
    if (!isDollar && !isProcess && !this.isOperator('`')) return false;
    const close = this.text() === '`' ? '`' : ')';
    this.at++;
    call.inner.push(this.list());
    if (this.text() === close) this.at++;
    return true;
  }

  private redirection(call: CallNode): void {
    const sign = this.text();
    this.at++;
    const target = this.tokens[this.at];
    if (target?.kind !== 'word') return;
    this.at++;
    if (sign === '<<<') call.input.push(target.text);
    else if (sign.includes('>') && !/^&?[\d-]$/.test(target.text)) call.writes.push(target.text);
  }

  /** Those of a whole group. */
  private redirections(): void {
    while (this.tokens[this.at]?.kind === 'redirection')
      this.redirection({
        kind: 'call',
        words: [],
        assigns: [],
        writes: [],
        input: [],
        quoted: [],
        inner: [],
      });
  }

  private text(): string {
    const token = this.tokens[this.at];
    return token?.kind === 'word' || token?.kind === 'operator' || token?.kind === 'redirection'
      ? token.text
      : '';
  }

  private isWord(text: string): boolean {
    const token = this.tokens[this.at];
    return token?.kind === 'word' && token.text === text;
  }

  private isOperator(text: string): boolean {
    const token = this.tokens[this.at];
    return token?.kind === 'operator' && token.text === text;
  }

  private skip(...operators: readonly string[]): void {
    while (operators.some((operator) => this.isOperator(operator))) this.at++;
  }
}
