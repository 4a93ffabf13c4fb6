/**
 * Permission rules as the client writes them: `Bash(npm run test:*)`, `Edit(src/**)`, `WebFetch(domain:example.com)`,
 * `mcp__server__tool`. Where a call can be read in two ways, a rule that refuses takes the wider one, a rule that
 * allows the narrower.
 */

import { globMatches } from '../text/globs.ts';
import { type Asked, isAllowedCommand, isDeniedCommand } from './bash-rule.ts';
import { changedPath } from './protect.ts';
import { pathsMeant } from './tool-paths.ts';
import { hiddenPath } from './unreadable-paths.ts';

interface Rule {
  tool: string;
  /** What stands in the brackets; absent or `*`: every use. */
  content?: string;
}

const WRITERS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'];
const READERS = ['Read', 'Grep', 'Glob', 'NotebookRead', 'LS'];
const AGENTS = ['Agent', 'Task'];
/** What says what is allowed, or is run by other programs, is never changed without asking, whatever a pattern covers. */
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
    ...(content === undefined || /^\*?$/.test(content.trim()) ? {} : { content: content.trim() }),
  };
}

/** What a rule that can be matched would have been; undefined when this one can. */
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

/** Whether a rule that refuses means this call. */
export function denies(written: string, asked: Asked): boolean {
  const rule = parse(written);
  if (!rule) return false;
  const { tool, input } = asked.call;
  if (rule.content === undefined) return namesTool(rule.tool, tool);
  if (WRITERS.includes(rule.tool)) return deniesPath(rule.content, asked, changedPath);
  if (READERS.includes(rule.tool)) return deniesPath(rule.content, asked, hiddenPath);
  if (!namesTool(rule.tool, tool)) return false;
  if (rule.tool === 'Bash') return typeof input.command === 'string' && isDeniedCommand(rule.content, asked);
  return matchesContent(rule, input, 'widely');
}

/** Whether rules that allow mean all of this call; the rule, for the journal. */
export function allowedBy(rules: readonly string[], asked: Asked): string | undefined {
  const parsed = rules.flatMap((written) => {
    const rule = parse(written);
    return rule ? [{ ...rule, written }] : [];
  });
  const { tool, input } = asked.call;
  // Out of the sandbox is a question of its own.
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

/** `Edit(...)` stands for every tool that edits, `Read(...)` for every one that reads; others for themselves. */
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

/** `//` begins at the root of the machine, `/` at that of the project; everything else is seen from the project. */
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
