/** Which calls of a shell line could fail without the line failing, and why. */
import { baseName, SHELLS, unwrapped } from '../../../engine/core/shell/calls.ts';
import { hasFlag } from '../../../engine/core/shell/options.ts';
import { type CallNode, type ShellNode, shellStructure } from '../../../engine/core/shell/structure.ts';

/** Why the exit code of a line does not tell about one of its calls. */
export type Hiding =
  | 'pipe'
  | 'or'
  | 'later_command'
  | 'exit_zero'
  | 'if'
  | 'loop'
  | 'negated'
  | 'background'
  | 'substitution'
  | 'trap'
  | 'may_not_run';

export interface LineCall {
  program: string;
  args: string[];
  assigns: string[];
  writes: string[];
  input: string[];
  /** It reads the output of the call before it. */
  piped?: boolean;
  /** Absent when the line fails if this call does. */
  hidden?: Hiding;
  /** The program that hides it: `tail`, `true`, `echo`. */
  by?: string;
  /** The text around a `$?` that is printed right after the call. */
  printed?: { before: string; after: string };
}

type Fate = Pick<LineCall, 'hidden' | 'by' | 'printed'>;

interface Context {
  /** What becomes of a failure here. */
  fate: Fate;
  /** What becomes of an `exit` here. */
  exit: Fate;
  /** The first part of a pipe is asked for by `${PIPESTATUS[0]}`. */
  firstOfPipe?: boolean;
  piped?: boolean;
}

const TOLD: Fate = {};
const DEEPEST = 5;

/** All calls of a line in the order in which they would run. */
export function lineCalls(line: string): LineCall[] {
  const found = new Calls();
  found.line(line, { fate: TOLD, exit: TOLD }, 0);
  return found.hideAll();
}

class Calls {
  private readonly calls: LineCall[] = [];
  private errexit = false;
  private pipefail = false;
  private trapped = false;

  /** A trap that ends the shell well hides every failure. */
  hideAll(): LineCall[] {
    return this.trapped ? this.calls.map((call) => ({ ...call, hidden: 'trap', by: 'trap' })) : this.calls;
  }

  line(line: string, context: Context, depth: number): void {
    if (depth <= DEEPEST) this.walk(shellStructure(line), context, depth);
  }

  private walk(node: ShellNode, context: Context, depth: number): void {
    if (node.kind === 'list') this.list(node, context, depth);
    else if (node.kind === 'chain') this.chain(node, context, depth);
    else if (node.kind === 'pipe') this.pipe(node, context, depth);
    else if (node.kind === 'group') this.group(node, context, depth);
    else if (node.kind === 'if') this.conditional(node, context, depth);
    else if (node.kind === 'loop') this.loop(node, context, depth);
    else this.call(node, context, depth);
  }

  /** A condition that fails is told only by a branch that ends badly. */
  private conditional(node: ShellNode & { kind: 'if' }, context: Context, depth: number): void {
    const isGuarded = node.branches.some(endsBadly);
    const fate: Fate = isGuarded ? context.exit : { hidden: 'if', by: 'if' };
    for (const condition of node.conditions)
      this.walk(withoutNegation(condition, isGuarded), { ...context, fate }, depth);
    for (const branch of node.branches)
      this.walk(branch, { ...context, fate: hiddenOr(context.fate, 'may_not_run', 'if') }, depth);
  }

  private loop(node: ShellNode & { kind: 'loop' }, context: Context, depth: number): void {
    const fate = this.errexit ? context.fate : hiddenOr(context.fate, 'loop', 'loop');
    if (node.condition) this.walk(node.condition, { ...context, fate }, depth);
    this.walk(node.body, { ...context, fate }, depth);
  }

  private list(node: ShellNode & { kind: 'list' }, context: Context, depth: number): void {
    node.items.forEach(({ node: item, background }, i) => {
      const rest = node.items.slice(i + 1).map((later) => later.node);
      const kept = keptBy(rest);
      const fate = background ? afterBackground(rest, context) : this.fateBefore(rest, kept, context);
      this.walk(item, { ...context, fate, firstOfPipe: kept === 'first of pipe' }, depth);
    });
  }

  /** What becomes of a failure when these commands come after it. */
  private fateBefore(rest: readonly ShellNode[], kept: Kept, context: Context): Fate {
    const [next] = rest;
    if (!next) return context.fate;
    if (this.errexit || kept) return context.exit;
    const printed = printedStatus(next);
    const last = firstProgram(rest.at(-1));
    const isZero = rest.some(endsWell);
    return { hidden: isZero ? 'exit_zero' : 'later_command', by: isZero ? 'exit 0' : last, printed };
  }

  private chain(node: ShellNode & { kind: 'chain' }, context: Context, depth: number): void {
    node.items.forEach(({ by, node: item }, i) => {
      const caught = node.items.slice(i + 1).find((later) => later.by === '||');
      let { fate } = context;
      if (caught) fate = endsBadly(caught.node) ? context.exit : orFate(caught.node);
      if (by === '||') fate = hiddenOr(fate, 'may_not_run', '||');
      this.walk(item, { ...context, fate }, depth);
    });
  }

  private pipe(node: ShellNode & { kind: 'pipe' }, context: Context, depth: number): void {
    const whole: Fate = node.negated ? { hidden: 'negated', by: '!' } : context.fate;
    node.parts.forEach((part, i) => {
      const isLast = i === node.parts.length - 1;
      const isTold = isLast || this.pipefail || (i === 0 && context.firstOfPipe === true);
      const fate: Fate = isTold ? whole : { hidden: 'pipe', by: firstProgram(node.parts[i + 1]) };
      this.walk(part, { fate, exit: node.parts.length > 1 ? fate : context.exit, piped: i > 0 }, depth);
    });
  }

  private group(node: ShellNode & { kind: 'group' }, context: Context, depth: number): void {
    if (!node.subshell) {
      this.walk(node.body, context, depth);
      return;
    }
    const { errexit, pipefail } = this;
    this.walk(node.body, { ...context, exit: context.fate }, depth);
    Object.assign(this, { errexit, pipefail });
  }

  private call(node: CallNode, context: Context, depth: number): void {
    const { words } = unwrapped(node.words);
    const [name = '', ...args] = words;
    const program = baseName(name);
    const isAssignment = node.words.length === 0;
    const inside: Fate = isAssignment ? context.fate : { hidden: 'substitution', by: '$(...)' };
    for (const inner of node.inner) this.walk(inner, { fate: inside, exit: inside }, depth);
    for (const quoted of node.quoted) this.line(quoted, { fate: inside, exit: inside }, depth + 1);
    this.setOptions(program, args);
    const given = givenLine(program, args, node.input);
    if (given !== undefined) {
      this.givenTo(program, args, given, context, depth);
      return;
    }
    const { assigns, writes, input } = node;
    if (!isAssignment || writes.length > 0)
      this.calls.push({
        program,
        args,
        assigns: allAssigns(node.words, assigns),
        writes,
        input,
        piped: context.piped,
        ...context.fate,
      });
  }

  /** A line that another shell runs begins without options. */
  private givenTo(
    program: string,
    args: readonly string[],
    line: string,
    context: Context,
    depth: number,
  ): void {
    if (program === 'eval') {
      this.line(line, context, depth + 1);
      return;
    }
    const { errexit, pipefail } = this;
    this.errexit = hasFlag(args, 'e');
    this.pipefail = args.includes('pipefail');
    this.line(line, { ...context, exit: context.fate }, depth + 1);
    Object.assign(this, { errexit, pipefail });
  }

  private setOptions(program: string, args: readonly string[]): void {
    if (program === 'trap' && args.some((word) => /^(?:EXIT|ERR|0)$/.test(word)))
      this.trapped ||= endsWell(shellStructure(args[0] ?? ''));
    if (program !== 'set') return;
    for (const word of args) {
      if (/^-[a-z]*e/.test(word)) this.errexit = true;
      if (/^\+[a-z]*e/.test(word)) this.errexit = false;
    }
    const named = args.indexOf('pipefail');
    if (named > 0) this.pipefail = args[named - 1]?.startsWith('-') === true;
  }
}

function allAssigns(words: readonly string[], assigns: readonly string[]): string[] {
  return [...assigns, ...words.filter((word) => /^[A-Z_][A-Z0-9_]*=/.test(word))];
}

/** The line that a shell is given. */
function givenLine(program: string, args: readonly string[], input: readonly string[]): string | undefined {
  if (program === 'eval') return args.join(' ');
  if (!SHELLS.test(program)) return undefined;
  const at = args.findIndex((word) => /^-\w+$/.test(word) && word.includes('c'));
  if (at >= 0) return args.slice(at + 1).find((word) => word !== 'pipefail' && !/^[-+]\w+$/.test(word));
  return args.every((word) => word.startsWith('-')) ? input[0] : undefined;
}

function hiddenOr(fate: Fate, hidden: Hiding, by: string): Fate {
  return fate.hidden ? fate : { hidden, by };
}

function orFate(handler: ShellNode): Fate {
  return { hidden: endsWell(handler) ? 'exit_zero' : 'or', by: firstProgram(handler) };
}

function withoutNegation(node: ShellNode, isGuarded: boolean): ShellNode {
  if (!isGuarded || node.kind !== 'list') return node;
  return {
    kind: 'list',
    items: node.items.map((item) => ({
      ...item,
      node: item.node.kind === 'pipe' ? { ...item.node, negated: false } : item.node,
    })),
  };
}

/** `wait` with the process hands its exit code on. */
function afterBackground(rest: readonly ShellNode[], context: Context): Fate {
  const last = rest.at(-1);
  const isAwaited = last?.kind === 'call' && last.words[0] === 'wait' && last.words.length > 1;
  return isAwaited ? context.fate : { hidden: 'background', by: '&' };
}

type Kept = 'status' | 'first of pipe' | undefined;

/** Whether later commands end the line with the exit code from before them: `exit $?`, `code=$?; ...; exit $code`. */
function keptBy(rest: readonly ShellNode[]): Kept {
  const [next] = rest;
  const last = rest.at(-1);
  if (next?.kind !== 'call' || last?.kind !== 'call') return undefined;
  const ending = last.words.join(' ');
  if (!/^(?:exit|return|test|\[|\[\[)(?: |$)/.test(ending)) return undefined;
  if (next === last)
    return /PIPESTATUS/.test(ending) ? 'first of pipe' : isStatus(last) ? 'status' : undefined;
  for (const assign of next.assigns) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(assign) ?? [];
    const isNamed = last.words.some((word) => word === `$${name}` || word === `\${${name}}`);
    if (isNamed && value === '$?') return 'status';
    if (isNamed && value.includes('PIPESTATUS')) return 'first of pipe';
  }
  return undefined;
}

function isStatus({ words }: CallNode): boolean {
  return words.includes('$?') || (words[0] === 'exit' && words.length === 1);
}

/** The text around `$?` when it is printed first thing. */
function printedStatus(next: ShellNode): LineCall['printed'] {
  if (next.kind !== 'call' || next.words[0] !== 'echo') return undefined;
  const [before, after, ...more] = next.words
    .slice(1)
    .join(' ')
    .replace(/\$\{\?\}/g, '$?')
    .split('$?');
  return before === undefined || after === undefined || more.length > 0 ? undefined : { before, after };
}

/** Whether a command ends the shell, or itself, with a failure. */
function endsBadly(node: ShellNode): boolean {
  const last = lastCall(node);
  const [word = '', code = '1'] = last?.words ?? [];
  return word === 'false' || (/^(?:exit|return)$/.test(word) && code !== '0');
}

function endsWell(node: ShellNode): boolean {
  const last = lastCall(node);
  const [word = '', code] = last?.words ?? [];
  return /^(?:exit|return)$/.test(word) && code === '0';
}

function lastCall(node: ShellNode | undefined): CallNode | undefined {
  switch (node?.kind) {
    case 'call':
      return node;
    case 'list':
      return lastCall(node.items.at(-1)?.node);
    case 'chain':
      return lastCall(node.items.at(-1)?.node);
    case 'group':
      return lastCall(node.body);
    default:
      return undefined;
  }
}

function firstProgram(node: ShellNode | undefined): string | undefined {
  switch (node?.kind) {
    case 'call': {
      const [name] = unwrapped(node.words).words;
      return name === undefined ? undefined : baseName(name).slice(0, 40);
    }
    case 'list':
      return firstProgram(node.items[0]?.node);
    case 'chain':
      return firstProgram(node.items[0]?.node);
    case 'pipe':
      return firstProgram(node.parts[0]);
    case 'group':
      return firstProgram(node.body);
    default:
      return node?.kind;
  }
}
