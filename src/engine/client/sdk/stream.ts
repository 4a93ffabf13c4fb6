/** Parses what Claude Code prints with `--output-format stream-json`: one JSON object a line. */
import { type Fields, isFields, list, parseFields, text } from '../fields.ts';

export type Happening =
  | { kind: 'began'; session: string; clientVersion: string }
  | { kind: 'said'; text: string }
  | { kind: 'called'; id: string; tool: string; input: Record<string, unknown> }
  | { kind: 'returned'; id: string; output: string; failed: boolean }
  /** A Stop hook held the session; `reason` is what the model reads. */
  | { kind: 'held'; reason: string }
  /** A message of a hook or of Claude Code for you, not for the model. */
  | { kind: 'told'; text: string }
  | { kind: 'finished'; failed: boolean; text: string };

const HELD = 'Stop hook feedback:\n';
const TOLD = /^\w+ says: /;

/** Never throws. A line that is not JSON, of an unknown type, or of a subagent gives nothing. */
export function parseStreamLine(line: string): Happening[] {
  const fields = parseFields(line);
  return fields ? happeningsIn(fields) : [];
}

/** The same for a parsed line. The messages of the Agent SDK are such lines. */
export function happeningsIn(fields: Fields): Happening[] {
  if (isOfSubagent(fields)) return [];
  switch (fields.type) {
    case 'system':
      return ofSystem(fields);
    case 'assistant':
      return contentOf(fields).flatMap(ofAnswer);
    case 'user':
      return contentOf(fields).flatMap(ofInput);
    case 'result':
      return [{ kind: 'finished', failed: fields.is_error === true, text: text(fields, 'result') ?? '' }];
    default:
      return [];
  }
}

export function isOfSubagent(fields: Fields): boolean {
  return typeof fields.parent_tool_use_id === 'string';
}

function contentOf(fields: Fields): Fields[] {
  const { message } = fields;
  if (!isFields(message)) return [];
  return typeof message.content === 'string'
    ? [{ type: 'text', text: message.content }]
    : list(message, 'content');
}

function ofSystem(fields: Fields): Happening[] {
  if (fields.subtype === 'init') {
    const clientVersion = text(fields, 'claude_code_version') ?? '';
    return [{ kind: 'began', session: text(fields, 'session_id') ?? '', clientVersion }];
  }
  const content = text(fields, 'content');
  if (fields.subtype !== 'informational' || content === undefined) return [];
  return [{ kind: 'told', text: content.replace(TOLD, '') }];
}

function ofAnswer(block: Fields): Happening[] {
  const said = text(block, 'text') ?? '';
  if (block.type === 'text' && said.trim() !== '') return [{ kind: 'said', text: said }];
  if (block.type !== 'tool_use') return [];
  const input = isFields(block.input) ? block.input : {};
  return [{ kind: 'called', id: text(block, 'id') ?? '', tool: text(block, 'name') ?? '', input }];
}

function ofInput(block: Fields): Happening[] {
  if (block.type === 'tool_result') {
    const id = text(block, 'tool_use_id') ?? '';
    return [{ kind: 'returned', id, output: outputOf(block), failed: block.is_error === true }];
  }
  const said = text(block, 'text') ?? '';
  return said.startsWith(HELD) ? [{ kind: 'held', reason: said.slice(HELD.length) }] : [];
}

function outputOf(block: Fields): string {
  if (typeof block.content === 'string') return block.content;
  return list(block, 'content')
    .map((part) => text(part, 'text') ?? '')
    .join('\n');
}
