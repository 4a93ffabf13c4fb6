import type { Contract } from '../../core/contract/contract.ts';
import type { Entry } from '../../core/loop/entry.ts';
import type { ReachedLimit } from '../../core/loop/limits.ts';
import type { LoopState } from '../../core/loop/state.ts';
import type { TranscriptUsage } from '../../core/loop/transcript.ts';
import { spentSoFar } from '../../core/run/entries.ts';
import { costLeft, limitBefore, nearLimit, timeLeft } from '../../core/run/run.ts';
import type { Ports } from '../../judging/ports.ts';
import type { SessionTotals, SessionUse } from '../../ports/ports.ts';

type Spent = Pick<Extract<Entry, { kind: 'result' }>, 'costTotalUsd' | 'read'>;

/** What a run may spend by its contract, and what its sessions have spent since the journal last counted. */
export class RunBudget {
  readonly #contract: () => Contract;
  readonly #ports: Pick<Ports, 'transcripts' | 'clock'>;
  readonly #warned = new Set<string>();
  /** How far the transcript of the session was read, from the point where the journal stands. */
  #tally: { session: string; from: number; usage: TranscriptUsage } | undefined;
  /** What the open session has used: before this process of Claude Code began, and since. */
  #live: { before: number; since: number; totals?: SessionTotals } = { before: 0, since: 0 };

  constructor(contract: () => Contract, ports: Pick<Ports, 'transcripts' | 'clock'>) {
    this.#contract = contract;
    this.#ports = ports;
  }

  /** The limit that forbids another session. */
  limitBefore(state: LoopState, resume: boolean): ReachedLimit | undefined {
    return limitBefore(this.#contract(), state, resume, this.#ports.clock.now());
  }

  /** `leftElsewhere`: what others who pay for the run have left. */
  costLeft(state: LoopState, leftElsewhere: number | undefined): { maxCostUsd?: number } {
    const own = costLeft(this.#contract().limits, state);
    if (leftElsewhere === undefined) return own;
    return { maxCostUsd: Math.min(own.maxCostUsd ?? leftElsewhere, leftElsewhere) };
  }

  timeLeft(state: LoopState, sessionMs: number | undefined): { deadlineMs?: number } {
    return timeLeft(this.#contract().limits, sessionMs, state, this.#ports.clock.now());
  }

  /** A limit that is nearly reached; each one is named once. */
  newWarning(state: LoopState): ReachedLimit | undefined {
    const near = nearLimit(state, this.#contract().limits, this.#ports.clock.now());
    if (!near || this.#warned.has(near.cause)) return undefined;
    this.#warned.add(near.cause);
    return near;
  }

  /** A session begins, or goes on. */
  begins({ run }: LoopState): void {
    this.#live = { before: run?.counted.tokens ?? 0, since: 0 };
  }

  /** All that the open session has reported; undefined when it reported nothing. */
  get reported(): number | undefined {
    return this.#live.since > 0 ? this.#live.before + this.#live.since : undefined;
  }

  used({ tokens, soFar }: SessionUse): void {
    this.#live.since = tokens;
    // A message may come after the Stop that it belongs to.
    if (soFar !== undefined) this.#live.totals = soFar ?? undefined;
  }

  /** In USD, with what the open session has spent. */
  spentSoFar(state: LoopState): number {
    return spentSoFar(state, this.#live.totals ?? { tokensTotal: this.reported });
  }

  /**
   * Counts what the session has reported so far, for its transcript is written late: the last requests are missing in it.
   * The transcript counts where it knows more.
   */
  hasTokensLeft(state: LoopState, transcript: string | undefined): boolean {
    const { tokens } = this.#contract().limits;
    if (tokens === 'unlimited') return true;
    const reported = (this.reported ?? 0) - (state.run?.counted.tokens ?? 0);
    const written = transcript ? this.#usage(transcript, state).tokens : 0;
    return state.spent.tokens + Math.max(0, reported, written) < tokens;
  }

  /** Reads from the transcript what the journal has not counted. A client that was ended gently has written its bill there. */
  spentIn(transcript: string | undefined, state: LoopState): Spent {
    if (transcript === undefined) return {};
    const { offset, tokens, totalCostUsd } = this.#usage(transcript, state);
    return { read: { offset, tokens }, costTotalUsd: totalCostUsd };
  }

  /** Reads on from the last look: one look at a long transcript sees only its end. */
  #usage(transcript: string, { session, read }: LoopState): TranscriptUsage {
    const isSame = this.#tally?.session === session && this.#tally.from === read.offset;
    const before = isSame ? this.#tally?.usage : undefined;
    // Offset 0 reads less at once: it is for transcripts that are older than their loop. This one is all the run's.
    const at = before ?? { ...read, offset: Math.max(1, read.offset) };
    const more = this.#ports.transcripts.usage(transcript, at);
    const usage = { ...before, ...more, tokens: (before?.tokens ?? 0) + more.tokens };
    this.#tally = { session, from: read.offset, usage };
    return usage;
  }
}
