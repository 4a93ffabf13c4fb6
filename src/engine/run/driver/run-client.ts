import type { StopEvent } from '../../core/loop/event.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import type { ReadySession, SessionHappening, SessionPlan, SessionPort } from '../../ports/ports.ts';

interface ClientPorts {
  sessions: SessionPort;
  newSession(): string;
  /** The plan of a session, with what is left of the run's budget. */
  planFor(state: LoopState, session: string, resume: boolean): SessionPlan;
}

/** Gives every session of a run its client, and prepares the client of the next session while this one still works. */
export class RunClient {
  readonly #world: ClientPorts;
  #prepared: Promise<ReadySession | undefined> | undefined;

  constructor(world: ClientPorts) {
    this.#world = world;
  }

  get isPrepared(): boolean {
    return this.#prepared !== undefined;
  }

  /**
   * Prepares a client when it is certain already that a fresh session follows. The budget of a client is fixed when its
   * process starts, so a run that may not spend without limit waits for the bill of the session before (`isBilled`).
   */
  prepareNext(state: LoopState, isBilled = false): void {
    const run = state.run;
    if (this.#prepared || !run || hasEnded(state) || state.status !== 'active') return;
    if (run.mode !== 'fresh' && run.handOver === undefined) return;
    const plan = this.#world.planFor(state, this.#world.newSession(), false);
    if (plan.maxCostUsd === 0 || (plan.maxCostUsd !== undefined && !isBilled)) return;
    // A client that cannot be prepared is started later, and its error is reported then.
    this.#prepared = this.#world.sessions.prepare(plan).catch(() => undefined);
  }

  async next(
    state: LoopState,
    resume: boolean,
  ): Promise<{ session: string; client: ReadySession | SessionPlan }> {
    if (resume) return { session: state.session, client: this.#world.planFor(state, state.session, true) };
    const session = state.run?.sessions === 0 ? state.session : this.#world.newSession();
    const plan = this.#world.planFor(state, session, false);
    const ready = await this.#prepared;
    this.#prepared = undefined;
    if (ready && isWithin(ready.plan, plan)) return { session: ready.plan.session, client: ready };
    await ready?.discard();
    return { session, client: plan };
  }

  async discard(): Promise<void> {
    await (await this.#prepared)?.discard();
    this.#prepared = undefined;
  }
}

/** Whether a prepared client may spend no more than the session that begins now. */
function isWithin({ maxCostUsd: budget }: SessionPlan, { maxCostUsd: left }: SessionPlan): boolean {
  return left === undefined || (budget !== undefined && budget <= left);
}

/** Remembers what the agent said last, and how full its context was then. */
export class LastAnswer {
  #context: StopEvent['context'];
  #text: string | undefined;
  readonly #askedModel: string | undefined;

  /** `askedModel`: the model as the user named it. Only this name tells of a larger window (`[1m]`). */
  constructor(askedModel: string | undefined) {
    this.#askedModel = askedModel;
  }

  hear(happening: SessionHappening): void {
    if (happening.kind === 'usage') {
      const { contextTokens: tokens, model } = happening;
      this.#context = { tokens, model: this.#askedModel?.includes('[1m]') ? this.#askedModel : model };
      this.#text = undefined;
    }
    if (happening.kind === 'said') this.#text = happening.text.trim();
    if (happening.kind === 'compacted') this.#context = undefined;
  }

  /** Adds the context to a Stop of this very answer. A Stop can arrive before the message that it belongs to. */
  with(event: StopEvent): StopEvent {
    const isSame = this.#text !== undefined && this.#text === event.lastMessage?.trim();
    return isSame && this.#context ? { ...event, context: this.#context } : event;
  }
}
