/** The part of a run in which its children work: who begins, whose work is taken in, and when the parent goes on. */
import type { Limits } from '../../core/contract/contract.ts';
import type { Entry } from '../../core/loop/entry.ts';
import { reachedLimit } from '../../core/loop/limits.ts';
import {
  type Children,
  type ChildState,
  type Ending,
  hasEnded,
  type LoopState,
  type MergeOutcome,
} from '../../core/loop/state.ts';
import { childToMerge, type Piece, piecesToBegin, shareFor, timeLeft } from '../../core/run/children.ts';
import { notifyEnding } from '../../hook/stop/endings.ts';
import type { JudgingPorts } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import type { RunEvent } from '../reporter.ts';

/** How a child came to rest. */
export type ChildRest =
  | {
      kind: 'ended';
      status: Ending | 'nothing_to_do';
      cause: string;
      detail: string;
      branch?: string;
      commit?: string;
    }
  /** It can go on: interrupted, paused, or a person is needed. */
  | { kind: 'rests'; why: string };

export interface MergeEnd {
  outcome: MergeOutcome;
  files?: string[];
  detail?: string;
}

export interface ChildrenWorld {
  ports: JudgingPorts;
  pieces: readonly Piece[];
  newLoop(): string;
  /** Begins the child, or goes on with it, until it rests. `limits` are those of a child that begins. */
  drive(child: ChildState, piece: Piece, limits: Limits, heard: ChildHeard): Promise<ChildRest>;
  /** Takes in what a done child has committed; `begins` is called right before the branch of the run is touched. */
  merge(child: ChildState, piece: Piece, begins: (commit: string) => void): Promise<MergeEnd>;
  report(event: RunEvent): void;
  interrupted(): boolean;
}

/** What a child is listened to for. */
export interface ChildHeard {
  /** How it stands: what it has spent is its parent's spending, too. */
  state(state: LoopState): void;
  /** It waits for a limit of the account, or after an error; undefined: it goes on. */
  waits(why: string | undefined): void;
}

/** These hit every child alike: whoever begins next fails the same way. */
const FATAL = ['auth', 'billing', 'model_not_found'];

/** Returns when no child is at work any more; the state says whether the parent goes on by itself. */
export async function runChildren(ref: LoopRef, world: ChildrenWorld): Promise<LoopState> {
  return new ChildRuns(ref, world).drive();
}

class ChildRuns {
  readonly #ref: LoopRef;
  readonly #world: ChildrenWorld;
  readonly #atWork = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, string>();
  /** Why no further child begins, and what becomes of the parent then. */
  #stop: { kind: 'pause' | 'fail'; cause: string; why: string } | undefined;

  constructor(ref: LoopRef, world: ChildrenWorld) {
    this.#ref = ref;
    this.#world = world;
  }

  async drive(): Promise<LoopState> {
    const known = this.#children();
    if (!known || known.over) return this.#state();
    if (known.list.length > 0) this.#append({ kind: 'children_resumed' });
    for (const child of known.list) if (child.status === 'open') this.#goOn(child);
    try {
      while (this.#goesOn()) {
        await this.#mergeAll();
        this.#beginMore();
        if (this.#atWork.size === 0) break;
        await Promise.race(this.#atWork.values());
      }
    } finally {
      await Promise.all(this.#atWork.values());
    }
    return this.#comeToRest();
  }

  /** Nobody else is to begin: what is at work comes to its own rest. */
  #goesOn(): boolean {
    if (this.#state().status !== 'active') return false;
    if (this.#world.interrupted()) this.#stop ??= { kind: 'pause', cause: '', why: 'interrupted by you' };
    return this.#stop === undefined;
  }

  async #comeToRest(): Promise<LoopState> {
    // A person may have ended or paused it meanwhile: what is done is still taken in when it goes on.
    const state = this.#state();
    if (state.status !== 'active') {
      if (!hasEnded(state)) this.#world.report({ type: 'paused', why: state.waiting?.detail ?? 'paused' });
      return state;
    }
    const stop = this.#stop;
    if (stop?.kind === 'fail') {
      const ended = this.#append({ kind: 'ended', status: 'failed', cause: stop.cause, detail: stop.why });
      await notifyEnding(this.#ref, ended, this.#world.ports);
      return ended;
    }
    if (stop) {
      const paused = this.#append({ kind: 'command', command: 'pause', note: stop.why });
      this.#world.report({ type: 'paused', why: stop.why });
      return paused;
    }
    return this.#append({ kind: 'children_over' });
  }

  #beginMore(): void {
    for (;;) {
      const state = this.#state();
      const children = this.#children();
      const free = (children?.atOnce ?? 0) - this.#atWork.size;
      if (!children || free < 1 || !this.#goesOn()) return;
      const waiting = piecesToBegin(children, this.#world.pieces);
      const [piece] = waiting;
      const limits = this.#limits();
      // An iteration that has begun is not over: the limit of them is in the share.
      if (!piece || reachedLimit(state, { ...limits, iterations: 'unlimited' }, this.#now())) return;
      const share = shareFor(state, limits, Math.min(free, waiting.length));
      if (!share) return;
      const loop = this.#world.newLoop();
      const begun = this.#append({ kind: 'child_begun', child: loop, piece: piece.name, share });
      const child = begun.run?.children?.list.find((known) => known.loop === loop);
      if (!child) return;
      this.#world.report({ type: 'child', child, change: 'begun', text: piece.title, state: begun });
      this.#start(child, piece);
    }
  }

  #goOn(child: ChildState): void {
    const piece = this.#pieceOf(child);
    const state = this.#state();
    this.#world.report({ type: 'child', child, change: 'goes_on', text: piece.title, state });
    this.#start(child, piece);
  }

  #start(child: ChildState, piece: Piece): void {
    const limits = this.#limits();
    const own: Limits = {
      ...limits,
      ...child.share,
      durationMs: timeLeft(this.#state(), limits, this.#now()),
    };
    const heard: ChildHeard = {
      state: (state) => this.#count(child.loop, state),
      waits: (why) => this.#wait(child.loop, why),
    };
    const work = this.#world
      .drive(child, piece, own, heard)
      .catch((error: Error): ChildRest => ({ kind: 'rests', why: `${piece.name}: ${error.message}` }))
      .then((rest) => this.#rest(child, rest));
    this.#atWork.set(child.loop, work);
  }

  #rest(child: ChildState, rest: ChildRest): void {
    this.#atWork.delete(child.loop);
    this.#waiting.delete(child.loop);
    if (rest.kind === 'rests') {
      if (!this.#world.interrupted()) this.#stop ??= { kind: 'pause', cause: '', why: rest.why };
      return;
    }
    const { status, cause, detail, branch, commit } = rest;
    const state = this.#append({
      ...{ kind: 'child_ended' as const, child: child.loop, status, detail },
      branch,
      commit,
    });
    this.#world.report({ type: 'child', child, change: 'ended', text: `${status}: ${detail}`, state });
    if (status === 'failed' && FATAL.includes(cause)) this.#stop ??= { kind: 'fail', cause, why: detail };
  }

  /** One at a time, and before anybody else begins: whoever begins has it already. */
  async #mergeAll(): Promise<void> {
    for (;;) {
      const children = this.#children();
      const child = children && childToMerge(children);
      if (!child || this.#state().status !== 'active') return;
      const begins = (commit: string) => this.#append({ kind: 'merge_begun', child: child.loop, commit });
      const { outcome, files, detail } = await this.#world.merge(child, this.#pieceOf(child), begins);
      const state = this.#append({
        ...{ kind: 'merge_ended' as const, child: child.loop, outcome },
        files,
        detail: detail || undefined,
      });
      const after = state.run?.children?.list.find(({ loop }) => loop === child.loop) ?? child;
      this.#world.report({ type: 'child', child: after, change: outcome, text: detail ?? '', state });
    }
  }

  #count(child: string, { spent, iteration }: LoopState): void {
    const known = this.#children()?.list.find(({ loop }) => loop === child)?.spent;
    const isNew =
      known === undefined ||
      known.costUsd !== spent.costUsd ||
      known.tokens !== spent.tokens ||
      known.iterations !== iteration;
    if (isNew) this.#append({ kind: 'child_spent', child, ...spent, iterations: iteration });
  }

  /** Time counts as long as one of them works. */
  #wait(child: string, why: string | undefined): void {
    const before = this.#waiting.size;
    if (why === undefined) this.#waiting.delete(child);
    else this.#waiting.set(child, why);
    if (why !== undefined && this.#waiting.size === this.#atWork.size)
      this.#append({ kind: 'children_waiting', why });
    else if (why === undefined && before === this.#atWork.size && before > this.#waiting.size)
      this.#append({ kind: 'children_resumed' });
  }

  #pieceOf({ piece }: ChildState): Piece {
    return this.#world.pieces.find(({ name }) => name === piece) ?? { name: piece, title: piece, after: [] };
  }

  #append(entry: Entry): LoopState {
    return this.#world.ports.store.append(this.#ref, () => entry);
  }

  #children(): Children | undefined {
    return this.#state().run?.children;
  }

  #state(): LoopState {
    return this.#world.ports.store.read(this.#ref);
  }

  #limits(): Limits {
    return this.#world.ports.store.contract(this.#ref).contract.limits;
  }

  #now(): number {
    return this.#world.ports.clock.now();
  }
}
