/** Runs the children of a run: begins them, merges their work, and tells when the parent goes on. */
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
import type { Ports } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import type { RunEvent } from '../reporter.ts';

/** How a child ended or paused. */
export type ChildRest =
  | {
      kind: 'ended';
      status: Ending | 'nothing_to_do';
      cause: string;
      detail: string;
      branch?: string;
      commit?: string;
    }
  /** The child can go on later: it was interrupted or paused, or it needs the user. */
  | { kind: 'rests'; why: string };

export interface MergeEnd {
  outcome: MergeOutcome;
  files?: string[];
  detail?: string;
}

export interface ChildrenPorts {
  ports: Ports;
  pieces: readonly Piece[];
  newLoop(): string;
  /** Begins the child, or goes on with it, until it ends or pauses. `limits` are for a child that begins. */
  drive(child: ChildState, piece: Piece, limits: Limits, heard: ChildHeard): Promise<ChildRest>;
  /** Merges the commits of a done child. Calls `begins` right before it changes the branch of the run. */
  merge(child: ChildState, piece: Piece, begins: (commit: string) => void): Promise<MergeEnd>;
  report(event: RunEvent): void;
  interrupted(): boolean;
}

/** What a child reports to its parent. */
export interface ChildHeard {
  /** Its state. What a child spends counts for the parent, too. */
  state(state: LoopState): void;
  /** It waits for a limit of the account, or after an error; undefined when it goes on. */
  waits(why: string | undefined): void;
}

/** Causes that would fail every other child, too. */
const FATAL = ['auth', 'billing', 'model_not_found'];

/** Returns when no child works any more. The state says whether the parent goes on. */
export async function runChildren(ref: LoopRef, world: ChildrenPorts): Promise<LoopState> {
  return new ChildRuns(ref, world).drive();
}

class ChildRuns {
  readonly #ref: LoopRef;
  readonly #world: ChildrenPorts;
  readonly #atWork = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, string>();
  /** Why no further child begins, and whether the parent pauses or fails. */
  #stop: { kind: 'pause' | 'fail'; cause: string; why: string } | undefined;

  constructor(ref: LoopRef, world: ChildrenPorts) {
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

  /** Whether further children may begin. Those at work come to their own end. */
  #goesOn(): boolean {
    if (this.#state().status !== 'active') return false;
    if (this.#world.interrupted()) this.#stop ??= { kind: 'pause', cause: '', why: 'interrupted by you' };
    return this.#stop === undefined;
  }

  async #comeToRest(): Promise<LoopState> {
    // The user may have ended or paused the run. Done work is merged when the run goes on.
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
      // The share of a child holds its limit of iterations, so that limit is left out here.
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
      kind: 'child_ended' as const,
      child: child.loop,
      status,
      detail,
      branch,
      commit,
    });
    this.#world.report({ type: 'child', child, change: 'ended', text: `${status}: ${detail}`, state });
    if (status === 'failed' && FATAL.includes(cause)) this.#stop ??= { kind: 'fail', cause, why: detail };
  }

  /** Merges done children one at a time, before others begin, so that these begin with the merged work. */
  async #mergeAll(): Promise<void> {
    for (;;) {
      const children = this.#children();
      const child = children && childToMerge(children);
      if (!child || this.#state().status !== 'active') return;
      const begins = (commit: string) => this.#append({ kind: 'merge_begun', child: child.loop, commit });
      const { outcome, files, detail } = await this.#world.merge(child, this.#pieceOf(child), begins);
      const state = this.#append({
        kind: 'merge_ended' as const,
        child: child.loop,
        outcome,
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

  /** Records when all children wait, and when one goes on: working time counts while one works. */
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
