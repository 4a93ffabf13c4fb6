import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { keepShort } from '../../core/text/clip.ts';
import type { SubagentActivity } from '../../ports/ports.ts';
import { pollSignals } from './file.ts';

/** The transcript of one subagent: what it was asked to do, and which files its tool calls name. */

interface AgentLineSaid {
  /** What it was asked at its beginning. */
  prompt?: string;
  /** Files that it wrote or edited, as the calls name them. */
  edited: string[];
  /** Other tools it called that may have changed something. */
  others: string[];
}

const NOTHING: AgentLineSaid = { edited: [], others: [] };

/** The field that names the file, by tool. */
const EDITS: Record<string, string> = {
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
};

/** Tools that leave the project as it is. What is not known may change anything. */
const READS = new Set(
  (
    'Read Glob Grep LS LSP NotebookRead WebFetch WebSearch ToolSearch TodoWrite TaskCreate TaskGet TaskList TaskUpdate ' +
    'TaskOutput TaskStop BashOutput KillShell SendMessage AskUserQuestion'
  ).split(' '),
);

/** One line of it. Never throws: what is not understood says nothing. */
export function parseAgentLine(line: string): AgentLineSaid {
  const entry = fieldsIn(line);
  const message = asFields(entry?.message);
  if (!entry || !message) return NOTHING;
  if (entry.type === 'assistant') return callsIn(message.content);
  // The first line has no line before it.
  if (entry.type !== 'user' || entry.parentUuid !== null) return NOTHING;
  const prompt = textOf(message.content);
  return prompt === '' ? NOTHING : { ...NOTHING, prompt };
}

function callsIn(content: unknown): AgentLineSaid {
  const said: AgentLineSaid = { edited: [], others: [] };
  for (const block of Array.isArray(content) ? content.map(asFields) : []) {
    if (block?.type !== 'tool_use' || typeof block.name !== 'string' || READS.has(block.name)) continue;
    const key = Object.hasOwn(EDITS, block.name) ? EDITS[block.name] : undefined;
    const file = key === undefined ? undefined : asFields(block.input)?.[key];
    if (typeof file === 'string' && file !== '') said.edited.push(file);
    else said.others.push(block.name);
  }
  return said;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks = Array.isArray(content) ? content.map(asFields) : [];
  return blocks.flatMap((block) => (typeof block?.text === 'string' ? [block.text] : [])).join('\n');
}

type Fields = Record<string, unknown>;

function fieldsIn(line: string): Fields | undefined {
  try {
    return asFields(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** Of a longer transcript not every call can be told. */
const MAX_BYTES = 16 * 1024 * 1024;
const PROMPT_LIMIT = 20_000;
const MOST_FILES = 2000;
/** The client writes behind its own hooks. */
const WAIT_MS = 1000;

/** What a subagent was asked and did, from its own transcript; undefined when there is none. Never throws. */
export async function readAgentStory(
  path: string,
  maxBytes = MAX_BYTES,
): Promise<SubagentActivity | undefined> {
  await pollSignals(path, (signals) => signals.answered === true, WAIT_MS, { sidechain: true });
  const start = startOf(path, maxBytes);
  return start && storyIn(start.text.split('\n'), start.whole);
}

function storyIn(lines: readonly string[], whole: boolean): SubagentActivity {
  const edited = new Set<string>();
  const others = new Set<string>();
  let prompt: string | undefined;
  for (const line of lines) {
    const said = parseAgentLine(line);
    prompt ??= said.prompt;
    for (const file of said.edited) edited.add(file);
    for (const tool of said.others) others.add(tool);
  }
  return {
    prompt: prompt === undefined ? undefined : keepShort(prompt, PROMPT_LIMIT),
    edited: [...edited].slice(0, MOST_FILES),
    others: [...others],
    whole: whole && edited.size <= MOST_FILES,
  };
}

function startOf(path: string, maxBytes: number): { text: string; whole: boolean } | undefined {
  let fd: number | undefined;
  try {
    if (!statSync(path).isFile()) return undefined;
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    const read = readSync(fd, bytes, 0, bytes.length, 0);
    return { text: bytes.toString('utf8', 0, read), whole: size <= maxBytes && read === size };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
