/** One client session, played: what the real client does with the answers of the model and of the hooks. */
import { randomUUID } from 'node:crypto';
import { errorAnswer, type Message, messageOf } from '../../../src/dev/simulator/messages.ts';
import type { Turn } from '../../../src/dev/simulator/script.ts';
import type { Answer, HookEvent } from '../../../src/engine/core/loop/event.ts';
import type { SessionFacts, SessionResult } from '../../../src/engine/core/run/session-end.ts';
import type {
  SessionHappening,
  SessionLimits,
  SessionListener,
  SessionPlan,
} from '../../../src/engine/ports/ports.ts';
import { failureOf, priceOf, tokensOf, windowOf } from '../hook/scripted-model.ts';
import type { KeptSession, ScriptedOptions, ScriptedRequest, ToolCall } from './scripted-session.ts';

/** What ends a session from outside: it makes everything that waits reject. */
export class Interruption {
  cutBy: SessionFacts['cutBy'];
  killed = false;
  readonly #limits: SessionLimits;
  readonly #controller = new AbortController();
  readonly #deadline: NodeJS.Timeout | undefined;
  readonly #onAbort = () => this.cut('abort');

  constructor(limits: SessionLimits) {
    this.#limits = limits;
    limits.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (limits.signal.aborted) this.cut('abort');
    if (limits.deadlineMs !== undefined) {
      this.#deadline = setTimeout(() => this.cut('deadline'), limits.deadlineMs);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  cut(by: NonNullable<SessionFacts['cutBy']>): void {
    this.cutBy ??= by;
    this.#controller.abort(this);
  }

  kill(): void {
    this.killed = true;
    this.#controller.abort(this);
  }

  /** The model never answers: until the client's silence is long enough, or something else ends it. */
  hang(): Promise<never> {
    const idle = setTimeout(() => this.cut('hang'), this.#limits.idleMs);
    return this.race<never>(new Promise(() => {})).finally(() => clearTimeout(idle));
  }

  race<Value>(value: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(this);
      if (this.signal.aborted) return stop();
      this.signal.addEventListener('abort', stop, { once: true });
      value.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', stop));
    });
  }

  release(): void {
    clearTimeout(this.#deadline);
    this.#limits.signal.removeEventListener('abort', this.#onAbort);
  }
}

export interface Playing {
  plan: SessionPlan;
  session: KeptSession;
  listener: SessionListener;
  interruption: Interruption;
  ask(request: ScriptedRequest): { turn: Turn; n: number };
  perform: NonNullable<ScriptedOptions['perform']>;
}

const DEFAULT_MODEL = 'claude-opus-5-5';
const DEFAULT_CAP = 8;
const DEFAULT_RETRIES = 10;
/** So much below its window a conversation is compacted, and so much below it is full. */
const COMPACTED_BELOW = 33_000;
const FULL_BELOW = 20_000;

type Ended = Partial<SessionResult> & { text?: string };

export class ScriptedClient {
  readonly #playing: Playing;
  readonly #model: string;
  readonly #facts: SessionFacts = {};
  readonly #promptId = randomUUID();
  readonly #costBefore: number;
  #requests = 0;
  #used = 0;
  #blocks = 0;
  #stopHookActive = false;

  constructor(playing: Playing) {
    this.#playing = playing;
    this.#model = playing.plan.model ?? DEFAULT_MODEL;
    this.#costBefore = playing.session.costUsd;
  }

  async play(prompt: string): Promise<SessionFacts> {
    const { interruption } = this.#playing;
    try {
      const ended = await interruption.race(this.#play(prompt));
      return { ...this.#facts, result: this.#result(ended) };
    } catch (error) {
      if (error !== interruption) throw error;
      if (interruption.killed)
        return { ...this.#facts, crash: 'Claude Code process terminated by signal SIGKILL' };
      const result = this.#result({ isError: true, terminalReason: 'aborted_streaming' });
      return { ...this.#facts, result, ...(interruption.cutBy ? { cutBy: interruption.cutBy } : {}) };
    }
  }

  async #play(prompt: string): Promise<Ended> {
    const { plan, session } = this.#playing;
    const submitted = await this.#event({ name: 'UserPromptSubmit', prompt });
    this.#tell({ kind: 'began', session: plan.session, model: this.#model });
    if (submitted.kind === 'refuse') return { text: submitted.reason, turns: 0 };
    session.messages.push({ role: 'user', content: prompt });
    this.#takeIn(submitted);
    for (;;) {
      if (plan.maxTurns !== undefined && this.#requests >= plan.maxTurns)
        return { isError: true, terminalReason: 'max_turns', text: 'Reached maximum number of turns' };
      if (!(await this.#makeRoom())) return FULL;
      const answer = await this.#request();
      if (!('content' in answer)) return answer;
      const ended = await this.#follow(answer);
      if (ended) return ended;
    }
  }

  /** Undefined: it goes on. */
  async #follow(answer: Message): Promise<Ended | undefined> {
    const { plan, session } = this.#playing;
    const text = answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    if (text.trim() !== '') this.#tell({ kind: 'said', text });
    if (answer.stop_reason === 'refusal') return failureOf({ status: 0, message: 'refusal' });
    session.messages.push({ role: 'assistant', content: answer.content });
    const calls = answer.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, tool: block.name, input: block.input }] : [],
    );
    if (plan.maxCostUsd !== undefined && session.costUsd - this.#costBefore > plan.maxCostUsd)
      return { isError: true, terminalReason: 'budget_exhausted', text: 'Reached maximum budget' };
    if (calls.length === 0) return this.#stop(text);
    this.#blocks = 0;
    let halted = false;
    for (const { id, ...call } of calls) halted = (await this.#call(id, call)) || halted;
    return halted ? { terminalReason: 'hook_stopped' } : undefined;
  }

  /** Whether a hook ended the session; the tool runs nevertheless. */
  async #call(id: string, call: ToolCall): Promise<boolean> {
    const { interruption, plan, session, perform } = this.#playing;
    this.#tell({ kind: 'called', ...call });
    const answer = await this.#event({ name: 'PreToolUse', ...call, toolUseId: id });
    const done =
      answer.kind === 'refuse'
        ? { output: answer.reason, failed: true }
        : await interruption.race(perform(call, plan));
    this.#tell({ kind: 'returned', tool: call.tool, failed: done.failed === true });
    const result = {
      type: 'tool_result',
      tool_use_id: id,
      content: done.output,
      is_error: done.failed === true,
    };
    session.messages.push({ role: 'user', content: [result] });
    return answer.kind === 'halt';
  }

  async #stop(text: string): Promise<Ended | undefined> {
    const answer = await this.#event({
      name: 'Stop',
      stopHookActive: this.#stopHookActive,
      lastMessage: text.trim(),
      backgroundTasks: [],
      wakeUps: [],
    });
    if (answer.kind === 'tell') this.#tell({ kind: 'told', text: answer.message });
    if (answer.kind === 'halt') return { terminalReason: 'stop_hook_prevented', text };
    if (answer.kind !== 'refuse' && answer.kind !== 'inject') return { terminalReason: 'completed', text };
    this.#stopHookActive = true;
    this.#blocks += 1;
    const cap = this.#number('CLAUDE_CODE_STOP_HOOK_BLOCK_CAP', DEFAULT_CAP);
    if (cap > 0 && this.#blocks > cap) {
      this.#facts.capped = true;
      this.#tell({
        kind: 'told',
        text: `A hook blocked the turn from ending ${this.#blocks} consecutive times`,
      });
      return { terminalReason: 'completed', text: answer.kind === 'refuse' ? '' : text };
    }
    this.#takeIn(answer);
    return undefined;
  }

  async #request(): Promise<Message | Ended> {
    const { plan, session, ask } = this.#playing;
    this.#requests += 1;
    for (let attempt = 1; ; attempt++) {
      const body = {
        model: this.#model,
        system: plan.appendSystemPrompt ?? '',
        messages: session.messages,
      };
      const { turn, n } = ask({ session: plan.session, body });
      if (turn.hang) await this.#playing.interruption.hang();
      const error = turn.drop ? { status: 0, message: 'Connection dropped (ECONNRESET)' } : errorOf(turn);
      if (!error) return this.#receive(messageOf(turn, { n, model: this.#model, uniqueId: randomUUID }));
      const limited = error.status === 429;
      if (limited) this.#facts.rateLimit = { text: error.message };
      const retries = this.#number('CLAUDE_CODE_MAX_RETRIES', DEFAULT_RETRIES);
      if (!(limited || error.status >= 500) || attempt > retries) return this.#fail(error);
      const delayMs = Number(turn.error?.headers?.['retry-after'] ?? 0) * 1000;
      this.#tell({ kind: 'retry', attempt, delayMs, why: String(error.status) });
    }
  }

  #fail(error: { status: number; message: string }): Ended {
    const failure = failureOf(error);
    this.#tell({ kind: 'told', text: failure.text ?? '' });
    // The client does not wait for what its hooks say to this.
    this.#event({ name: 'StopFailure', error: failure.error ?? 'unknown' }).catch(() => {});
    return failure;
  }

  #receive(message: Message): Message {
    const { session } = this.#playing;
    const { context, spent } = tokensOf(message.usage);
    session.contextTokens = context;
    session.tokens += spent;
    session.costUsd += priceOf(message.usage);
    this.#used += spent;
    this.#tell({ kind: 'usage', contextTokens: context, model: this.#model });
    this.#playing.listener.used?.({ tokens: this.#used });
    return message;
  }

  /** False when the context is full and stays so. */
  async #makeRoom(): Promise<boolean> {
    const { plan, session, ask } = this.#playing;
    const left = windowOf(this.#model) - session.contextTokens;
    if (left > COMPACTED_BELOW) return true;
    if (plan.env.DISABLE_AUTO_COMPACT === '1') return left > FULL_BELOW;
    const answer = await this.#event({ name: 'other', eventName: 'PreCompact' });
    if (answer.kind === 'refuse') return left > FULL_BELOW;
    const wish = { role: 'user', content: 'Your task is to create a detailed summary of the conversation.' };
    const messages = [...session.messages, wish];
    const { turn, n } = ask({ session: plan.session, body: { model: this.#model, system: '', messages } });
    const summary = messageOf(turn, { n, model: this.#model, uniqueId: randomUUID });
    session.messages = [{ role: 'user', content: 'This session is being continued.' }, summary];
    session.contextTokens = 0;
    this.#facts.compacted = true;
    this.#takeIn(await this.#event({ name: 'SessionStart', source: 'compact', model: this.#model }));
    this.#tell({ kind: 'compacted' });
    return true;
  }

  /** What a hook wants the model to read. */
  #takeIn(answer: Answer): void {
    const { messages } = this.#playing.session;
    if (answer.kind === 'refuse')
      messages.push({ role: 'user', content: `Stop hook feedback:\n${answer.reason}` });
    if (answer.kind === 'inject') messages.push({ role: 'user', content: answer.context });
  }

  async #event(event: EventFields): Promise<Answer> {
    const { plan, listener, interruption } = this.#playing;
    const base = {
      session: plan.session,
      cwd: plan.cwd,
      promptId: this.#promptId,
      permissionMode: plan.permissionMode,
    };
    try {
      return await interruption.race(listener.event({ ...base, ...event } as HookEvent, interruption.signal));
    } catch (error) {
      if (error === interruption) throw error;
      this.#tell({ kind: 'told', text: String(error) });
      return { kind: 'silence' };
    }
  }

  #tell(happening: SessionHappening): void {
    this.#playing.listener.happened(happening);
  }

  #number(name: string, otherwise: number): number {
    const value = Number(this.#playing.plan.env[name] ?? otherwise);
    return Number.isFinite(value) ? value : otherwise;
  }

  #result(ended: Ended): SessionResult {
    const { session, listener } = this.#playing;
    listener.used?.({ tokens: this.#used, costTotalUsd: session.costUsd });
    return {
      isError: false,
      subtype: 'success',
      text: '',
      turns: this.#requests,
      ...ended,
      costTotalUsd: session.costUsd,
      tokensTotal: session.tokens,
    };
  }
}

const FULL: Ended = { isError: true, terminalReason: 'blocking_limit', text: 'Prompt is too long' };

type EventFields = HookEvent extends infer Event
  ? Event extends HookEvent
    ? Omit<Event, 'session'>
    : never
  : never;

function errorOf(turn: Turn): { status: number; message: string } | undefined {
  const error = turn.error ?? turn.streamError;
  if (!error) return undefined;
  const { status, body } = errorAnswer(error);
  return { status, message: body.error.message };
}
