import type { Entry } from '../../core/loop/entry.ts';
import type { Answer, HookEvent, StopEvent, ToolEvent } from '../../core/loop/event.ts';
import { askedNames } from '../../core/loop/phases.ts';
import { newAnswers } from '../../core/loop/questions.ts';
import { hasEnded, isDone, type LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { allowWords, denialOf, isGateCommand } from '../../core/run/permissions.ts';
import { nextStep, type Step, withBill } from '../../core/run/run.ts';
import { nameEnd, type SessionFacts } from '../../core/run/session-end.ts';
import { visibleText } from '../../core/text/visible.ts';
import { briefFor } from '../../core/words/brief.ts';
import { followUpWords } from '../../core/words/entries.ts';
import { reminderFor } from '../../core/words/reason.ts';
import { handleHook } from '../../hook/handle-hook.ts';
import { notifyEnding } from '../../hook/stop/endings.ts';
import { situationOf } from '../../hook/stop/situation.ts';
import { rulingContract } from '../../judging/freeze-contract.ts';
import type { Ports } from '../../judging/ports.ts';
import type { LoopRef, SessionHappening, SessionPlan, SessionPort, SessionUse } from '../../ports/ports.ts';
import type { Interrupts } from '../begin/interrupts.ts';
import type { RunPublisher } from '../publisher.ts';
import type { RunEvent } from '../reporter.ts';
import { RunBudget } from './run-budget.ts';
import { LastAnswer, RunClient } from './run-client.ts';

/** What driving a run needs from outside. */
export interface DriverPorts {
  judging: Ports;
  sessions: SessionPort;
  /** From now on the session's events belong to the loop. */
  bind(session: string): void;
  newSession(): string;
  /** The transcript of a session; undefined for a session that cannot be resumed. */
  transcriptOf(session: string): string | undefined;
  lastVerdicts(): Verdict[];
  report(event: RunEvent): void;
  /** After a Stop was judged; never rejects. `spentUsd`: what the run has spent, its open session included. */
  judged(state: LoopState, verdicts: readonly Verdict[], spentUsd: number): Promise<void>;
  /** After a session of a run that is done has reported its cost; never rejects. */
  billed(state: LoopState): Promise<void>;
  interrupts: Omit<Interrupts, 'stop'>;
  /** Of a run that is published elsewhere while it goes on. */
  publisher?: Pick<RunPublisher, 'leftUsd' | 'goesOn' | 'leaves'>;
}

export interface RunPlan {
  ref: LoopRef;
  session: Omit<SessionPlan, 'session' | 'resume' | 'maxCostUsd'>;
  idleMs: number;
  /** The longest that one session may take. */
  sessionMs?: number;
}

/** Drives a loop over as many sessions as it needs, until it ends or pauses. */
export async function runLoop(plan: RunPlan, ports: DriverPorts): Promise<LoopState> {
  const driver = new Driver(plan, ports);
  try {
    return await driver.drive();
  } finally {
    await driver.discardClient();
  }
}

/** How often a waiting run looks whether its journal has changed. */
const LOOK_AGAIN_MS = 500;

type SessionStep = Extract<Step, { kind: 'session' }>;

class Driver {
  readonly #plan: RunPlan;
  readonly #ports: DriverPorts;
  readonly #budget: RunBudget;
  readonly #client: RunClient;
  readonly #lastAnswer: LastAnswer;
  /** Of the session that ended last, unless it was cut off. */
  #lastText: string | undefined;
  #transcript: string | undefined;
  readonly #denied = new Set<string>();

  constructor(plan: RunPlan, ports: DriverPorts) {
    const { judging, sessions, newSession, publisher } = ports;
    this.#plan = plan;
    this.#ports = ports;
    this.#budget = new RunBudget(() => judging.store.contract(plan.ref).contract, judging);
    this.#client = new RunClient({
      sessions,
      newSession,
      planFor: (state, session, resume) => ({
        ...plan.session,
        session,
        resume,
        ...this.#budget.costLeft(state, publisher?.leftUsd),
      }),
    });
    this.#lastAnswer = new LastAnswer(plan.session.model);
  }

  /** The journal decides each step: the same journal gives the same step after a crash. */
  async drive(): Promise<LoopState> {
    this.#recordLostSession();
    for (;;) {
      const state = this.#pauseIfAsked();
      const step = nextStep(state, this.#now());
      if (step.kind === 'over') {
        this.#ports.report({ type: 'ended', state });
        return state;
      }
      if (step.kind === 'pause') return this.#pause(state, step.why);
      const leaves = this.#leaves(step);
      if (leaves !== undefined) {
        this.#ports.report({ type: 'paused', why: leaves });
        return state;
      }
      const pause = await this.#refusal(step, state);
      if (pause !== undefined) return this.#pause(state, pause);
      await this.#perform(step);
    }
  }

  /** Why a fresh session does not begin, though the run has more to do. */
  async #refusal(step: Step, { run }: LoopState): Promise<string | undefined> {
    const isNext = step.kind === 'session' && !step.resume && (run?.sessions ?? 0) > 0;
    return isNext ? this.#ports.publisher?.goesOn() : undefined;
  }

  /** Why the driver leaves a run that would only wait. */
  #leaves(step: Step): string | undefined {
    if (step.kind !== 'wait' && step.kind !== 'ask') return undefined;
    return this.#ports.publisher?.leaves(step.kind === 'wait' ? step.until : undefined);
  }

  async #perform(step: Exclude<Step, { kind: 'over' | 'pause' }>): Promise<void> {
    switch (step.kind) {
      case 'session':
        return this.#runSession(step);
      case 'judge':
        return this.#judge();
      case 'wait':
        return this.#awaitTime(step);
      case 'ask':
        return this.#awaitAnswer(step);
      case 'fail':
        return this.#end('failed', step.cause, step.detail);
    }
  }

  /** Intent into the journal, the session itself, its result into the journal. */
  async #runSession(step: SessionStep, reason?: string): Promise<void> {
    const state = this.#state();
    // Claude Code finds a session only in the folder in which it began.
    const isHere = !state.run?.moved && this.#ports.transcriptOf(state.session) !== undefined;
    const resume = step.resume && isHere;
    const limit = this.#budget.limitBefore(state, resume);
    if (limit) return this.#end('reached_limit', limit.cause, `${limit.used} of ${limit.limit}`);
    const { session, client } = await this.#client.next(state, resume);
    const prompt = resume ? (reason ?? this.#reminder(state)) : this.#brief(state);
    this.#append({ kind: 'intent', session, resume, why: step.why });
    this.#ports.bind(session);
    const begun = this.#state();
    this.#budget.begins(begun);
    this.#ports.report({ type: 'session', session, resume, why: step.why, state: begun });
    const facts = await this.#ports.sessions.run(client, prompt, this.#listener(), {
      idleMs: this.#plan.idleMs,
      ...this.#budget.timeLeft(begun, this.#plan.sessionMs),
      signal: this.#ports.interrupts.atOnce,
    });
    const after = this.#recordResult(facts);
    if (isDone(after.status)) await this.#ports.billed(after);
  }

  #recordResult(facts: SessionFacts): LoopState {
    const end = nameEnd(facts);
    const spent = this.#budget.spentIn(this.#transcript, this.#state());
    const { costTotalUsd = spent.costTotalUsd, tokensTotal = this.#budget.reported } = facts.result ?? {};
    const isFinished = end.kind === 'completed' || end.kind === 'stopped_by_hook';
    this.#lastText = isFinished ? facts.result?.text : undefined;
    if (!isFinished) this.#transcript = undefined;
    const after = this.#append({ kind: 'result', end, ...spent, costTotalUsd, tokensTotal });
    this.#ports.report({ type: 'session_ended', end, state: after });
    const near = hasEnded(after) ? undefined : this.#budget.newWarning(after);
    if (near) this.#ports.report({ type: 'warning', text: `80 % of the limit of ${near.cause} is used` });
    return after;
  }

  /** Judges the work between sessions, and goes on with the last session when the work is not done. */
  async #judge(): Promise<void> {
    const answer = await this.#stop({
      name: 'Stop',
      session: this.#state().session,
      stopHookActive: false,
      backgroundTasks: [],
      wakeUps: [],
      cwd: this.#plan.session.cwd,
      lastMessage: this.#lastText,
      transcript: this.#transcript,
    });
    const after = this.#state();
    if (isOver(after) || waitsForOthers(after)) return;
    const reason = answer.kind === 'refuse' ? answer.reason : undefined;
    await this.#runSession({ kind: 'session', resume: true, why: 'not_done' }, reason);
  }

  /** What a running session tells, and the answers to its events. */
  #listener() {
    return {
      event: async (event: HookEvent): Promise<Answer> => {
        this.#transcript = event.transcript ?? this.#transcript;
        if (event.name === 'Stop') return this.#stopInSession(event);
        const halt = event.name === 'PreToolUse' ? this.#haltBeforeTool(event) : undefined;
        return halt ?? this.#permit(event, await handleHook(event, this.#ports.judging));
      },
      happened: (happening: SessionHappening) => {
        this.#lastAnswer.hear(happening);
        if (happening.kind === 'denied') this.#recordDenial(happening);
        // The next client waits for this one to be there: two that start at once delay each other.
        if (happening.kind === 'began' && !this.#client.isPrepared) this.#client.prepareNext(this.#state());
        this.#ports.report({ type: 'happening', happening });
      },
      used: (used: SessionUse) => {
        this.#budget.used(used);
        if (used.costTotalUsd === undefined || this.#client.isPrepared) return;
        this.#client.prepareNext(withBill(this.#state(), used.costTotalUsd), true);
      },
    };
  }

  async #stopInSession(event: StopEvent): Promise<Answer> {
    this.#pauseIfAsked();
    const answer = await this.#stop(this.#lastAnswer.with(event));
    const state = this.#state();
    this.#client.prepareNext(state);
    if (!isOver(state))
      return this.#budget.hasTokensLeft(state, event.transcript)
        ? answer
        : { kind: 'halt', message: NO_TOKENS };
    const message = 'message' in answer ? answer.message : undefined;
    return { kind: 'halt', message: message ?? SESSION_ENDS };
  }

  /** A turn can take hours, so a pause, an ending and the tokens are looked at before every tool call. */
  #haltBeforeTool({ transcript }: ToolEvent): Answer | undefined {
    const state = this.#pauseIfAsked();
    if (isOver(state)) return { kind: 'halt', message: SESSION_ENDS };
    if (this.#budget.hasTokensLeft(state, transcript)) return undefined;
    return { kind: 'halt', message: NO_TOKENS };
  }

  /** Allows the commands of gates without asking, unless a rule of the contract says otherwise. */
  #permit(event: HookEvent, answer: Answer): Answer {
    if (event.name !== 'PermissionRequest' || answer.kind !== 'silence') return answer;
    const ruling = rulingContract(this.#plan.ref, this.#state(), this.#ports.judging);
    const isGate = ruling && isGateCommand(event, ruling.contract, ruling.frozen.project);
    return isGate ? { kind: 'permit' } : answer;
  }

  /** Each denied call is recorded once: an agent may try it again and again. */
  #recordDenial({ tool, input }: Extract<SessionHappening, { kind: 'denied' }>): void {
    const denial = denialOf(tool, input);
    const key = `${denial.tool} ${denial.what}`;
    if (this.#denied.has(key) || this.#denied.size >= MOST_DENIALS) return;
    this.#denied.add(key);
    const detail = { tool: denial.tool, what: denial.what, allow: allowWords(denial) };
    this.#append({ kind: 'event', event: 'PermissionDenied', detail });
  }

  async #stop(event: StopEvent): Promise<Answer> {
    const { judging, report, judged, lastVerdicts } = this.#ports;
    const before = this.#state();
    report({ type: 'judging' });
    const answer = await handleHook(event, judging);
    const state = this.#state();
    const isJudged =
      before.status === 'active' && answer.kind !== 'ignore' && state.waiting?.why !== 'needs_person';
    const verdicts = isJudged ? lastVerdicts() : undefined;
    report({ type: 'stop', state, answer: answer.kind, verdicts });
    if (verdicts) await judged(state, verdicts, this.#budget.spentSoFar(state));
    return answer;
  }

  /** Waits for a time. A pause or a cancel from another terminal ends the wait. */
  async #awaitTime(step: Extract<Step, { kind: 'wait' }>): Promise<void> {
    const { until, why } = step;
    this.#ports.report({ type: 'waiting', until, why });
    while (this.#now() < until && !this.#isDisturbed(step) && this.#state().status === 'active')
      await this.#ports.interrupts.waitUntil(Math.min(until, this.#now() + LOOK_AGAIN_MS));
  }

  /** Waits until the journal holds the answer to a question, or until it has waited for long enough. */
  async #awaitAnswer(step: Extract<Step, { kind: 'ask' }>): Promise<void> {
    const { why, until = Number.POSITIVE_INFINITY } = step;
    this.#ports.report({ type: 'waiting', why });
    const isOpen = ({ status, waiting } = this.#state()) =>
      status === 'active' && waiting?.why === 'approval';
    while (isOpen() && !this.#isDisturbed(step) && this.#now() < until)
      await this.#ports.interrupts.waitUntil(Math.min(until, this.#now() + LOOK_AGAIN_MS));
  }

  #isDisturbed(step: Step): boolean {
    return this.#ports.interrupts.asked() || this.#leaves(step) !== undefined;
  }

  /** Gives a result to a session whose driver was killed. */
  #recordLostSession(): void {
    const state = this.#state();
    const open = state.run?.open;
    if (!open) return;
    const detail = 'untildone was ended while this session ran';
    const spent = this.#budget.spentIn(this.#ports.transcriptOf(open.session), state);
    this.#append({ kind: 'result', end: { kind: 'lost', detail }, ...spent });
  }

  #pauseIfAsked(): LoopState {
    const state = this.#state();
    if (!this.#ports.interrupts.asked() || state.status !== 'active') return state;
    return this.#append({ kind: 'command', command: 'pause', note: 'interrupted by you' });
  }

  #pause(state: LoopState, why: string): LoopState {
    if (state.status !== 'paused') this.#append({ kind: 'command', command: 'pause', note: why });
    this.#ports.report({ type: 'paused', why });
    return this.#state();
  }

  async #end(status: 'failed' | 'reached_limit', cause: string, detail: string): Promise<void> {
    const after = this.#append({ kind: 'ended', status, cause, detail });
    await notifyEnding(this.#plan.ref, after, this.#ports.judging);
  }

  /** The prompt of a fresh session. */
  #brief(state: LoopState): string {
    const { judging, lastVerdicts } = this.#ports;
    const { ref } = this.#plan;
    const { sessions = 0, note, children } = state.run ?? {};
    const { contract } = judging.store.contract(ref);
    return briefFor({
      situation: situationOf(ref, state, judging),
      verdicts: lastVerdicts(),
      gates: askedNames(contract, state),
      lessons: judging.lessons?.loop(ref, contract, judging.clock.now()),
      beside: followUpWords(children),
      ...(sessions === 0 ? {} : { before: { sessions, note: note ? note : undefined } }),
    });
  }

  /** The prompt of a session that goes on. */
  #reminder(state: LoopState): string {
    const situation = situationOf(this.#plan.ref, state, this.#ports.judging);
    const reminder = reminderFor(situation, this.#ports.lastVerdicts());
    const news = newAnswers(state.answers ?? {}, state.questions);
    return news === undefined ? reminder : `${visibleText(news)}\n\n${reminder}`;
  }

  discardClient(): Promise<void> {
    return this.#client.discard();
  }

  #append(entry: Entry): LoopState {
    return this.#ports.judging.store.append(this.#plan.ref, () => entry);
  }

  #state(): LoopState {
    return this.#ports.judging.store.read(this.#plan.ref);
  }

  #now(): number {
    return this.#ports.judging.clock.now();
  }
}

/** How many denied calls one process records. */
const MOST_DENIALS = 200;
const NO_TOKENS = 'untildone: the tokens of this run are used up';
const SESSION_ENDS = 'untildone: this session ends here';

/** The session has nothing more to do, whatever it left running in the background. */
function isOver(state: LoopState): boolean {
  if (state.waiting?.why === 'approval') return true;
  return hasEnded(state) || state.status === 'paused' || state.run?.handOver === 'given';
}

/** No prompt helps the session: you have to act, or the context is full. */
function waitsForOthers({ waiting }: LoopState): boolean {
  return waiting?.why === 'needs_person' || waiting?.why === 'context_full';
}
