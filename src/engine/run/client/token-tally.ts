/** Counts the tokens of a session and its subagents request by request, while they work. */
import { type Fields, isFields, list, text } from '../../client/fields.ts';
import { readAt, withFile } from '../../client/transcript/file.ts';
import { parseTranscriptLine } from '../../client/transcript/lines.ts';
import type { HookEvent } from '../../core/loop/event.ts';

/** The most bytes of a subagent's transcript that are read at once. */
const MOST_BYTES = 8 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Every message of an answer repeats its usage, and later ones know more of its output: of each answer the largest
 * counts. The messages of a subagent never tell its whole output, so its transcript is read as well.
 */
export class TokenTally {
  #total = 0;
  readonly #byAnswer = new Map<string, number>();
  /** The answer that is being written, by the call that started its agent; '' for the main agent. */
  readonly #writing = new Map<string, string>();
  readonly #calls = new Set<string>();
  /** How far the transcript of each subagent was read. */
  readonly #read = new Map<string, number>();

  /** Input, cache creation and output; cache reads are the same tokens again and again. */
  get total(): number {
    return this.#total;
  }

  /** Takes a message of the Agent SDK. Never throws. */
  hear(message: Fields): void {
    const agent = text(message, 'parent_tool_use_id') ?? '';
    if (message.type === 'assistant' && isFields(message.message)) {
      this.#count(message.message);
      for (const { type, id } of list(message.message, 'content'))
        if (type === 'tool_use' && typeof id === 'string') this.#calls.add(id);
    }
    if (message.type !== 'stream_event' || !isFields(message.event)) return;
    const { event } = message;
    if (event.type === 'message_start' && isFields(event.message)) {
      this.#writing.set(agent, text(event.message, 'id') ?? '');
      this.#count(event.message);
    }
    if (event.type === 'message_delta') this.#count({ id: this.#writing.get(agent), usage: event.usage });
  }

  /** Whether the answer with this tool call was counted. */
  knowsCall(id: string): boolean {
    return this.#calls.has(id);
  }

  /** Reads on in the transcript of the subagent that an event comes from, and at a Stop in all of them. Never throws. */
  hearEvent({ name, agentId, transcript }: HookEvent): void {
    if (name === 'Stop') for (const path of this.#read.keys()) this.#readOn(path);
    if (agentId === undefined || !transcript?.endsWith('.jsonl') || !/^[\w-]+$/.test(agentId)) return;
    this.#readOn(`${transcript.slice(0, -'.jsonl'.length)}/subagents/agent-${agentId}.jsonl`);
  }

  #readOn(path: string): void {
    withFile(path, (fd, size) => {
      const from = this.#read.get(path) ?? 0;
      const bytes = readAt(fd, from, Math.min(MOST_BYTES, Math.max(0, size - from)));
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      this.#read.set(path, from + end);
      for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) this.#countLine(line);
    });
  }

  #countLine(line: string): void {
    const parsed = line.includes('"usage"') ? parseTranscriptLine(line) : undefined;
    if (parsed?.kind !== 'answer' || !parsed.usage || parsed.messageId === undefined) return;
    const { input, cacheCreation, output } = parsed.usage;
    this.#raise(parsed.messageId, input + cacheCreation + output);
  }

  #count(answer: Fields): void {
    const id = text(answer, 'id');
    if (!id || !isFields(answer.usage)) return;
    const { input_tokens, cache_creation_input_tokens, output_tokens } = answer.usage;
    this.#raise(id, [input_tokens, cache_creation_input_tokens, output_tokens].reduce(sum, 0));
  }

  #raise(id: string, tokens: number): void {
    const before = this.#byAnswer.get(id) ?? 0;
    if (tokens <= before) return;
    this.#byAnswer.set(id, tokens);
    this.#total += tokens - before;
  }
}

function sum(total: number, value: unknown): number {
  return total + (typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0);
}
