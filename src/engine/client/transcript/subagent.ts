import { keepShort } from '../../core/text/clip.ts';
import type { SubagentActivity } from '../../ports/ports.ts';
import { asFields, parseFields } from '../fields.ts';
import { pollSignals, readAt, withFile } from './file.ts';

/** What one line of a subagent's transcript tells. */
interface AgentLineSaid {
  /** The task that the subagent was given. */
  prompt?: string;
  /** Files that its calls wrote or edited, as they name them. */
  edited: string[];
  /** Other tools that it called and that may have changed something. */
  others: string[];
}

const NOTHING: AgentLineSaid = { edited: [], others: [] };

/** Tools that write a file, with the input field that names it. */
const EDITS: Record<string, string> = {
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
};

/** Tools that change nothing in the project. Any other tool may change something. */
const READS = new Set(
  (
    'Read Glob Grep LS LSP NotebookRead WebFetch WebSearch ToolSearch TodoWrite TaskCreate TaskGet TaskList TaskUpdate ' +
    'TaskOutput TaskStop BashOutput KillShell SendMessage AskUserQuestion'
  ).split(' '),
);

/** Parses one line. Never throws: a line that is not understood tells nothing. */
export function parseAgentLine(line: string): AgentLineSaid {
  const entry = parseFields(line);
  const message = asFields(entry?.message);
  if (!entry || !message) return NOTHING;
  if (entry.type === 'assistant') return callsIn(message.content);
  // The task is the first line, which has no parent.
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

/** The most bytes that are read. A longer transcript counts as incomplete. */
const MAX_BYTES = 16 * 1024 * 1024;
const PROMPT_LIMIT = 20_000;
const MOST_FILES = 2000;
/** How long to wait for the last answer, which Claude Code may write after it calls the hook. */
const WAIT_MS = 1000;

/** What a subagent was asked and did, from its own transcript; undefined when there is none. Never throws. */
export async function readSubagentActivity(
  path: string,
  maxBytes = MAX_BYTES,
): Promise<SubagentActivity | undefined> {
  await pollSignals(path, (signals) => signals.answered === true, WAIT_MS, { sidechain: true });
  const start = startOf(path, maxBytes);
  return start && activityIn(start.text.split('\n'), start.whole);
}

function activityIn(lines: readonly string[], whole: boolean): SubagentActivity {
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
  return withFile(path, (fd, size) => {
    const bytes = readAt(fd, 0, Math.min(size, maxBytes));
    return { text: bytes.toString('utf8'), whole: bytes.length === size };
  });
}
