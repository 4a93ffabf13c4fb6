import { type ShellCall, shellCalls } from '../shell/calls.ts';
import { withVariables } from '../shell/variables.ts';
import { type SimpleCommand, simpleCommands } from '../shell/words.ts';
import { globMatches } from '../text/globs.ts';
import { gitCallOf } from './dangerous-git.ts';
import { changedPath } from './protect.ts';
import { fold, pathsMeant } from './tool-paths.ts';
import type { ToolCall, ToolPlace, Variables } from './tool-rules.ts';
import { unreadablePath } from './unreadable-paths.ts';

/**
 * Permission rules in the syntax of Claude Code: `Bash(npm run test:*)`, `Edit(src/**)`, `WebFetch(domain:example.com)`,
 * `mcp__server__tool`. Where a call can be read in two ways, `deny` takes the wider reading and `allow` the narrower.
 */

interface Rule {
  tool: string;
  /** The text in the brackets; absent: every use of the tool. */
  content?: string;
}

const WRITERS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'];
const READERS = ['Read', 'Grep', 'Glob', 'NotebookRead', 'LS'];
const AGENTS = ['Agent', 'Task'];
/** Files with permissions, or that other programs run: an `allow` rule for a path never covers them. */
const NEVER_ALLOWED = [
  ...['.claude', '.mcp.json', 'untildone.yaml', '.husky', '.vscode', '.idea', '.devcontainer'],
  ...['~/.claude', '~/.claude.json', '~/.untildone'],
];
const PATH_FIELDS = ['file_path', 'notebook_path', 'path'];

function parse(written: string): Rule | undefined {
  const [, tool, content] = /^([A-Za-z][\w*.-]*)(?:\((.*)\))?$/s.exec(written.trim()) ?? [];
  if (tool === undefined) return undefined;
  return {
    tool,
    content: content === undefined || /^\*?$/.test(content.trim()) ? undefined : content.trim(),
  };
}

/** What a valid rule looks like, for an error; undefined when this one is valid. */
export function ruleProblem(written: string): string | undefined {
  const rule = parse(written);
  if (!rule) return 'a permission rule such as Bash(npm test) or WebFetch';
  if (rule.content === undefined) return undefined;
  const { tool, content } = rule;
  if (tool.includes('*'))
    return 'a rule without "*" in the name of the tool when something stands in brackets';
  if (tool === 'WebFetch')
    return /^domain:[\w*.-]+$/.test(content) ? undefined : 'a domain, as in WebFetch(domain:example.com)';
  if (tool === 'Bash' || tool === 'Skill' || AGENTS.includes(tool)) return undefined;
  if (WRITERS.includes(tool) || READERS.includes(tool)) return undefined;
  return `${tool} without brackets: what stands in them cannot be compared for this tool`;
}

/** Whether a `deny` rule fits this call. */
export function denies(written: string, asked: Asked): boolean {
  const rule = parse(written);
  if (!rule) return false;
  const { tool, input } = asked.call;
  if (rule.content === undefined) return namesTool(rule.tool, tool);
  if (WRITERS.includes(rule.tool)) return deniesPath(rule.content, asked, changedPath);
  if (READERS.includes(rule.tool)) return deniesPath(rule.content, asked, unreadablePath);
  if (!namesTool(rule.tool, tool)) return false;
  if (rule.tool === 'Bash') return typeof input.command === 'string' && isDeniedCommand(rule.content, asked);
  return matchesContent(rule, input, 'widely');
}

/** The `allow` rules that together cover all of this call; undefined when they do not. */
export function allowedBy(rules: readonly string[], asked: Asked): string | undefined {
  const parsed = rules.flatMap((written) => {
    const rule = parse(written);
    return rule ? [{ ...rule, written }] : [];
  });
  const { tool, input } = asked.call;
  // Leaving the sandbox always asks you.
  if (input.dangerouslyDisableSandbox === true) return undefined;
  const whole = parsed.find((rule) => rule.content === undefined && namesTool(rule.tool, tool));
  if (whole) return whole.written;
  if (tool === 'Bash') {
    const command = typeof input.command === 'string' ? input.command : '';
    const bash = parsed.filter((rule) => rule.tool === 'Bash');
    const mayWrite = (path: string) => parsed.some((rule) => allowsPath(rule, 'Edit', path, asked));
    return isAllowedCommand(
      bash.map((rule) => rule.content ?? ''),
      command,
      mayWrite,
      asked,
    )
      ? bash.map((rule) => rule.written).join(', ')
      : undefined;
  }
  return parsed.find((rule) => allows(rule, asked))?.written;
}

function allows(rule: Rule, asked: Asked): boolean {
  const { tool, input } = asked.call;
  if (WRITERS.includes(tool) || READERS.includes(tool)) {
    const path = PATH_FIELDS.map((field) => input[field]).find((value) => typeof value === 'string');
    return typeof path === 'string' && allowsPath(rule, tool, path, asked);
  }
  return rule.content !== undefined && namesTool(rule.tool, tool) && matchesContent(rule, input, 'narrowly');
}

/** Whether a rule covers a path. `Edit(...)` means every tool that edits, `Read(...)` every tool that reads. */
function allowsPath(rule: Rule, tool: string, path: string, { place, variables }: Asked): boolean {
  const isMeant =
    rule.tool === tool ||
    (rule.tool === 'Edit' && WRITERS.includes(tool)) ||
    (rule.tool === 'Read' && READERS.includes(tool));
  if (!isMeant || rule.content === undefined) return isMeant;
  const meant = pathsMeant([patternOf(rule.content)], place, 'exactly');
  const never = pathsMeant(NEVER_ALLOWED, place);
  const spellings = place.spellings(path, variables);
  return spellings.length > 0 && !/[$*?[{]/.test(path) && spellings.every((one) => meant(one) && !never(one));
}

function deniesPath(content: string, { call, place, variables }: Asked, find: typeof changedPath): boolean {
  const roots = [...place.roots, ...place.worktrees()];
  const fits = pathsMeant([patternOf(content)], { roots, home: place.home });
  const guarded = { paths: [], what: (path: string) => path, fits, inside: place.inside };
  return find(call.tool, call.input, guarded, (word) => place.spellings(word, variables)) !== undefined;
}

/** A path pattern: `//` begins at the root of the machine, everything else at the project. */
function patternOf(content: string): string {
  if (content.startsWith('//')) return content.slice(1);
  return content.startsWith('/') ? `.${content}` : content;
}

type Width = 'widely' | 'narrowly';

function namesTool(named: string, tool: string): boolean {
  if (named === tool || wild(named, tool)) return true;
  if (/^mcp__[^*]+$/.test(named) && !named.slice(5).includes('__')) return tool.startsWith(`${named}__`);
  if (AGENTS.includes(named)) return AGENTS.includes(tool);
  return (named === 'Edit' && WRITERS.includes(tool)) || (named === 'Read' && READERS.includes(tool));
}

function wild(pattern: string, text: string): boolean {
  return pattern.includes('*') && globMatches(pattern, text);
}

function matchesContent({ tool, content = '' }: Rule, input: Record<string, unknown>, width: Width): boolean {
  if (tool === 'WebFetch') return matchesDomain(content.replace(/^domain:/, ''), input.url, width);
  const name = tool === 'Skill' ? input.skill : input.subagent_type;
  return typeof name === 'string' && (name === content || wild(content, name));
}

function matchesDomain(named: string, url: unknown, width: Width): boolean {
  const host = typeof url === 'string' ? hostOf(url) : undefined;
  if (host === undefined) return false;
  const domain = named.toLowerCase().replace(/\.$/, '');
  return (
    host === domain ||
    wild(domain, host) ||
    (width === 'widely' && host.endsWith(`.${domain.replace(/^\*\./, '')}`))
  );
}

function hostOf(url: string): string | undefined {
  const [, host] = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#\\]*@)?(\[[^\]]*\]|[^/?#:\\]*)/i.exec(url.trim()) ?? [];
  return host?.toLowerCase().replace(/\.$/, '');
}

/** Whether a pattern of `Bash(...)` fits a command. `x:*` and `x *` fit `x` alone, too, and never `xy`. */
function fits(pattern: string, command: string): boolean {
  const written = pattern.trim().replace(/:\*$/, ' *').replace(/\s+/g, ' ');
  const [before, single] = [written.slice(0, -2), written.indexOf('*') === written.length - 1];
  if (written.endsWith(' *') && single && command === before) return true;
  return globMatches(written, command);
}

/** Whether any part of the line fits, also behind wrappers, in subshells, and with a path before the program. */
function isDeniedCommand(pattern: string, asked: Asked): boolean {
  const bare = pattern.trim();
  const unquoted = bare.replace(/["']/g, '');
  return textsOf(asked).some((text) => fits(bare, text) || fits(unquoted, text));
}

/** The readings of a line, made once for all rules. */
const texts = new WeakMap<Asked, readonly string[]>();

function textsOf(asked: Asked): readonly string[] {
  const known = texts.get(asked);
  if (known) return known;
  const line = String(asked.call.input.command ?? '');
  const parts = simpleCommands(line).map(({ words }) => words.join(' '));
  const found = [line, ...parts, ...shellCalls(line).flatMap(readings)]
    .flatMap((text) => withVariables(text, (name) => asked.variables.get(name)))
    .map(oneSpace);
  texts.set(asked, found);
  return found;
}

const MOST_READINGS = 10;

/** A call as it is written, and without the options before its subcommand. */
function readings({ program, args }: ShellCall): string[] {
  const git = program === 'git' ? gitCallOf(args) : undefined;
  const first = args.findIndex((word) => !word.startsWith('-'));
  const options = first > 0 ? [args.slice(first)] : [];
  const others = git ? [[git.command, ...git.words]] : [...options, ...withoutOptions(args)];
  return [args, ...others].map((words) => [program, ...words].join(' '));
}

/** Leaves out options and their values, one after the other: `compose -f x.yml down -v` is `compose down -v`. */
function withoutOptions(args: readonly string[]): string[][] {
  const found: string[][] = [];
  const kept: string[] = [];
  for (let i = 0; i < args.length && found.length < MOST_READINGS; i++) {
    const word = args[i] ?? '';
    if (word.startsWith('-')) {
      if (!word.includes('=')) i++;
      if (i + 1 < args.length) found.push([...kept, ...args.slice(i + 1)]);
    } else kept.push(word);
  }
  return found;
}

function oneSpace(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** Substitutions, control characters and unusual spaces: what such a line runs is not certain. */
const COMPUTED = /\$\(|`|[<>]\(|(?![\t\n])\p{Cc}|[^\S \t\n]/u;
const RUNS_TEXT = /^(?:eval|source|\.|exec|trap|alias|builtin|command|env|xargs|sudo|doas|coproc)$/;
/** `2>&1` and the like name no file. */
const STREAMS = /(^|\s)\d?>&\d(?=\s|$|[;&|)])/g;

/** Whether rules cover every part of the line, and every file that it writes. */
function isAllowedCommand(
  patterns: readonly string[],
  line: string,
  mayWrite: (path: string) => boolean,
  asked: Asked,
): boolean {
  if (COMPUTED.test(line) || patterns.length === 0) return false;
  const parts = simpleCommands(line.replace(STREAMS, '$1'));
  const work = parts.filter((part) => !goesToProject(part, asked));
  return work.length > 0 && work.every((part) => isAllowedPart(part, patterns, mayWrite));
}

function isAllowedPart(
  { words, writes, input, inner, assigns }: SimpleCommand,
  patterns: readonly string[],
  mayWrite: (path: string) => boolean,
): boolean {
  const asked = withoutWrapper(words);
  const [program = ''] = asked;
  if (input !== undefined || inner !== undefined || assigns !== undefined) return false;
  if (program === '' || /[$*?[{~\s]/.test(program)) return false;
  if (!writes.every((path) => path === '/dev/null' || mayWrite(path))) return false;
  const text = oneSpace(asked.join(' '));
  const isExact = patterns.includes(text);
  return isExact || (!RUNS_TEXT.test(program) && patterns.some((pattern) => fits(pattern, text)));
}

/** The words without `time`, `nohup` and `timeout`, which do not change what runs. */
function withoutWrapper(words: readonly string[]): readonly string[] {
  if (words[0] === 'time' || words[0] === 'nohup') return words.slice(1);
  return words[0] === 'timeout' && /^\d+[smh]?$/.test(words[1] ?? '') ? words.slice(2) : words;
}

/** Whether it is a `cd` into the project from the project itself, which changes nothing. */
function goesToProject({ words, writes, input, inner }: SimpleCommand, { place, call }: Asked): boolean {
  const [program, folder, ...more] = words;
  if (program !== 'cd' || folder === undefined || more.length + writes.length > 0 || input || inner)
    return false;
  const roots = place.roots.map(fold);
  if (!folder.startsWith('/') || !roots.includes(fold(call.cwd))) return false;
  return place.spellings(folder).every((path) => roots.includes(fold(path)));
}

/** A tool call, and what is known about the machine. */
export interface Asked {
  call: ToolCall;
  place: ToolPlace;
  variables: Variables;
}
