import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { jsonText } from '../../engine/core/text/visible.ts';
import { Conversation, type Message, type ServerFacts, TOO_LONG } from './protocol.ts';

/** No message to us is anywhere near as long. */
const LONGEST_LINE = 1024 * 1024;

/** Answers the lines of a stream until it ends. Then everything that is under way is ended, too. */
export async function serve(facts: ServerFacts, input: Readable, out: (line: string) => void): Promise<void> {
  const conversation = new Conversation(facts);
  const underWay = new Set<Promise<void>>();
  const say = (message: Message | Message[] | undefined) => {
    if (message !== undefined) out(jsonText(message));
  };
  const take = (line: string) => {
    if (line.trim() === '') return;
    const answered = conversation.answer(line).then(say);
    underWay.add(answered);
    void answered.finally(() => underWay.delete(answered));
  };
  const lines = new Lines(take, () => say(TOO_LONG));
  try {
    for await (const chunk of input) lines.add(chunk as Buffer);
  } catch {
    // A stream that breaks is one that ended.
  }
  // The last line counts only with its end: without it, it may be a part of one.
  conversation.close();
  await Promise.all(underWay);
}

/** Cuts a stream of bytes into lines, and keeps no more of it than the longest line may have. */
class Lines {
  readonly #take: (line: string) => void;
  readonly #refuse: () => void;
  readonly #decoder = new StringDecoder('utf8');
  #rest: string[] = [];
  #length = 0;

  constructor(take: (line: string) => void, refuse: () => void) {
    this.#take = take;
    this.#refuse = refuse;
  }

  add(chunk: Buffer): void {
    const [first = '', ...others] = this.#decoder.write(chunk).split('\n');
    this.#grow(first);
    for (const next of others) {
      if (this.#length > LONGEST_LINE) this.#refuse();
      else this.#take(this.#rest.join(''));
      this.#rest = [];
      this.#length = 0;
      this.#grow(next);
    }
  }

  #grow(part: string): void {
    this.#length += part.length;
    if (this.#length > LONGEST_LINE) this.#rest = [];
    else this.#rest.push(part);
  }
}
