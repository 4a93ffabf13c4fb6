import type { AnswerLine, AnswerUsage, TranscriptLine } from '../../core/loop/transcript.ts';
import { asFields, type Fields, parseFields } from '../fields.ts';

const OTHER: TranscriptLine = { kind: 'other' };

/** Parses one line of a transcript. Never throws: a line that is not understood is `other`. */
export function parseTranscriptLine(line: string): TranscriptLine {
  const entry = parseFields(line);
  if (!entry) return OTHER;
  switch (entry.type) {
    case 'assistant':
      return parseAnswer(entry);
    case 'user':
      return parseUser(entry);
    case 'attachment':
      return parseAttachment(entry);
    case 'system':
      return entry.subtype === 'compact_boundary'
        ? { kind: 'compaction', sidechain: isSidechain(entry) }
        : OTHER;
    case 'cost-state':
      return parseCost(entry);
    default:
      return OTHER;
  }
}

function parseAnswer(entry: Fields): TranscriptLine {
  const message = asFields(entry.message);
  // Claude Code writes its own notices (API errors, interruptions) as answers of no model.
  if (!message || entry.isApiErrorMessage === true || message.model === '<synthetic>') return OTHER;
  const blocks = contentBlocks(message.content);
  const toolUses = blocks.filter((block) => block.type === 'tool_use').flatMap((block) => idIn(block, 'id'));
  const text = lastText(blocks);
  const answer: AnswerLine = {
    kind: 'answer',
    sidechain: isSidechain(entry),
    toolUses,
    final: endsWork(message.stop_reason, toolUses.length > 0, text),
  };
  const messageId = asName(message.id);
  const model = asName(entry.requestedModel) ?? asName(message.model);
  const usage = parseUsage(message.usage);
  if (messageId !== undefined) answer.messageId = messageId;
  if (model !== undefined) answer.model = model;
  if (text !== undefined) answer.text = text;
  if (usage !== undefined) answer.usage = usage;
  return answer;
}

/** Whether an answer ends the work. Older versions write no stop reason: there, a text without a tool call does. */
function endsWork(stopReason: unknown, callsTool: boolean, text: string | undefined): boolean {
  if (callsTool) return false;
  if (typeof stopReason !== 'string') return text !== undefined;
  return stopReason !== 'tool_use' && stopReason !== 'pause_turn';
}

/** The time of a line that ends a turn of the session itself; undefined for every other line. Never throws. */
export function turnEndIn(line: string): number | undefined {
  // Most lines are long, and none of these.
  if (!/"stop_reason":"(?:end_turn|stop_sequence)"/.test(line)) return undefined;
  const entry = parseFields(line);
  if (entry?.type !== 'assistant' || isSidechain(entry)) return undefined;
  const answer = parseAnswer(entry);
  const at = typeof entry.timestamp === 'string' ? Date.parse(entry.timestamp) : Number.NaN;
  return answer.kind === 'answer' && answer.final && !Number.isNaN(at) ? at : undefined;
}

function parseUsage(value: unknown): AnswerUsage | undefined {
  const usage = asFields(value);
  if (!usage) return undefined;
  return {
    input: asCount(usage.input_tokens),
    cacheCreation: asCount(usage.cache_creation_input_tokens),
    cacheRead: asCount(usage.cache_read_input_tokens),
    output: asCount(usage.output_tokens),
  };
}

function parseUser(entry: Fields): TranscriptLine {
  const sidechain = isSidechain(entry);
  const blocks = contentBlocks(asFields(entry.message)?.content);
  const results = blocks.filter((block) => block.type === 'tool_result');
  if (results.length > 0) {
    return {
      kind: 'tool_results',
      sidechain,
      toolUses: results.flatMap((block) => idIn(block, 'tool_use_id')),
    };
  }
  const text = blocks.flatMap((block) => (typeof block.text === 'string' ? [block.text] : [])).join('\n');
  if (entry.isMeta === true) return text.startsWith(FEEDBACK) ? { kind: 'block', sidechain } : OTHER;
  if (blocks.length === 0 || isNote(entry, text)) return OTHER;
  return { kind: 'prompt', sidechain, text };
}

const FEEDBACK = 'Stop hook feedback:';

/** A command that Claude Code handles itself begins with its name; one for the model begins with its message. */
const LOCAL_COMMAND = /^\s*<(command-name|local-command-\w+|bash-(input|stdout|stderr))>/;

/** Lines written in the user's name that start no turn. */
function isNote(entry: Fields, text: string): boolean {
  return (
    entry.isCompactSummary === true ||
    text.startsWith('This session is being continued from a previous conversation') ||
    (text.trimStart().startsWith('<') && LOCAL_COMMAND.test(text))
  );
}

/** Finds holds by attachments, because a hold by `additionalContext` leaves no feedback line. */
function parseAttachment(entry: Fields): TranscriptLine {
  const attachment = asFields(entry.attachment);
  const holds = attachment?.type === 'hook_blocking_error' || attachment?.type === 'hook_additional_context';
  const onStop = attachment?.hookEvent === 'Stop' || attachment?.hookEvent === 'SubagentStop';
  return holds && onStop ? { kind: 'block', sidechain: isSidechain(entry) } : OTHER;
}

function parseCost(entry: Fields): TranscriptLine {
  const total = entry.totalCostUSD;
  return typeof total === 'number' && Number.isFinite(total) && total >= 0
    ? { kind: 'cost', totalUsd: total }
    : OTHER;
}

/** Content is a list of blocks, or a plain string that stands for one text block. */
function contentBlocks(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.map(asFields).filter((block) => block !== undefined);
}

function lastText(blocks: Fields[]): string | undefined {
  const text = blocks.findLast((block) => block.type === 'text' && typeof block.text === 'string')?.text;
  return typeof text === 'string' ? text : undefined;
}

function idIn(block: Fields, key: string): string[] {
  const id = asName(block[key]);
  return id === undefined ? [] : [id];
}

function isSidechain(entry: Fields): boolean {
  return entry.isSidechain === true;
}

function asName(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function asCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
