import type { StopEvent } from '../../core/loop/event.ts';
import type { SessionHappening } from '../../ports/ports.ts';

/** What the client said last, and how full its context was then, as its messages tell. */
export class LastAnswer {
  #context: StopEvent['context'];
  #text: string | undefined;
  readonly #asked: string | undefined;

  /** `asked`: the model as it was asked for; only this name tells of a larger window (`[1m]`). */
  constructor(asked: string | undefined) {
    this.#asked = asked;
  }

  hear(happening: SessionHappening): void {
    if (happening.kind === 'usage') {
      const { contextTokens: tokens, model } = happening;
      this.#context = { tokens, model: this.#asked?.includes('[1m]') ? this.#asked : model };
      this.#text = undefined;
    }
    if (happening.kind === 'said') this.#text = happening.text.trim();
    if (happening.kind === 'compacted') this.#context = undefined;
  }

  /** The event with what is known about this very answer: a message may still be on its way when its Stop is here. */
  with(event: StopEvent): StopEvent {
    const isSame = this.#text !== undefined && this.#text === event.lastMessage?.trim();
    return isSame && this.#context ? { ...event, context: this.#context } : event;
  }
}
