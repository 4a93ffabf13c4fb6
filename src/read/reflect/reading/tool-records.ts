/** Calls of tools and their results, as records. */
import { asFields, type Fields } from '../../../engine/client/fields.ts';
import { commandText, excerptOf, hashOf, inputText, nameOf } from './excerpt.ts';
import type { EditPart, ToolInput, ToolOutcome, ToolResultRecord, ToolUseRecord } from './records.ts';

type Bare<T> = Omit<T, 'line' | 'at' | 'where'>;

/** The fields that are copied, by their name in the record. The first that is there counts. */
const TEXTS: readonly (readonly [keyof ToolInput, ...string[]])[] = [
  ['description', 'description'],
  ['file', 'file_path', 'notebook_path'],
  ['pattern', 'pattern'],
  ['path', 'path'],
  ['url', 'url'],
  ['query', 'query'],
  ['prompt', 'prompt'],
  ['agent', 'subagent_type'],
  ['skill', 'skill'],
  ['task', 'task_id', 'bash_id', 'shell_id'],
];
const NUMBERS: readonly (readonly [keyof ToolInput, string])[] = [
  ['timeoutMs', 'timeout'],
  ['offset', 'offset'],
  ['limit', 'limit'],
];

export function toolUse(block: Fields, message: string | undefined): Bare<ToolUseRecord> | undefined {
  const { id, name } = block;
  if (typeof name !== 'string') return undefined;
  const input = asFields(block.input) ?? {};
  return {
    kind: 'tool_use',
    id: typeof id === 'string' ? id : '',
    name: name.slice(0, 200),
    message,
    input: toolInput(input),
    edits: editsIn(name, input),
    size: sizeOf(input),
  };
}

function toolInput(input: Fields): ToolInput {
  const found: Record<string, unknown> = {};
  for (const [name, ...keys] of TEXTS)
    for (const key of keys) {
      const text = inputText(input[key]);
      if (text !== undefined) found[name] ??= text;
    }
  for (const [name, key] of NUMBERS) if (typeof input[key] === 'number') found[name] = input[key];
  found.command = commandText(input.command);
  if (input.run_in_background === true) found.background = true;
  return found as ToolInput;
}

function editsIn(tool: string, input: Fields): EditPart[] | undefined {
  switch (tool) {
    case 'Edit':
      return editPart(input.old_string, input.new_string);
    case 'Write':
      return editPart(undefined, input.content);
    case 'NotebookEdit':
      return editPart(undefined, input.new_source ?? '');
    case 'MultiEdit': {
      const parts = Array.isArray(input.edits) ? input.edits.map(asFields) : [];
      return parts.flatMap((part) => (part ? (editPart(part.old_string, part.new_string) ?? []) : []));
    }
    default:
      return undefined;
  }
}

function editPart(before: unknown, after: unknown): EditPart[] | undefined {
  if (typeof after !== 'string') return undefined;
  return [{ before: typeof before === 'string' ? hashOf(before) : undefined, after: hashOf(after) }];
}

/** How deep and how long inputs are looked at: their size is only an estimate. */
function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 4;
  if (depth > 4) return 0;
  let size = 0;
  for (const inner of Object.values(value)) size += sizeOf(inner, depth + 1);
  return size;
}

export function toolResult(block: Fields, entry: Fields): Bare<ToolResultRecord> {
  const texts = textsOf(block.content);
  const start = (texts[0] ?? '').slice(0, 600);
  const more = asFields(entry.toolUseResult);
  const outcome = outcomeOf(block, entry, start, more);
  const exitMeans = nameOf(more?.returnCodeInterpretation);
  return {
    kind: 'tool_result',
    id: nameOf(block.tool_use_id) ?? '',
    outcome,
    text: excerptOf(texts),
    exit: exitOf(block, outcome, start, exitMeans),
    exitMeans,
    background: nameOf(more?.backgroundTaskId),
    agent: nameOf(more?.agentId),
    deniedBy: outcome === 'denied' || outcome === 'rejected' ? deniedBy(entry) : undefined,
  };
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  const blocks = Array.isArray(content) ? content.map(asFields) : [];
  return blocks.flatMap((block) => (typeof block?.text === 'string' ? [block.text] : []));
}

const BY_PERSON = "The user doesn't want to ";
const NOT_GRANTED =
  /^(?:Error: )?(?:Permission to use .{1,300} has been denied|Claude requested permissions|PreToolUse:\S+ (?:hook error|denied)|Hook PreToolUse:\S+ denied)/s;
const INTERRUPTED = '[Request interrupted by user';
const INVALID = /^<tool_use_error>(?:Error: )?(?:No such tool available|InputValidationError)/;
/** Right after the exit code, or alone at the start. */
const TIMED_OUT = /^(?:Exit code \d+\n)?Command timed out after /;

function outcomeOf(block: Fields, entry: Fields, text: string, more: Fields | undefined): ToolOutcome {
  if (more?.interrupted === true || entry.toolDenialKind === 'interrupted' || text.startsWith(INTERRUPTED))
    return 'interrupted';
  if (block.is_error !== true) return 'ok';
  if (text.startsWith(BY_PERSON)) return 'rejected';
  if (typeof entry.toolDenialKind === 'string')
    return entry.toolDenialKind === 'cancelled' ? 'interrupted' : 'denied';
  if (NOT_GRANTED.test(text)) return 'denied';
  if (INVALID.test(text)) return 'invalid';
  return TIMED_OUT.test(text) ? 'timeout' : 'error';
}

/** Claude Code writes `is_error: false` for commands alone, and puts the exit code of a failed one before its output. */
function exitOf(
  block: Fields,
  outcome: ToolOutcome,
  text: string,
  exitMeans: string | undefined,
): number | undefined {
  if (outcome === 'ok') return block.is_error === false && exitMeans === undefined ? 0 : undefined;
  const [, code] = /^(?:Error: )?Exit code (\d{1,3})\b/.exec(text) ?? [];
  return code === undefined ? undefined : Number(code);
}

function deniedBy(entry: Fields): string | undefined {
  const source = asFields(entry.permissionDecision)?.source;
  return source === 'hook' ? 'hook' : nameOf(entry.toolDenialKind);
}
