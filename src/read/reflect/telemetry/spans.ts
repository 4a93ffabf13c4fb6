/**
 * The spans of a loop, from its journal: run > session > iteration > gate. Nothing of prompts, files, commands or messages is
 * in them: names of gates, outcomes, counts and times.
 */
import { basename } from 'node:path';
import { hasEnded, isDone, type LoopState } from '../../../engine/core/loop/state.ts';
import { leavesOf, type Took, type Verdict } from '../../../engine/core/loop/verdict.ts';
import type { JournalLine } from '../../../engine/home/journal/line.ts';
import { spanIdOf, type TraceContext, traceIdOf } from './trace-context.ts';

type Attributes = Record<string, string | number | boolean>;

export interface FinishedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentId?: string;
  startMs: number;
  endMs: number;
  attributes: Attributes;
  /** What went wrong, as a short word: `error.type`. */
  error?: string;
}

type Line = Pick<JournalLine, 'at' | 'entry' | 'state'>;
type StopEntry = Extract<JournalLine['entry'], { kind: 'stop' }>;
type SessionEntry = Extract<JournalLine['entry'], { kind: 'result' }>;

interface OpenSession {
  id: string;
  spanId: string;
  startMs: number;
  resumed: boolean;
  stops: number;
}

/** The span of the first session with this id; the client's own spans nest below it. */
export function sessionContext(run: TracedRun, session: string): TraceContext {
  return { traceId: traceOf(run).traceId, spanId: spanIdOf(run.loop, 'session', session, 1) };
}

/** A loop, and what its trace belongs to. */
export interface TracedRun {
  loop: string;
  /** The run that it is a child of. */
  parentLoop?: string;
  /** The span around all of it, such as that of a pipeline. */
  around?: TraceContext;
}

/** A child of a run is part of the trace of its run. */
function traceOf({ loop, parentLoop, around }: TracedRun): { traceId: string; parentId?: string } {
  const traceId = around?.traceId ?? traceIdOf(parentLoop ?? loop);
  return { traceId, parentId: parentLoop === undefined ? around?.spanId : spanIdOf(parentLoop, 'run') };
}

/** Takes the lines of a journal in their order and gives the spans that have ended. */
export class SpanBuilder {
  private readonly loop: string;
  private readonly around: TraceContext | undefined;
  private traceId: string;
  private parentId: string | undefined;
  private readonly rootId: string;
  private readonly seen = new Map<string, number>();
  private root: { startMs: number; attributes: Attributes; isRun: boolean } | undefined;
  private session: OpenSession | undefined;
  private iterationMs = 0;
  private iteration = 1;
  private stops = 0;
  private last: { state: LoopState; at: number } | undefined;

  /** `around`: the span around the run, such as that of a pipeline. */
  constructor(loop: string, around?: TraceContext) {
    this.loop = loop;
    this.around = around;
    this.traceId = traceIdOf(loop);
    this.rootId = spanIdOf(loop, 'run');
  }

  line({ at: written, entry, state }: Line): FinishedSpan[] {
    const at = Date.parse(written);
    const ended = this.take(entry, state, at);
    this.last = { state, at };
    this.iteration = state.iteration;
    return ended;
  }

  /**
   * After the last line of a loop that has ended or is paused; nothing while it goes on. The span of a paused one is sent again
   * when it ends, under the same id: without it, the spans below would belong to nothing until then.
   */
  finish(): FinishedSpan[] {
    const { last, root } = this;
    if (!last || !root || last.state.status === 'active') return [];
    const { status, ending, spent, iteration } = last.state;
    const isOver = hasEnded(last.state);
    const session = this.closeSession(last.at, {}, undefined);
    return [
      ...session,
      {
        name: root.isRun ? 'untildone.run' : 'untildone.loop',
        traceId: this.traceId,
        spanId: this.rootId,
        parentId: this.parentId,
        startMs: root.startMs,
        endMs: Math.max(root.startMs, ending?.at ?? last.at, last.at),
        attributes: {
          ...root.attributes,
          ...(isOver
            ? { 'untildone.ending': status, 'untildone.ending.cause': ending?.cause ?? '' }
            : { 'untildone.paused': true }),
          'untildone.iterations': iteration,
          'untildone.stops': this.stops,
          'untildone.tokens': spent.tokens,
          'untildone.cost_usd': spent.costUsd,
        },
        error: isOver && !isDone(status) ? status : undefined,
      },
    ];
  }

  private take(entry: Line['entry'], state: LoopState, at: number): FinishedSpan[] {
    switch (entry.kind) {
      case 'started':
        Object.assign(this, traceOf({ loop: this.loop, parentLoop: entry.run?.parent, around: this.around }));
        this.root = {
          startMs: at,
          isRun: entry.run !== undefined,
          attributes: {
            'untildone.loop.id': this.loop,
            'untildone.loop.format': entry.dialect,
            'untildone.project': basename(entry.project),
            ...(entry.run ? { 'untildone.run.mode': entry.run.mode } : {}),
          },
        };
        if (!entry.run) this.openSession(entry.session, false, at);
        return [];
      case 'intent':
      case 'claimed': {
        const closed = this.closeSession(at, {}, undefined);
        this.openSession(entry.session, entry.kind === 'intent' && entry.resume, at);
        return closed;
      }
      case 'result':
        return this.closeSession(at, sessionAttributes(entry), errorOf(entry));
      case 'stop':
        return this.stop(entry, state, at);
      default:
        return [];
    }
  }

  private openSession(id: string, resumed: boolean, at: number): void {
    const number = (this.seen.get(id) ?? 0) + 1;
    this.seen.set(id, number);
    const spanId = spanIdOf(this.loop, 'session', id, number);
    this.session = { id, spanId, resumed, startMs: at, stops: 0 };
    this.iterationMs = at;
  }

  private closeSession(at: number, attributes: Attributes, error: string | undefined): FinishedSpan[] {
    const { session } = this;
    if (!session) return [];
    this.session = undefined;
    return [
      {
        name: 'invoke_agent Claude Code',
        traceId: this.traceId,
        spanId: session.spanId,
        parentId: this.rootId,
        startMs: session.startMs,
        endMs: Math.max(session.startMs, at),
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'Claude Code',
          'gen_ai.provider.name': 'anthropic',
          'gen_ai.conversation.id': session.id,
          'session.id': session.id,
          'untildone.loop.id': this.loop,
          'untildone.session.resumed': session.resumed,
          'untildone.stops': session.stops,
          ...attributes,
        },
        error,
      },
    ];
  }

  /** An iteration ends with its Stop, and begins where the one before ended. */
  private stop({ decision, verdicts, took = {} }: StopEntry, state: LoopState, at: number): FinishedSpan[] {
    this.stops++;
    if (this.session) this.session.stops++;
    const spanId = spanIdOf(this.loop, 'stop', this.stops);
    const startMs = Math.min(this.iterationMs || at, at);
    this.iterationMs = at;
    const gates = verdicts.flatMap(leavesOf).map((verdict) => this.gate(verdict, took, spanId, at));
    // A session that was judged between two runs of it belongs to the run.
    const parentId = this.session?.spanId ?? this.rootId;
    const before = this.last?.state.spent ?? { tokens: 0, costUsd: 0 };
    return [
      ...gates,
      {
        name: 'untildone.iteration',
        traceId: this.traceId,
        spanId,
        parentId,
        startMs,
        endMs: at,
        attributes: {
          'untildone.loop.id': this.loop,
          'untildone.iteration': this.iteration,
          'untildone.decision': decision.kind,
          ...(decision.kind === 'allow' ? { 'untildone.decision.cause': decision.cause } : {}),
          ...(decision.kind === 'end' ? { 'untildone.ending': decision.status } : {}),
          'untildone.tokens': Math.max(0, state.spent.tokens - before.tokens),
          'untildone.cost_usd': Math.max(0, state.spent.costUsd - before.costUsd),
        },
      },
    ];
  }

  private gate(verdict: Verdict, took: Record<string, Took>, parentId: string, at: number): FinishedSpan {
    const { gate, kind, outcome, proof, reused } = verdict;
    const { startMs, endMs } = timeOf(verdict, took, at);
    const isBad = outcome === 'fail' || outcome === 'unproven';
    return {
      name: `gate ${gate}`,
      traceId: this.traceId,
      spanId: spanIdOf(this.loop, 'gate', this.stops, gate),
      parentId,
      startMs,
      endMs,
      attributes: {
        'untildone.gate.name': gate,
        'untildone.gate.kind': kind,
        'untildone.gate.class': verdict.class,
        'untildone.gate.outcome': outcome,
        'untildone.gate.reused': reused === true,
        ...(proof?.exitCode === undefined || reused ? {} : { 'process.exit.code': proof.exitCode }),
        ...(proof?.costUsd === undefined || reused ? {} : { 'untildone.cost_usd': proof.costUsd }),
      },
      error: isBad ? outcome : undefined,
    };
  }
}

/** When a gate was judged. One whose verdict was known takes no time, at the end. */
function timeOf(
  { gate, reused, proof }: Verdict,
  took: Record<string, Took>,
  at: number,
): { startMs: number; endMs: number } {
  const known = Object.hasOwn(took, gate) ? took[gate] : undefined;
  if (known && !reused) return { startMs: known.at, endMs: known.at + known.ms };
  const ms = reused ? 0 : (proof?.durationMs ?? 0);
  return { startMs: at - ms, endMs: at };
}

function sessionAttributes({ end, costTotalUsd, tokensTotal }: SessionEntry): Attributes {
  return {
    'untildone.session.end': end.kind,
    ...('status' in end && end.status !== undefined ? { 'http.response.status_code': end.status } : {}),
    ...(costTotalUsd === undefined ? {} : { 'untildone.cost_usd': costTotalUsd }),
    ...(tokensTotal === undefined ? {} : { 'untildone.tokens': tokensTotal }),
  };
}

/** Ends that are none of these went wrong. */
const GOOD_ENDS = new Set(['completed', 'stopped_by_hook', 'capped', 'max_turns']);

function errorOf({ end }: SessionEntry): string | undefined {
  return GOOD_ENDS.has(end.kind) ? undefined : end.kind;
}
