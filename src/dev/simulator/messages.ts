/** Turns in the spelling of the Messages API: one JSON body, or the events of a stream. Pure. */
import { numbered, type Turn } from './script.ts';

export type ContentBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> };

export interface Message {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: ContentBlock[];
  stop_reason: string;
  stop_sequence: null;
  usage: Record<string, unknown>;
}

export interface StreamEvent {
  type: string;
  data: Record<string, unknown>;
  /** A piece of a text: what `chunkMs` slows down. */
  pieceOfText?: true;
}

export interface Asked {
  n: number;
  model: string;
  /** Makes ids that differ between sessions and loads of a script: Claude Code takes equal ids for one message. */
  uniqueId(): string;
}

const DEFAULT_USAGE = {
  input_tokens: 1000,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 5,
};

/** Claude Code stores it and sends it back. The simulator does not verify it. */
const SIGNATURE = 'c2ltdWxhdGVk';

const PIECE = /.{1,8}/gsu;

export function messageOf(turn: Turn, asked: Asked): Message {
  const content = contentOf(turn, asked);
  const callsTools = content.some((block) => block.type === 'tool_use');
  return {
    id: `msg_sim_${asked.n}_${asked.uniqueId()}`,
    type: 'message',
    role: 'assistant',
    model: asked.model,
    content,
    stop_reason: turn.stop_reason ?? (callsTools ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: { ...DEFAULT_USAGE, ...turn.usage },
  };
}

function contentOf(turn: Turn, { n, uniqueId }: Asked): ContentBlock[] {
  const tools = (turn.tools ?? []).map(({ id, name, input }): ContentBlock => {
    return {
      type: 'tool_use',
      id: id ?? `toolu_sim_${n}_${uniqueId()}`,
      name,
      input: numbered(input ?? {}, n),
    };
  });
  const text = turn.text ?? (tools.length > 0 ? '' : 'turn {n}: done.');
  const blocks: ContentBlock[] = [];
  if (turn.thinking)
    blocks.push({ type: 'thinking', thinking: numbered(turn.thinking, n), signature: SIGNATURE });
  if (text) blocks.push({ type: 'text', text: numbered(text, n) });
  return [...blocks, ...tools];
}

export function streamOf(turn: Turn, message: Message): StreamEvent[] {
  const { content, stop_reason, usage, ...head } = message;
  const opening = { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const events = [event('message_start', { message: opening })];
  for (const [index, block] of content.entries()) events.push(...eventsOfBlock(block, index, turn));
  if (turn.streamError) return [...events, event('error', { error: streamErrorOf(turn.streamError) })];
  const delta = { stop_reason, stop_sequence: null };
  return [...events, event('message_delta', { delta, usage }), event('message_stop', {})];
}

function eventsOfBlock(block: ContentBlock, index: number, turn: Turn): StreamEvent[] {
  const start = (content_block: object) => event('content_block_start', { index, content_block });
  const delta = (change: object) => event('content_block_delta', { index, delta: change });
  const stop = event('content_block_stop', { index });
  if (block.type === 'text') {
    const pieces = turn.chunkMs ? (block.text.match(PIECE) ?? []) : [block.text];
    const deltas = pieces.map((text): StreamEvent => {
      return { ...delta({ type: 'text_delta', text }), pieceOfText: true };
    });
    return [start({ type: 'text', text: '' }), ...deltas, stop];
  }
  if (block.type === 'thinking') {
    return [
      start({ type: 'thinking', thinking: '', signature: '' }),
      delta({ type: 'thinking_delta', thinking: block.thinking }),
      delta({ type: 'signature_delta', signature: block.signature }),
      stop,
    ];
  }
  return [
    start({ ...block, input: {} }),
    delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }),
    stop,
  ];
}

function event(type: string, data: Record<string, unknown>): StreamEvent {
  return { type, data: { type, ...data } };
}

export function renderEvent({ type, data }: StreamEvent): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string | number>;
  body: { type: 'error'; error: { type: string; message: string } };
}

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export function errorAnswer(error: NonNullable<Turn['error']>): ErrorAnswer {
  const status = error.status ?? 500;
  const type = error.type ?? ERROR_TYPES[status] ?? 'api_error';
  const message = error.message ?? 'an error of the simulator, as its script says';
  return { status, headers: error.headers ?? {}, body: { type: 'error', error: { type, message } } };
}

/** Also the whole answer to a request that asked for no stream. */
export function streamErrorOf(error: NonNullable<Turn['streamError']>): { type: string; message: string } {
  const { type, message } = errorAnswer(error).body.error;
  return { type, message };
}
