import type { Entry } from '../../core/loop/entry.ts';
import type { Answer, HookEvent, StopEvent, ToolEvent } from '../../core/loop/event.ts';
import { askedNames } from '../../core/loop/phases.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import type { TranscriptUsage } from '../../core/loop/transcript.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { costLeft, limitBefore, nearLimit, nextStep, type Step, timeLeft } from '../../core/run/run.ts';
import { nameEnd } from '../../core/run/session-end.ts';
import { briefFor } from '../../core/words/brief.ts';
import { followUpWords } from '../../core/words/entries.ts';
import { reminderFor } from '../../core/words/reason.ts';
import { handleHook } from '../../hook/handle-hook.ts';
import { notifyEnding } from '../../hook/stop/endings.ts';
import { situationOf } from '../../hook/stop/situation.ts';
import type { JudgingPorts } from '../../judging/ports.ts';
import type { LoopRef, ReadySession, SessionHappening, SessionPlan, SessionPort } from '../../ports/ports.ts';
import { LastAnswer } from './last-answer.ts';
import type { RunEvent } from './run-event.ts';

/** What driving a run needs from the world. */
export interface RunWorld {
  ports: JudgingPorts;
  sessions: SessionPort;
  /** From now on the session's events belong to the loop. */
  bind(session: string): void;
  newSession(): string;
  /** The file that the client keeps of a session; without one there is nothing that could be resumed. */
  transcriptOf(session: string): string | undefined;
  /** Resolves at that time, or as soon as the run is interrupted. */
  waitUntil(time: number): Promise<void>;
  lastVerdicts(): Verdict[];
  report(event: RunEvent): void;
  /** After a Stop was judged; never rejects. */
  judged(state: LoopState, verdicts: readonly Verdict[]): Promise<void>;
  /** The person asked to stop: after the step, or at once. */
  interrupted(): boolean;
  atOnce: AbortSignal;
}

export interface RunPlan {
  ref: LoopRef;
  session: Omit<SessionPlan, 'session' | 'resume' | 'maxCostUsd'>;
  idleMs: number;
  /** The longest that one session may take. */
  sessionMs?: number;
}

/** Drives a loop over as many sessions as it needs: next step, intent, perform, result, and again. */
export async function runLoop(plan: RunPlan, world: RunWorld): Promise<LoopState> {
  const driver = new Driver(plan, world);
  try {
    return await driver.drive();
  } finally {
    await driver.discardAhead();
  }
}

/** How often a run that waits for a person looks whether they answered. */
const LOOK_AGAIN_MS = 500;

class Driver {
  readonly #plan: RunPlan;
  readonly #world: RunWorld;
  /** The client of the next session, started ahead. */
  #ahead: Promise<ReadySession | undefined> | undefined;
  #lastText: string | undefined;
  readonly #lastAnswer: LastAnswer;
  #transcript: string | undefined;
  #warned = new Set<string>();
  #tally: { session: string; from: number; usage: TranscriptUsage } | undefined;

  constructor(plan: RunPlan, world: RunWorld) {
    this.#plan = plan;
    this.#world = world;
    this.#lastAnswer = new LastAnswer(plan.session.model);
  }

  async drive(): Promise<LoopState> {
    this.#closeLost();
    for (;;) {
      const state = this.#pauseIfAsked(this.#state());
      const step = nextStep(state, this.#now());
      switch (step.kind) {
        case 'over':
          this.#world.report({ type: 'ended', state });
          return state;
        case 'pause':
          if (state.status !== 'paused') this.#append({ kind: 'command', command: 'pause', note: step.why });
          this.#world.report({ type: 'paused', why: step.why });
          return this.#state();
        case 'fail':
          await this.#end('failed', step.cause, step.detail);
          break;
        case 'wait':
          this.#world.report({ type: 'waiting', until: step.until, why: step.why });
          await this.#awaitTime(step.until);
          break;
        case 'ask':
          await this.#awaitAnswer(step.why);
          break;
        case 'judge':
          await this.#judge();
          break;
        case 'session':
          await this.#session(step);
          break;
      }
    }
  }

  async discardAhead(): Promise<void> {
    await (await this.#ahead)?.discard();
    this.#ahead = undefined;
  }

  /** The driver of before was ended in the middle of a session: its result is that nobody knows. */
  #closeLost(): void {
    const open = this.#state().run?.open;
    if (!open) return;
    const detail = 'the runner was ended while this session ran';
    const spent = this.#spentIn(this.#world.transcriptOf(open.session));
    this.#append({ kind: 'result', end: { kind: 'lost', detail }, ...spent });
  }

  #pauseIfAsked(state: LoopState): LoopState {
    if (!this.#world.interrupted() || state.status !== 'active') return state;
    return this.#append({ kind: 'command', command: 'pause', note: 'interrupted by a person' });
  }

  /** A limit of the account may last for hours: a pause or a cancel from another terminal is heard meanwhile. */
  async #awaitTime(until: number): Promise<void> {
    while (this.#now() < until && !this.#world.interrupted() && this.#state().status === 'active')
      await this.#world.waitUntil(Math.min(until, this.#now() + LOOK_AGAIN_MS));
  }

  /** The answer comes through the journal, whoever writes it. */
  async #awaitAnswer(why: string): Promise<void> {
    this.#world.report({ type: 'waiting', why });
    const isOpen = ({ status, waiting } = this.#state()) =>
      status === 'active' && waiting?.why === 'approval';
    while (isOpen() && !this.#world.interrupted()) await this.#world.waitUntil(this.#now() + LOOK_AGAIN_MS);
  }

  /** Whatever the session's own hooks said: nothing is done that was not judged by us. */
  async #judge(): Promise<void> {
    const state = this.#state();
    const event: StopEvent = {
      name: 'Stop',
      session: state.session,
      stopHookActive: false,
      backgroundTasks: [],
      wakeUps: [],
      cwd: this.#plan.session.cwd,
      lastMessage: this.#lastText,
      transcript: this.#transcript,
    };
    const answer = await this.#stop(event);
    const after = this.#state();
    if (hasEnded(after) || after.run?.handOver === 'given' || after.status === 'paused') return;
    if (isKeptWaiting(after)) return;
    const prompt = answer.kind === 'refuse' ? answer.reason : undefined;
    await this.#session({ kind: 'session', resume: true, why: 'not_done' }, prompt);
  }

  async #session(step: Extract<Step, { kind: 'session' }>, told?: string): Promise<void> {
    const state = this.#state();
    const resume = step.resume && this.#world.transcriptOf(state.session) !== undefined;
    const limit = limitBefore(this.#contract(), state, resume, this.#now());
    if (limit) return this.#end('reached_limit', limit.cause, `${limit.used} of ${limit.limit}`);
    const { session, client } = await this.#client(state, resume);
    const prompt = resume ? (told ?? this.#reminder(state)) : this.#brief(state);
    this.#append({ kind: 'intent', session, resume, why: step.why });
    this.#world.bind(session);
    const begun = this.#state();
    this.#world.report({ type: 'session', session, resume, why: step.why, state: begun });
    const facts = await this.#world.sessions.run(client, prompt, this.#listener(), {
      idleMs: this.#plan.idleMs,
      ...timeLeft(this.#limits(), this.#plan.sessionMs, begun, this.#now()),
      signal: this.#world.atOnce,
    });
    const end = nameEnd(facts);
    const spoke = end.kind === 'completed' || end.kind === 'stopped_by_hook';
    // Who was cut off in the middle has said nothing yet.
    this.#lastText = spoke ? facts.result?.text : undefined;
    const spent = this.#spentIn(this.#transcript);
    if (!spoke) this.#transcript = undefined;
    const { costTotalUsd, tokensTotal } = facts.result ?? {};
    const after = this.#append({
      kind: 'result',
      end,
      ...spent,
      ...(costTotalUsd === undefined ? {} : { costTotalUsd }),
      tokensTotal,
    });
    this.#world.report({ type: 'session_ended', end, state: after });
    this.#warnOfLimits(after);
  }

  /** What a transcript says beyond what was counted; a client that was ended gently has written down its bill there. */
  #spentIn(
    transcript: string | undefined,
  ): Pick<Extract<Entry, { kind: 'result' }>, 'costTotalUsd' | 'read'> {
    if (transcript === undefined) return {};
    const { offset, tokens, totalCostUsd } = this.#usage(transcript, this.#state());
    return {
      read: { offset, tokens },
      costTotalUsd: totalCostUsd,
    };
  }

  /** All since the journal last counted. Read on from the last look: one look at a long transcript sees only its end. */
  #usage(transcript: string, { session, read }: LoopState): TranscriptUsage {
    const isSame = this.#tally?.session === session && this.#tally.from === read.offset;
    const before = isSame ? this.#tally?.usage : undefined;
    // All of it is the run's own, also what was never looked at.
    const at = before ?? { ...read, offset: Math.max(1, read.offset) };
    const more = this.#world.ports.transcripts.usage(transcript, at);
    const usage = { ...before, ...more, tokens: (before?.tokens ?? 0) + more.tokens };
    this.#tally = { session, from: read.offset, usage };
    return usage;
  }

  /** A turn may take hours: what ends or pauses a run, and what it may spend, is looked at before every tool call. */
  async #beforeTool(event: ToolEvent): Promise<Answer | undefined> {
    const state = this.#pauseIfAsked(this.#state());
    if (isOver(state)) return { kind: 'halt', message: 'untildone: this session ends here' };
    const { tokens } = this.#limits();
    if (tokens === 'unlimited' || !event.transcript) return undefined;
    if (state.spent.tokens + this.#usage(event.transcript, state).tokens < tokens) return undefined;
    return { kind: 'halt', message: 'untildone: the tokens of this run are used up' };
  }

  async #stop(event: StopEvent): Promise<Answer> {
    const { ports, report, judged, lastVerdicts } = this.#world;
    const before = this.#state();
    report({ type: 'judging' });
    const answer = await handleHook(event, ports);
    const state = this.#state();
    const isJudged =
      before.status === 'active' && answer.kind !== 'ignore' && state.waiting?.why !== 'needs_person';
    const verdicts = isJudged ? lastVerdicts() : undefined;
    report({ type: 'stop', state, answer: answer.kind, verdicts });
    if (verdicts) await judged(state, verdicts);
    return answer;
  }

  #listener() {
    return {
      event: async (event: HookEvent): Promise<Answer> => {
        this.#transcript = event.transcript ?? this.#transcript;
        if (event.name === 'PreToolUse')
          return (await this.#beforeTool(event)) ?? handleHook(event, this.#world.ports);
        if (event.name !== 'Stop') return handleHook(event, this.#world.ports);
        this.#pauseIfAsked(this.#state());
        const answer = await this.#stop(this.#lastAnswer.with(event));
        const state = this.#state();
        this.#startAhead(state);
        return isOver(state) ? { kind: 'halt', message: wordsOf(answer) } : answer;
      },
      happened: (happening: SessionHappening) => {
        this.#lastAnswer.hear(happening);
        // Not before this client is there itself: two that begin at once delay each other.
        if (happening.kind === 'began' && !this.#ahead) this.#startAhead(this.#state());
        this.#world.report({ type: 'happening', happening });
      },
    };
  }

  /** The next session is known before this one has ended: its client gets ready meanwhile. */
  #startAhead(state: LoopState): void {
    const run = state.run;
    if (this.#ahead || !run || hasEnded(state) || state.status !== 'active') return;
    if (run.mode !== 'fresh' && run.handOver === undefined) return;
    const plan = this.#planFor(state, this.#world.newSession(), false);
    // What cannot be prepared is started when its time has come, and fails then, in words.
    this.#ahead = this.#world.sessions.prepare(plan).catch(() => undefined);
  }

  async #client(
    state: LoopState,
    resume: boolean,
  ): Promise<{ session: string; client: ReadySession | SessionPlan }> {
    if (resume) return { session: state.session, client: this.#planFor(state, state.session, true) };
    const ready = await this.#ahead;
    this.#ahead = undefined;
    if (ready) return { session: ready.plan.session, client: ready };
    const session = state.run?.sessions === 0 ? state.session : this.#world.newSession();
    return { session, client: this.#planFor(state, session, false) };
  }

  #planFor(state: LoopState, session: string, resume: boolean): SessionPlan {
    return { ...this.#plan.session, session, resume, ...costLeft(this.#limits(), state) };
  }

  #warnOfLimits(state: LoopState): void {
    if (hasEnded(state)) return;
    const near = nearLimit(state, this.#limits(), this.#now());
    if (!near || this.#warned.has(near.cause)) return;
    this.#warned.add(near.cause);
    this.#world.report({ type: 'warning', text: `80 % of the limit of ${near.cause} is used` });
  }

  #brief(state: LoopState): string {
    const { ref } = this.#plan;
    const run = state.run;
    const first = !run || run.sessions === 0;
    return briefFor({
      situation: situationOf(ref, state, this.#world.ports),
      verdicts: this.#world.lastVerdicts(),
      gates: askedNames(this.#world.ports.store.contract(ref).contract, state),
      beside: followUpWords(run?.children),
      ...(first ? {} : { before: { sessions: run.sessions, note: run.note ? run.note : undefined } }),
    });
  }

  #reminder(state: LoopState): string {
    return reminderFor(situationOf(this.#plan.ref, state, this.#world.ports), this.#world.lastVerdicts());
  }

  async #end(status: 'failed' | 'reached_limit', cause: string, detail: string): Promise<void> {
    const after = this.#append({ kind: 'ended', status, cause, detail });
    await notifyEnding(this.#plan.ref, after, this.#world.ports);
  }

  #append(entry: Entry): LoopState {
    return this.#world.ports.store.append(this.#plan.ref, () => entry);
  }

  #state(): LoopState {
    return this.#world.ports.store.read(this.#plan.ref);
  }

  #limits() {
    return this.#contract().limits;
  }

  #contract() {
    return this.#world.ports.store.contract(this.#plan.ref).contract;
  }

  #now(): number {
    return this.#world.ports.clock.now();
  }
}

/** No session can go on with it. */
function isKeptWaiting({ waiting }: LoopState): boolean {
  return waiting !== undefined && ['needs_person', 'approval', 'context_full'].includes(waiting.why);
}

/** Nothing more is to come of this session: whatever it left running in the background does not keep it. */
function isOver(state: LoopState): boolean {
  if (state.waiting?.why === 'approval') return true;
  return hasEnded(state) || state.status === 'paused' || state.run?.handOver === 'given';
}

function wordsOf(answer: Answer): string {
  return 'message' in answer && answer.message !== undefined
    ? answer.message
    : 'untildone: this session ends here';
}
