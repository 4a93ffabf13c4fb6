/** Sessions of Claude Code, driven through the Agent SDK. */
import { randomBytes } from 'node:crypto';
import type { HookCallback, Query, SDKUserMessage, WarmQuery } from '@anthropic-ai/claude-agent-sdk';
import type { Fields } from '../../client/fields.ts';
import { parseCallbackInput, renderCallback } from '../../client/hooks/render.ts';
import {
  ClientTree,
  findSdk,
  messageOf,
  problemWith,
  type Sdk,
  type SdkOptions,
} from '../../client/sdk/sdk.ts';
import { eventName, type HookEvent } from '../../core/loop/event.ts';
import type { SessionFacts } from '../../core/run/session-end.ts';
import type {
  ReadySession,
  SessionHappening,
  SessionLimits,
  SessionListener,
  SessionPlan,
  SessionPort,
  SessionTotals,
} from '../../ports/ports.ts';
import { AbortReason, IdleTimer } from './idle-timer.ts';
import { totalsOf } from './messages.ts';
import { optionsFor } from './session-options.ts';
import { SessionRecorder } from './session-recorder.ts';

export function agentSessions(options: SdkOptions): SessionPort {
  return {
    async missing() {
      const found = await findSdk(options);
      return 'problem' in found ? found.problem : undefined;
    },
    prepare: (plan) => StartedSession.start(plan, options, new AbortController().signal),
    async run(session, prompt, listener, limits) {
      const cut = new AbortReason(limits);
      try {
        if (session instanceof StartedSession && session.take()) {
          const facts = await session.run(prompt, listener, limits, cut);
          // A prepared client that died while it waited has not read the prompt, so the session starts again.
          if (facts.crash === undefined || session.wasHeard) return facts;
        }
        const plan = 'plan' in session ? session.plan : session;
        const started = await StartedSession.start(plan, options, cut.signal);
        return await started.run(prompt, listener, limits, cut);
      } catch (error) {
        return cut.by === undefined ? { crash: messageOf(error) } : { cutBy: cut.by };
      } finally {
        cut.release();
      }
    },
  };
}

/** How long an interrupted client may take to report what it has spent. */
const LAST_WORD_MS = 1_500;
/** How long a client may take to exit after its input is closed. The user's hooks run in that time. */
const LEAVE_MS = 10_000;
/** How long the turn after the last background task may take to begin. */
const NOTICE_MS = 2_000;
/** How long the message of a tool call may take that a hook was asked about. */
const CALL_MS = 100;
/** How long Claude Code may take to tell what its session has spent so far. */
const TOTALS_MS = 1_000;
/** How long a listener may go on with an event after the session is over. */
const LISTENER_MS = 5_000;

class StartedSession implements ReadySession {
  readonly plan: SessionPlan;
  readonly #client = new ClientTree(randomBytes(12).toString('hex'));
  readonly #over = new AbortController();
  readonly #onExit = () => this.#client.callOff();
  readonly #answering = new Set<Promise<unknown>>();
  #warm: WarmQuery | undefined;
  #taken = false;
  #listener: SessionListener | undefined;
  #recorder = new SessionRecorder((happening) => this.#tell(happening));
  #idleTimer: IdleTimer | undefined;
  #cutting = false;
  #halted = false;
  #halt: () => void = () => {};
  #leaving = false;
  #heard = false;
  /** The tokens that were reported last. */
  #told = 0;
  #query: Query | undefined;
  #closeInput: () => void = () => {};
  readonly #inputClosed = new Promise<void>((resolve) => {
    this.#closeInput = resolve;
  });

  private constructor(plan: SessionPlan) {
    this.plan = plan;
  }

  static async start(plan: SessionPlan, options: SdkOptions, signal: AbortSignal): Promise<StartedSession> {
    const found = await findSdk(options);
    if ('problem' in found) throw new Error(found.problem);
    const session = new StartedSession(plan);
    await session.#start(found.sdk.startup, found.claude, options.env, signal);
    return session;
  }

  async #start(
    startup: Sdk['startup'],
    claude: string,
    env: NodeJS.ProcessEnv,
    signal: AbortSignal,
  ): Promise<void> {
    const client = this.#client;
    const callOff = () => client.callOff();
    signal.addEventListener('abort', callOff, { once: true });
    process.once('exit', this.#onExit);
    try {
      signal.throwIfAborted();
      const onEvent: HookCallback = (input, _id, { signal }) => this.#answer(input, signal);
      this.#warm = await startup({ options: optionsFor(this.plan, { env, claude, client, onEvent }) });
    } catch (error) {
      await this.#end();
      throw new Error(problemWith(client, error), { cause: error });
    } finally {
      signal.removeEventListener('abort', callOff);
    }
  }

  /** Takes the client for use. False when it is taken already, or gone. */
  take(): boolean {
    if (this.#taken || !this.#client.isRunning) return false;
    this.#taken = true;
    return true;
  }

  async discard(): Promise<void> {
    if (this.#taken) return;
    this.#taken = true;
    this.#warm?.close();
    await this.#end();
  }

  async run(
    prompt: string,
    listener: SessionListener,
    limits: SessionLimits,
    cut: AbortReason,
  ): Promise<SessionFacts> {
    if (!this.#warm) throw new Error('the client was not started');
    this.#taken = true;
    this.#listener = listener;
    const recorder = this.#recorder;
    this.#idleTimer = new IdleTimer(limits.idleMs, () => {
      if (recorder.turnIsOpen) cut.now('hang');
      else this.#leave();
    });
    const query = this.#warm.query(this.#input(prompt));
    this.#query = query;
    const onCut = () => this.#cutShort(query);
    this.#halt = () => {
      this.#halted = true;
      this.#cutShort(query);
    };
    cut.signal.addEventListener('abort', onCut, { once: true });
    if (cut.signal.aborted) onCut();
    let broke = 'Claude Code ended without a result';
    try {
      for await (const message of query) this.#hear(message as Fields, limits);
    } catch (error) {
      broke = problemWith(this.#client, error);
    }
    cut.signal.removeEventListener('abort', onCut);
    await this.#end();
    if (this.#cutting && cut.by !== undefined) return { ...recorder.facts, cutBy: cut.by };
    if (this.#halted) return { ...recorder.facts, halted: true };
    // After an error result the SDK throws as well. The result says more.
    return recorder.turnIsOpen ? { ...recorder.facts, crash: broke } : recorder.facts;
  }

  /**
   * The prompt as a stream that stays open. For a plain text the SDK closes the input at the first result, and a Stop
   * after background work would not arrive.
   */
  async *#input(prompt: string): AsyncGenerator<SDKUserMessage> {
    yield { type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null };
    await this.#inputClosed;
  }

  /** Whether the client said anything about its prompt. */
  get wasHeard(): boolean {
    return this.#heard;
  }

  #hear(message: Fields, { idleMs, backgroundMs }: SessionLimits): void {
    this.#heard = true;
    this.#idleTimer?.heard();
    const signals = this.#recorder.hear(message);
    this.#tellUse(message);
    for (const signal of signals) {
      if (signal.kind === 'retry') this.#idleTimer?.heard(signal.delayMs);
      if (signal.kind === 'turn') this.#idleTimer?.allow(idleMs);
      if (this.#recorder.turnIsOpen || (signal.kind !== 'result' && signal.kind !== 'background')) continue;
      const { waitsFor } = this.#recorder;
      if (waitsFor === undefined || this.#cutting) this.#leave();
      else this.#idleTimer?.allow(waitsFor === 'notice' ? NOTICE_MS : (backgroundMs ?? idleMs));
    }
  }

  /** Ends the session after its last turn. A client with background work is killed: it would stay, without its events. */
  #leave(): void {
    this.#leaving = true;
    this.#idleTimer?.stop();
    if (this.#cutting || this.#recorder.hasBackgroundTasks) {
      void this.#client.end();
      return;
    }
    this.#closeInput();
    this.#endAfter(LEAVE_MS);
  }

  /** Interrupts the session. The client then reports what it has spent. A client that hangs is ended after a moment. */
  #cutShort(query: Query): void {
    if (this.#leaving) {
      // The session has just ended by itself.
      void this.#client.end();
      return;
    }
    this.#cutting = true;
    if (!this.#recorder.turnIsOpen) {
      this.#leave();
      return;
    }
    this.#idleTimer?.stop();
    query.interrupt().catch(() => {});
    this.#endAfter(LAST_WORD_MS);
  }

  #endAfter(ms: number): void {
    const late = setTimeout(() => void this.#client.end(), ms);
    this.#over.signal.addEventListener('abort', () => clearTimeout(late), { once: true });
  }

  async #answer(input: unknown, signal: AbortSignal): Promise<Record<string, unknown>> {
    const parsed = parseCallbackInput(input);
    const listener = this.#listener;
    if (!parsed.ok || !listener) return {};
    const { event } = parsed;
    this.#idleTimer?.hold();
    await this.#heardCallOf(event);
    this.#recorder.hearEvent(event);
    this.#tellUse(undefined, event.name === 'Stop' ? ((await this.#totals()) ?? null) : undefined);
    const answering = (async () => listener.event(event, AbortSignal.any([signal, this.#over.signal])))();
    this.#answering.add(answering);
    try {
      const answer = await answering;
      // Claude Code ends only the subagent.
      if (answer.kind === 'halt' && event.agentId !== undefined) setImmediate(this.#halt);
      return renderCallback(eventName(event), answer);
    } catch (error) {
      this.#tell({ kind: 'told', text: `${eventName(event)} could not be answered: ${messageOf(error)}` });
      return {};
    } finally {
      this.#answering.delete(answering);
      this.#idleTimer?.release();
    }
  }

  /** Waits for the answer that an event belongs to: it may be on its way, and what it used counts before the event. */
  async #heardCallOf(event: HookEvent): Promise<void> {
    if (event.name !== 'PreToolUse' || event.toolUseId === undefined) return;
    const until = performance.now() + CALL_MS;
    while (!this.#recorder.tally.knowsCall(event.toolUseId) && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 2));
  }

  /** What the session has spent so far. A client that cannot tell is not asked again. */
  async #totals(): Promise<SessionTotals | undefined> {
    const query = this.#query;
    const ask = query?.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET;
    if (typeof ask !== 'function') return undefined;
    try {
      const asked = ask.call(query, { skipBehaviors: true });
      const totals = totalsOf(await Promise.race([asked, patience(TOTALS_MS)]));
      if (totals === undefined) this.#query = undefined;
      return totals;
    } catch {
      this.#query = undefined;
      return undefined;
    }
  }

  /** Reports what was used since the last report. */
  #tellUse(message?: Fields, soFar?: SessionTotals | null): void {
    const { tally, facts } = this.#recorder;
    const costTotalUsd = message?.type === 'result' ? facts.result?.costTotalUsd : undefined;
    if (tally.total === this.#told && costTotalUsd === undefined && soFar === undefined) return;
    this.#told = tally.total;
    try {
      this.#listener?.used?.({ tokens: tally.total, costTotalUsd, soFar });
    } catch {
      // A listener must not throw. If one does, the session goes on.
    }
  }

  #tell(happening: SessionHappening): void {
    try {
      this.#listener?.happened(happening);
    } catch {
      // A listener must not throw. If one does, the session goes on.
    }
  }

  /** Resolves when no process of the session runs and the listener has answered, or had time to. */
  async #end(): Promise<void> {
    this.#idleTimer?.stop();
    this.#over.abort();
    this.#closeInput();
    await this.#client.end();
    process.off('exit', this.#onExit);
    await Promise.race([Promise.allSettled(this.#answering), patience(LISTENER_MS)]);
  }
}

function patience(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
