/** Keeps a run on its remote while it goes on here: publishes every iteration, asks the worker, and hears commands. */
import type { LoopState } from '../../engine/core/loop/state.ts';
import { hasEnded } from '../../engine/core/loop/state.ts';
import { describeWait } from '../../engine/core/words/endings.ts';
import { endMarked } from '../../engine/files/process-tree.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import type { RunCommand } from '../../engine/ports/fleet.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import type { RunObservers } from '../../engine/run/begin/client-options.ts';
import type { Interrupts } from '../../engine/run/begin/interrupts.ts';
import { readRunGitRecord } from '../../engine/run/git/record.ts';
import type { RunPublisher } from '../../engine/run/publisher.ts';
import type { RunReporter } from '../../engine/run/reporter.ts';
import { withTelemetry } from '../../read/reflect/telemetry/follow-run.ts';
import { applyCommand, GOES_ON, whyTooLate, withApplied } from './commands.ts';
import { isEnding, type WorkerLink } from './link.ts';
import type { ProgressReporter } from './progress-reporter.ts';
import type { DriveOutcome } from './protocol.ts';
import {
  type FleetRecord,
  isNote,
  type Rest,
  refuseForMachine,
  resultOf,
  type SpentIteration,
} from './record.ts';
import type { RemoteRun } from './remote-run.ts';
import { Spending } from './spending.ts';

interface Keeping {
  world: ProjectPorts;
  remoteRun: RemoteRun;
  link: WorkerLink;
  progress: ProgressReporter;
  tree: string;
  /** Everything that this process starts has it in its environment. */
  mark: string;
  model?: string;
  /** A run that only waits for longer than this leaves its place to others. */
  waitMs?: number;
}

const LONGEST_WAIT_MS = 60_000;
const DRAINS = 'its worker drains';
const STOPPED = 'this worker stopped';

/** How long a session that is ended may take to report what it has spent. */
const LAST_WORD_MS = 1_000;

/** How far this process is with its run. */
type Stage =
  /** The remote does not know yet that this worker has the run: what is asked waits. `endedBy`: what ended it meanwhile. */
  | { is: 'before'; early: RunCommand[]; endedBy?: RunCommand }
  /** `mayBegin`: the worker has let the next iteration begin. `leftUsd`: what the budgets of the fleet leave for a session. */
  | { is: 'claimed'; mayBegin: boolean; leftUsd?: number }
  /** This process pauses the run, or leaves it waiting. */
  | { is: 'leaving'; rest: Rest }
  /** A step failed, which could only stop the run. */
  | { is: 'over'; failure: unknown };

export class FleetPublisher implements RunPublisher {
  readonly #with: Keeping;
  readonly #stop = new AbortController();
  #stage: Stage = { is: 'before', early: [] };
  #ref: LoopRef | undefined;
  /** What a person wants of the run. */
  #person: 'paused' | 'goes_on' | undefined;
  /** Since when the run waits for a person. */
  #asksSince: number | undefined;
  /** Commands are carried out one after the other. */
  #commands: Promise<void> = Promise.resolve();
  #spending = new Spending();

  constructor(keeping: Keeping) {
    this.#with = keeping;
    const { link } = keeping;
    link.lost.addEventListener('abort', () => this.#stop.abort(), { once: true });
    if (link.lost.aborted) this.#stop.abort();
    link.takeCommands((command) => this.#hear(command));
  }

  /** What went wrong in a step of this publisher. */
  get failure(): unknown {
    return this.#stage.is === 'over' ? this.#stage.failure : undefined;
  }

  get leftUsd(): number | undefined {
    return this.#stage.is === 'claimed' ? this.#stage.leftUsd : undefined;
  }

  /** The command that ended the run before its loop began. */
  get endedEarly(): RunCommand | undefined {
    return this.#stage.is === 'before' ? this.#stage.endedBy : undefined;
  }

  /** What a step before the loop leads to. Undefined as soon as the run is ended, and then nobody waits for the step. */
  async unlessEnded<Result>(step: Promise<Result>): Promise<Result | undefined> {
    const { signal } = this.#stop;
    const ended = new Promise<undefined>((resolve) => {
      const look = () => this.endedEarly && resolve(undefined);
      signal.addEventListener('abort', look, { once: true });
      look();
    });
    return Promise.race([ended, step]);
  }

  /** Ends everything that the run has started here. */
  async endProcesses(): Promise<void> {
    this.#stop.abort();
    await endMarked(this.#with.mark);
  }

  observers(): RunObservers & { interrupts: Interrupts } {
    const { world, link, progress } = this.#with;
    const note = (text: string) => void link.send({ type: 'note', text });
    const reporter: RunReporter = {
      begun: () => progress.doing('begins'),
      event: (event) => {
        // Children of the run are heard here, too.
        if (event.type === 'session' && event.state.loop === this.#ref?.loop)
          this.#spending.sessionBegins(event.state.spent.costUsd);
        progress.hear(event);
      },
      note,
      child: () => reporter,
    };
    const interrupts: Interrupts = {
      asked: () => this.#stop.signal.aborted,
      atOnce: this.#stop.signal,
      waitUntil: async (time) => link.sleep(Math.max(0, time - Date.now())),
      stop: () => undefined,
    };
    return { world, reporter, interrupts, withTelemetry, publisher: this };
  }

  async begins(ref: LoopRef): Promise<string | undefined> {
    return this.#guarded(async () => {
      if (this.#stage.is === 'before') {
        if (this.#stage.endedBy) return STOPPED;
        const { remoteRun } = this.#with;
        remoteRun.record = { ...remoteRun.record, takes: remoteRun.record.takes + 1, rest: undefined };
        await this.#claim(ref, 'begun', this.#stage);
      }
      await this.#settled();
      const state = this.#state();
      return this.#mayGoOn(state, state.spent.costUsd);
    });
  }

  async iterated(state: LoopState, spentUsd: number): Promise<string | undefined> {
    return this.#guarded(async () => {
      this.#asksSince = undefined;
      if (this.#stage.is === 'claimed') this.#stage.mayBegin = false;
      const { remoteRun } = this.#with;
      remoteRun.record = { ...remoteRun.record, takes: 0, rest: undefined };
      // A hand-over note is no iteration.
      const isIteration = !isNote(state);
      if (isIteration) this.#spending.iterated(spentUsd, Date.now());
      try {
        await this.#publish(`in iteration ${state.iteration}`, { goesOn: () => !hasEnded(this.#state()) });
      } catch (error) {
        // The last publication is made when its session has ended.
        if (!hasEnded(this.#state())) throw error;
        if (isIteration) this.#spending.takeBack();
        return undefined;
      }
      if (isIteration) await this.#tellIteration(spentUsd);
      return this.#mayGoOn(this.#state(), spentUsd);
    });
  }

  async goesOn(): Promise<string | undefined> {
    return this.#guarded(async () => {
      const state = this.#state();
      const mayBegin = this.#stage.is === 'claimed' && this.#stage.mayBegin;
      return mayBegin ? undefined : this.#mayGoOn(state, state.spent.costUsd, true);
    });
  }

  /** Tells that an iteration is published. */
  async #tellIteration(spentUsd: number): Promise<void> {
    const { remoteRun, link, progress } = this.#with;
    const costUsd = this.#spending.total(spentUsd);
    const { iterations: iteration } = this.#spending;
    progress.spent(costUsd);
    const spent = this.#spending.rows;
    await link.send({ type: 'published', iteration, commit: remoteRun.commit, costUsd, spent });
  }

  leaves(until: number | undefined): string | undefined {
    const rest = this.#restWhileWaiting(until);
    if (rest) this.#enter({ is: 'leaving', rest });
    return rest?.why;
  }

  #restWhileWaiting(untilMs: number | undefined): Rest | undefined {
    const now = Date.now();
    const { link, waitMs = LONGEST_WAIT_MS } = this.#with;
    if (link.drains) return { kind: 'by_itself', why: DRAINS };
    if (untilMs !== undefined)
      return untilMs - now <= waitMs
        ? undefined
        : { kind: 'by_itself', why: describeWait(this.#state()), untilMs };
    this.#asksSince ??= now;
    return now - this.#asksSince <= waitMs
      ? undefined
      : { kind: 'needs_you', why: describeWait(this.#state()) };
  }

  /** Claims a run that was adopted, and carries out what was asked of it. Returns an outcome when it does not go on. */
  async takesUp(
    ref: LoopRef,
    before: FleetRecord,
    spent: readonly SpentIteration[],
  ): Promise<DriveOutcome | undefined> {
    const { remoteRun } = this.#with;
    const { rest } = before;
    this.#spending = new Spending(before.spent ?? spent);
    remoteRun.record = { ...before, takes: (rest ? 0 : before.takes) + 1, finished: undefined };
    if (rest?.kind === 'paused') this.#person = 'paused';
    if (this.#stage.is === 'before') await this.#claim(ref, 'taken up', this.#stage);
    await this.#settled();
    const state = this.#state();
    const waitsForYou =
      state.status === 'paused' &&
      (this.#person === 'paused' || (rest?.kind === 'needs_you' && this.#person !== 'goes_on'));
    if (hasEnded(state) || waitsForYou) return this.outcomeAfter();
    remoteRun.record = { ...remoteRun.record, rest: undefined };
    return undefined;
  }

  /** Whether a run that was paused was resumed while it was being left. */
  isResumed(left: LoopState): boolean {
    return left.status === 'paused' && this.#state().status === 'active' && !this.#stop.signal.aborted;
  }

  /** Publishes how the run is left, and says it. */
  async outcomeAfter(): Promise<DriveOutcome> {
    if (this.#stage.is === 'over') throw this.#stage.failure;
    await this.#settled();
    const { remoteRun, link } = this.#with;
    link.lost.throwIfAborted();
    const state = this.#state();
    refuseForMachine(state);
    const rest = hasEnded(state) ? undefined : this.#restOf(state);
    remoteRun.record = { ...remoteRun.record, takes: 0, rest };
    if (!rest) this.#spending.ended(state.spent.costUsd, Date.now());
    await this.#publish(rest ? `rests: ${rest.why}` : `ended: ${state.status}`, { isLast: true });
    if (!rest) return this.#endedAs(state);
    if (rest.kind === 'by_itself' && rest.why === DRAINS) return { kind: 'handed_back' };
    const untilMs = rest.kind === 'by_itself' ? rest.untilMs : undefined;
    return { kind: 'rests', why: rest.why, ...(untilMs === undefined ? {} : { untilMs }) };
  }

  /** Ends a run that was cancelled before it was adopted. Undefined when it was not. */
  async cancelUnadopted(ref: LoopRef): Promise<DriveOutcome | undefined> {
    if (this.#stage.is !== 'before' || !this.#stage.endedBy) return undefined;
    this.#ref = ref;
    for (const command of this.#stage.early.splice(0)) await this.#apply(command, isEnding(command));
    await this.#tellSpent(this.#with.remoteRun.record.spent);
    this.#spending.ended(this.#state().spent.costUsd, Date.now());
    await this.#publish('cancelled', { isLast: true, isUnadopted: true });
    return this.#endedAs(this.#state());
  }

  /** A run that had ended before it was taken: its last publication may be missing. */
  async endedBefore(
    ref: LoopRef,
    state: LoopState,
    { finished, spent: told }: FleetRecord,
    spent: readonly SpentIteration[],
  ): Promise<DriveOutcome> {
    this.#ref = ref;
    this.#with.progress.follow(ref, this.#with.world.store);
    await this.#tellSpent(told ?? spent);
    if (!finished) {
      this.#spending.ended(state.spent.costUsd, Date.now());
      await this.#publish(`ended: ${state.status}`, { isLast: true });
    }
    return this.#endedAs(state);
  }

  /** Tells what a run has cost that does not go on here. */
  async #tellSpent(spent: readonly SpentIteration[] = []): Promise<void> {
    this.#spending = new Spending(spent);
    await this.#with.link.send({ type: 'claimed', takesSinceIteration: 0, spent });
  }

  #endedAs(state: LoopState): DriveOutcome {
    return { kind: 'ended', result: this.#resultOf(state), spent: this.#spending.rows };
  }

  #resultOf(state: LoopState) {
    const { remoteRun } = this.#with;
    const { base, branch } = remoteRun.record;
    const commit = remoteRun.head;
    return resultOf(state, commit === undefined || commit === base ? {} : { branch, commit });
  }

  #restOf(state: LoopState): Rest {
    const why = state.waiting?.detail ?? describeWait(state);
    if (this.#person === 'paused') return { kind: 'paused', why: why || 'paused by a person' };
    return this.#stage.is === 'leaving' ? this.#stage.rest : { kind: 'needs_you', why };
  }

  async #claim(ref: LoopRef, message: string, { early }: Stage & { is: 'before' }): Promise<void> {
    const { remoteRun, link, progress, world } = this.#with;
    this.#ref = ref;
    const branch = readRunGitRecord(world.home, ref.loop)?.branch ?? remoteRun.record.branch;
    remoteRun.record = { ...remoteRun.record, branch };
    progress.follow(ref, world.store);
    progress.spent(this.#spending.total(0));
    await this.#publish(message);
    this.#enter({ is: 'claimed', mayBegin: false });
    const { takes } = remoteRun.record;
    await link.send({ type: 'claimed', takesSinceIteration: takes, spent: this.#spending.rows });
    for (const command of early.splice(0)) this.#hear(command);
  }

  #publish(message: string, options: Parameters<RemoteRun['publish']>[3] = {}): Promise<void> {
    const { remoteRun, world, tree } = this.#with;
    remoteRun.record = { ...remoteRun.record, spent: this.#spending.rows };
    const place = { ref: this.#known(), home: world.home, tree };
    return remoteRun.publish(this.#state(), place, `${place.ref.loop}: ${message}`, options);
  }

  /** Why the next iteration does not begin. `isBilled`: the session before it has ended. */
  async #mayGoOn(state: LoopState, spentUsd: number, isBilled = false): Promise<string | undefined> {
    const { link, model = 'default' } = this.#with;
    if (state.status !== 'active') return undefined;
    // A hand-over note is no iteration, and before a fresh session it counts what the last one has cost.
    const isNext = isBilled || state.run?.handOver === undefined || !state.run.open;
    if (!link.drains && state.waiting?.why !== 'approval' && isNext) {
      const costUsd = this.#spending.total(spentUsd);
      const { refused, leftUsd } = await link.may({ model, costUsd, iteration: state.iteration });
      this.#enter(
        refused
          ? { is: 'leaving', rest: { kind: 'by_itself', ...refused } }
          : { is: 'claimed', mayBegin: true, leftUsd },
      );
    }
    if (link.drains) this.#enter({ is: 'leaving', rest: { kind: 'by_itself', why: DRAINS } });
    return this.#stage.is === 'leaving' ? this.#stage.rest.why : undefined;
  }

  /** A step that fails stops the run at once; `outcomeAfter` tells why. */
  async #guarded(step: () => Promise<string | undefined>): Promise<string | undefined> {
    try {
      if (this.#stage.is === 'over' || this.#with.link.lost.aborted) return STOPPED;
      return await step();
    } catch (error) {
      this.#fail(error);
      return STOPPED;
    }
  }

  /** Nothing follows a failure. */
  #enter(stage: Stage): void {
    if (this.#stage.is !== 'over') this.#stage = stage;
  }

  #fail(failure: unknown): void {
    this.#enter({ is: 'over', failure });
    this.#stopSessions(0);
  }

  #hear(command: RunCommand): void {
    const stage = this.#stage;
    const isEnd = isEnding(command);
    if (stage.is === 'before') {
      stage.early.push(command);
      if (!isEnd || this.#ref) return;
      stage.endedBy ??= command;
      this.#stop.abort();
      return;
    }
    // What was not carried out is asked of who takes the run next.
    if (stage.is === 'over') return;
    this.#commands = this.#commands
      .then(() => this.#apply(command, isEnd))
      .catch((error: unknown) => this.#fail(error));
  }

  async #apply(command: RunCommand, isEnd: boolean): Promise<void> {
    const { remoteRun, world, link } = this.#with;
    const { applied, askedAt = 0 } = remoteRun.record;
    if (applied.includes(command.id)) return;
    const why = whyTooLate(command, askedAt, this.#state());
    if (why !== undefined) return link.send({ type: 'refused', id: command.id, why });
    const record = { applied: withApplied(applied, command.id), askedAt: Math.max(askedAt, command.at) };
    remoteRun.record = { ...remoteRun.record, ...record };
    const text = await applyCommand(command, this.#known(), world);
    await link.send({ type: 'note', text });
    this.#person = this.#wantedBy(command);
    if (isEnd && hasEnded(this.#state())) this.#stopSessions(LAST_WORD_MS);
  }

  /** What a person wants, who has asked this last. */
  #wantedBy({ command }: RunCommand): 'paused' | 'goes_on' | undefined {
    const isPaused =
      command === 'pause' || command === 'resume'
        ? this.#state().status === 'paused'
        : this.#person === 'paused';
    if (isPaused) return 'paused';
    return GOES_ON.has(command) || this.#person === 'goes_on' ? 'goes_on' : undefined;
  }

  /** Ends the sessions, and after a while everything that the run has started. */
  #stopSessions(afterMs: number): void {
    this.#stop.abort();
    setTimeout(() => void endMarked(this.#with.mark), afterMs).unref();
  }

  /** Resolves when the commands that came so far are carried out. */
  async #settled(): Promise<void> {
    for (let seen: Promise<void> | undefined; seen !== this.#commands; ) {
      seen = this.#commands;
      await seen;
    }
  }

  #state(): LoopState {
    return this.#with.world.store.read(this.#known());
  }

  #known(): LoopRef {
    if (this.#ref) return this.#ref;
    throw new Error('the run has not begun yet');
  }
}
