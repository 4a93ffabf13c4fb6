/** Records the facts of a running session from its messages, and what the session waits for. */

import type { Fields } from '../../client/fields.ts';
import { type Happening, happeningsIn } from '../../client/sdk/stream.ts';
import type { HookEvent } from '../../core/loop/event.ts';
import type { SessionFacts, SessionResult } from '../../core/run/session-end.ts';
import type { SessionHappening } from '../../ports/ports.ts';
import { resetTimeIn, type Signal, signalsIn } from './messages.ts';
import { TokenTally } from './token-tally.ts';

/** How a prompt begins that tells the model of an ended background task. */
const TASK_NOTICE = '<task-notification>';

export class SessionRecorder {
  readonly facts: SessionFacts = {};
  /** Whether a turn runs that has no result yet. */
  turnIsOpen = true;
  /** What the session and its subagents have used so far. */
  readonly tally = new TokenTally();
  readonly #tell: (happening: SessionHappening) => void;
  readonly #tools = new Map<string, string>();
  /** The calls that may still be denied, by their id. */
  readonly #inputs = new Map<string, Record<string, unknown>>();
  readonly #denied = new Set<string>();
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
    this.tally.hear(message);
    const signals = signalsIn(message);
    for (const signal of signals) this.#take(signal);
    const failed = signals.some((signal) => signal.kind === 'failed');
    for (const happening of happeningsIn(message)) this.#pass(happening, failed);
    return signals;
  }

  hearEvent(event: HookEvent): void {
    this.tally.hearEvent(event);
    if (event.name === 'PreToolUse' && event.toolUseId !== undefined)
      this.#inputs.set(event.toolUseId, event.input);
    // A recurring wake-up would keep the session for ever, so it does not count.
    if (event.name === 'Stop') this.#wakeUps = event.wakeUps.filter((w) => !w.recurring).length;
    if (event.name === 'UserPromptSubmit' && event.prompt.includes(TASK_NOTICE)) this.#owesNotice = false;
  }

  get hasBackgroundTasks(): boolean {
    return this.#background > 0;
  }

  /**
   * What will start another turn by itself: background work, a wake-up, or an ended task of which the model has not heard
   * yet. Only a turn that completed is followed by another one.
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
        this.#beginTurn(signal.session, signal.model);
        return;
      case 'result':
        this.#endTurn(signal.result);
        return;
      case 'failed':
        this.#error = signal.error;
        if (signal.error === 'rate_limit') this.#limited(signal.text);
        return;
      case 'usage':
        this.#tellUsage(signal);
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
      case 'denied':
        this.#tellDenied(signal);
        return;
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

  /** The result of a turn names all denials once more, those of which there was no message among them. */
  #tellDenied({ id, tool, input }: Extract<Signal, { kind: 'denied' }>): void {
    if (this.#denied.has(id)) return;
    this.#denied.add(id);
    this.#tell({ kind: 'denied', tool, input: input ?? this.#inputs.get(id) ?? {} });
  }

  /** Every part of one answer repeats its usage. */
  #tellUsage({ message, contextTokens, model }: Extract<Signal, { kind: 'usage' }>): void {
    if (message === this.#lastUsage) return;
    this.#lastUsage = message;
    this.#tell({ kind: 'usage', contextTokens, model });
  }

  #beginTurn(session: string, model: string): void {
    this.turnIsOpen = true;
    this.#error = undefined;
    if (!this.#began) this.#tell({ kind: 'began', session, model });
    this.#began = true;
  }

  #endTurn(result: SessionResult): void {
    this.turnIsOpen = false;
    this.facts.result = { ...result, ...(this.#error === undefined ? {} : { error: this.#error }) };
    this.#readLimit(result);
  }

  /** Reads a limit from the text of a result, for versions of Claude Code that send no event about it. */
  #readLimit({ isError, text }: SessionResult): void {
    if (this.facts.rateLimit || !(isError || /limit reached\|\d+$/.test(text))) return;
    if (resetTimeIn(text, Date.now()) !== undefined) this.#limited(text);
  }

  /** Prefers the time of an event, which is exact. A text names the time to the minute. */
  #limited(text: string, at?: number): void {
    const resetsAt = at ?? this.facts.rateLimit?.resetsAt ?? resetTimeIn(text, Date.now());
    this.facts.rateLimit = resetsAt === undefined ? { text } : { text, resetsAt };
  }

  #pass(happening: Happening, failed: boolean): void {
    switch (happening.kind) {
      case 'said':
        // Words of Claude Code in place of the model are for the user.
        this.#tell(failed ? { kind: 'told', text: happening.text } : happening);
        return;
      case 'told':
        this.#tell(happening);
        return;
      case 'called': {
        const { id, ...call } = happening;
        this.#tools.set(id, call.tool);
        this.#inputs.set(id, call.input);
        this.#tell(call);
        return;
      }
      case 'returned': {
        const tool = this.#tools.get(happening.id) ?? '';
        this.#tools.delete(happening.id);
        this.#inputs.delete(happening.id);
        const denied = this.#denied.has(happening.id) ? { denied: true as const } : {};
        this.#tell({ kind: 'returned', tool, failed: happening.failed, ...denied });
        return;
      }
    }
  }
}
