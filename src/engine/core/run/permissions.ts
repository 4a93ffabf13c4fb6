/** Tool calls that Claude Code denies in a run, where nobody can be asked, and those that need no asking. */

import type { Contract } from '../contract/contract.ts';
import { type SimpleCommand, simpleCommands } from '../shell/words.ts';
import { oneLine } from '../text/clip.ts';
import { insideProject } from '../text/paths.ts';
import { redact } from '../text/redact.ts';

interface Denial {
  tool: string;
  /** The command, the file or the address, in one line and without secrets. */
  what: string;
  /** The permission rules that would allow it. */
  allow: string[];
}

const WHAT = 200;
const RULES = 4;

export function denialOf(tool: string, input: Record<string, unknown>): Denial {
  return { tool: oneLine(tool, WHAT), what: whatIn(tool, input), allow: rulesFor(tool, input) };
}

/** The options of `untildone run` that would allow it. */
export function allowWords({ allow }: Pick<Denial, 'allow'>): string {
  return allow.map((rule) => `--allow ${JSON.stringify(rule)}`).join(' ');
}

function whatIn(tool: string, input: Record<string, unknown>): string {
  const named = ['command', 'file_path', 'notebook_path', 'path', 'url', 'query'].map((key) => input[key]);
  const found = named.find((value): value is string => typeof value === 'string' && value.trim() !== '');
  const said = found ?? (Object.keys(input).length === 0 ? '' : JSON.stringify(input));
  // A long text is cut before it is searched for secrets, and once more after that.
  return oneLine(redact(said.slice(0, 20 * WHAT)), WHAT) || oneLine(tool, WHAT);
}

const EDITS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'];

function rulesFor(tool: string, input: Record<string, unknown>): string[] {
  const { command, url } = input;
  if (tool === 'Bash' && typeof command === 'string') return bashRules(command);
  const file = input.file_path ?? input.notebook_path;
  if (EDITS.includes(tool) && typeof file === 'string' && isPlain(file))
    return [`Edit(${file.startsWith('/') ? '/' : ''}${file})`];
  if (tool === 'WebFetch' && typeof url === 'string' && URL.canParse(url))
    return [`WebFetch(domain:${new URL(url).hostname})`];
  return [oneLine(tool, WHAT)];
}

/** One rule for each command of a line: Claude Code asks for every part of it. */
function bashRules(line: string): string[] {
  const all = simpleCommands(line);
  const asked = all.filter(({ words }) => !UNASKED.has(words[0] ?? ''));
  const rules = (asked.length > 0 ? asked : all).map(ruleFor);
  const known = [...new Set(rules.filter((rule) => rule !== undefined))];
  const isWhole = rules.length > 0 && rules.every((rule) => rule !== undefined) && known.length <= RULES;
  return isWhole ? known : ['Bash'];
}

/** Commands that Claude Code never asks about. */
const UNASKED = new Set(['cd', 'echo', 'pwd', 'true', 'false', 'test', '[', ':']);

/** Programs whose second word says what they do. */
const WITH_VERB = new Set(
  'git npm pnpm yarn bun npx deno cargo go docker podman kubectl pip pip3 uv poetry gh make mvn gradle dotnet bundle rails composer'.split(
    ' ',
  ),
);

/** Undefined for a command that no rule can name. */
function ruleFor({ words }: SimpleCommand): string | undefined {
  const [program, verb, script] = words;
  if (program === undefined || !isPlain(program)) return undefined;
  if (!WITH_VERB.has(program) || verb === undefined || !/^[a-z][\w:.-]*$/i.test(verb))
    return `Bash(${program}:*)`;
  const runsScript = verb === 'run' && script !== undefined && /^[a-z][\w.-]*$/i.test(script);
  return `Bash(${[program, verb, ...(runsScript ? [script] : [])].join(' ')}:*)`;
}

function isPlain(word: string): boolean {
  return /^[\w@%+=,./~-]+$/.test(word) && redact(word) === word;
}

/**
 * Whether a call is exactly the command of a gate, where the gate runs it: you have trusted that command, and it runs at
 * every Stop anyway.
 */
export function isGateCommand(
  call: { tool: string; input: Record<string, unknown>; cwd?: string },
  { gates }: Pick<Contract, 'gates'>,
  project: string,
): boolean {
  const { command, dangerouslyDisableSandbox } = call.input;
  if (call.tool !== 'Bash' || typeof command !== 'string' || dangerouslyDisableSandbox === true) return false;
  return Object.values(gates).some((spec) => {
    if (spec.kind !== 'run') return false;
    const { command: whole, quick } = spec.options;
    if (![whole, quick].some((known) => known?.trim() === command.trim())) return false;
    const folder = insideProject(spec.options.cwd ?? '.');
    return folder !== undefined && call.cwd === (folder === '.' ? project : `${project}/${folder}`);
  });
}
