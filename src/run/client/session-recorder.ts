/** What is known of a running session from its messages: the facts so far, and whether it is waiting for anything. */

import type { Fields } from '../../client/hooks/parse.ts';
import { type Happening, happeningsIn } from '../../client/sdk/stream.ts';
import type { HookEvent } from '../../core/loop/event.ts';
import type { SessionFacts, SessionResult } from '../../core/run/session-end.ts';
import type { SessionHappening } from '../../ports/ports.ts';
import { resetTimeIn, type Signal, signalsIn } from './messages.ts';

/** How the client is told of a task that has ended in the background. */
const TASK_NOTICE = '<task-notification>';

export class SessionRecorder {
  readonly facts: SessionFacts = {};
  /** A turn runs that has no result yet. */
  turnIsOpen = true;
  readonly #tell: (happening: SessionHappening) => void;
  readonly #tools = new Map<string, string>();
  #began = false;
  #error: string | undefined;
  #lastUsage = '';
  #background = 0;
  #wakeUps = 0;
  #owesNotice = false;

  constructor(tell: (happening: SessionHappening) => void) {
    this.#tell = tell;
  }

  hear(message: Fields): Signal[] {
    const signals = signalsIn(message);
    for (const signal of signals) this.#take(signal);
    const failed = signals.some((signal) => signal.kind === 'failed');
    for (const happening of happeningsIn(message)) this.#pass(happening, failed);
    return signals;
  }

  hearEvent(event: HookEvent): void {
    // A wake-up that recurs would keep the session for ever.
    if (event.name === 'Stop') this.#wakeUps = event.wakeUps.filter((w) => !w.recurring).length;
    if (event.name === 'UserPromptSubmit' && event.prompt.includes(TASK_NOTICE)) this.#owesNotice = false;
  }

  get hasBackgroundTasks(): boolean {
    return this.#background > 0;
  }

  /**
   * What will bring the client back by itself once its turn has ended: work in the background, a wake-up, or a task
   * that has ended and of which the model has not been told. After any other end than its own it does not come back.
   */
  get waitsFor(): 'work' | 'notice' | undefined {
    const { result } = this.facts;
    if (this.turnIsOpen || result?.isError !== false || result.terminalReason !== 'completed')
      return undefined;
    if (this.hasBackgroundTasks || this.#wakeUps > 0) return 'work';
    return this.#owesNotice ? 'notice' : undefined;
  }

  #take(signal: Signal): void {
    switch (signal.kind) {
      case 'turn':
        this.turnIsOpen = true;
        this.#error = undefined;
        if (!this.#began) this.#tell({ kind: 'began', session: signal.session, model: signal.model });
        this.#began = true;
        return;
      case 'result':
        this.turnIsOpen = false;
        this.facts.result = {
          ...signal.result,
          ...(this.#error === undefined ? {} : { error: this.#error }),
        };
        this.#readLimit(signal.result);
        return;
      case 'failed':
        this.#error = signal.error;
        if (signal.error === 'rate_limit') this.#limited(signal.text);
        return;
      case 'usage':
        if (signal.message === this.#lastUsage) return;
        this.#lastUsage = signal.message;
        this.#tell({ kind: 'usage', contextTokens: signal.contextTokens, model: signal.model });
        return;
      case 'retry': {
        const { limited, ...retry } = signal;
        if (limited) this.#limited(`the API asks for patience: ${signal.why}`);
        this.#tell(retry);
        return;
      }
      case 'limit': {
        const { reached, ...limit } = signal;
        if (reached) this.#limited(signal.text, signal.resetsAt);
        this.#tell(limit);
        return;
      }
      case 'compacted':
        this.facts.compacted = true;
        this.#tell({ kind: 'compacted' });
        return;
      case 'capped':
        this.facts.capped = true;
        return;
      case 'background':
        this.#owesNotice ||= signal.running < this.#background;
        this.#background = signal.running;
        return;
    }
  }

  /** Clients that send no event about their limits have only these words. */
  #readLimit({ isError, text }: SessionResult): void {
    if (this.facts.rateLimit || !(isError || /limit reached\|\d+$/.test(text))) return;
    if (resetTimeIn(text, Date.now()) !== undefined) this.#limited(text);
  }

  /** The time that an event named is exact; the one in the words is only good to the minute. */
  #limited(text: string, at?: number): void {
    const resetsAt = at ?? this.facts.rateLimit?.resetsAt ?? resetTimeIn(text, Date.now());
    this.facts.rateLimit = resetsAt === undefined ? { text } : { text, resetsAt };
  }

  #pass(happening: Happening, failed: boolean): void {
    switch (happening.kind) {
      case 'said':
        // What the client says in place of the model is for the person.
        this.#tell(failed ? { kind: 'told', text: happening.text } : happening);
        return;
      case 'told':
        this.#tell(happening);
        return;
      case 'called': {
        const { id, ...call } = happening;
        this.#tools.set(id, call.tool);
        this.#tell(call);
        return;
      }
      case 'returned': {
        const tool = this.#tools.get(happening.id) ?? '';
        this.#tools.delete(happening.id);
        this.#tell({ kind: 'returned', tool, failed: happening.failed });
        return;
      }
    }
  }
}
