import type { Limit, Limits } from '../../core/contract/contract.ts';
import { elapsedMs } from '../../core/loop/limits.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { contextWindow } from '../../core/loop/transcript.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { describeEnding, describeWait } from '../../core/words/endings.ts';
import type { SessionHappening } from '../../ports/ports.ts';
import type { RunEvent } from '../driver/run-event.ts';
import { boundedInput, boundedText as clean } from './bounded-json.ts';
import type { GateLine, Happening, LimitsLine, RunFigures, RunLine } from './line.ts';
import type { BegunMore, RunReporter } from './reporter.ts';

/** One JSON object a line; docs/reference/run-events.md is its grammar. */
export function jsonReporter(out: (line: string) => void, now: () => number): RunReporter {
  let version: { v?: 1 } = { v: 1 };
  return lineTeller((line) => {
    out(JSON.stringify({ ...version, at: iso(now()), ...line }));
    version = {};
  }, now);
}

/** The same for a program that does without JSON. */
export function lineTeller(tell: (line: RunLine) => void, now: () => number): RunReporter {
  return {
    begun: (loop, task, baseline, more) => tell(begunLine(loop, task, baseline, more)),
    event: (event) => tell(eventLine(event, now())),
    note: (text) => tell({ type: 'note', text: clean(text, TEXT) }),
    child: ({ loop, piece }) =>
      lineTeller((line) => tell({ child: { loop, piece: clean(piece, WORDS) }, ...line }), now),
  };
}

const TEXT = 4_000;
const WORDS = 1_000;
const EVIDENCE_LINES = 20;

function begunLine(
  loop: string,
  task: string,
  baseline: readonly Verdict[],
  more: BegunMore | undefined,
): RunLine {
  return {
    type: 'begun',
    loop,
    resumed: more?.resumed ?? false,
    task: clean(task, TEXT),
    limits: more ? limitsOf(more.limits) : null,
    gates: baseline.map(({ gate, class: evidence, outcome, summary }) =>
      gateOf({ name: gate, class: evidence, verdict: outcome, summary }, baseline),
    ),
  };
}

function limitsOf({ iterations, durationMs, costUsd, tokens, context }: Limits): LimitsLine {
  return {
    iterations: orNull(iterations),
    duration_s: durationMs === 'unlimited' ? null : Math.round(durationMs / 1000),
    cost_usd: orNull(costUsd),
    tokens: orNull(tokens),
    context,
  };
}

function eventLine(event: RunEvent, now: number): RunLine {
  const { type } = event;
  switch (type) {
    case 'session': {
      const { session, resume, why, state } = event;
      return withRun({ type, session, resume, why }, state, now);
    }
    case 'happening':
      return { type, ...happeningOf(event.happening) };
    case 'judging':
      return { type };
    case 'stop': {
      const { answer, state, verdicts } = event;
      return withRun({ type, answer, held: answer === 'refuse' }, state, now, verdicts);
    }
    case 'session_ended': {
      const { kind, detail, ...rest } = event.end;
      const until = 'until' in rest ? iso(rest.until) : null;
      return withRun({ type, end: { kind, detail: clean(detail, WORDS), until } }, event.state, now);
    }
    case 'waiting':
      return { type, until: iso(event.until), why: clean(event.why, WORDS) };
    case 'warning':
      return { type, text: clean(event.text, WORDS) };
    case 'child': {
      const { child, change, text, state } = event;
      const { loop, piece, branch = null, files = [] } = child;
      const about = { loop, piece: clean(piece, WORDS) };
      return withRun({ type, child: about, change, branch, files, text: clean(text, WORDS) }, state, now);
    }
    case 'paused':
      return { type, why: clean(event.why, WORDS) };
    case 'ended':
      return withRun({ type }, event.state, now);
  }
}

function withRun<Line extends object>(
  line: Line,
  state: LoopState,
  now: number,
  verdicts?: readonly Verdict[],
) {
  return { ...line, run: runOf(state, now, verdicts ?? []) };
}

function runOf(state: LoopState, now: number, verdicts: readonly Verdict[]): RunFigures {
  const { waiting, ending } = state;
  return {
    loop: state.loop,
    status: state.status,
    session: state.session,
    sessions: state.run?.sessions ?? 0,
    iteration: state.iteration,
    max_iterations: orNull(state.maxIterations),
    phase: state.phase?.name ?? null,
    elapsed_s: Math.round(elapsedMs(state, ending?.at ?? now) / 1000),
    cost_usd: state.spent.costUsd,
    tokens: state.spent.tokens,
    gates: state.gates.map((gate) => gateOf(gate, verdicts)),
    waiting: waiting
      ? { why: waiting.why, since: iso(waiting.since), text: clean(describeWait(state), WORDS) }
      : null,
    ending: ending
      ? {
          cause: ending.cause,
          at: iso(ending.at),
          detail: clean(ending.detail, WORDS),
          text: clean(describeEnding(state), WORDS),
        }
      : null,
  };
}

function gateOf(
  gate: Pick<LoopState['gates'][number], 'name' | 'class' | 'verdict' | 'summary'>,
  verdicts: readonly Verdict[],
): GateLine {
  const { evidence, next } = verdicts.find((v) => v.gate === gate.name) ?? {};
  return {
    name: gate.name,
    class: gate.class,
    verdict: gate.verdict,
    summary: clean(gate.summary, WORDS),
    ...(evidence ? { evidence: evidence.slice(0, EVIDENCE_LINES).map((line) => clean(line, WORDS)) } : {}),
    ...(next === undefined ? {} : { next: clean(next, WORDS) }),
  };
}

function happeningOf(happening: SessionHappening): Happening {
  const { kind } = happening;
  switch (kind) {
    case 'began':
      return { kind, session: happening.session, model: clean(happening.model, WORDS) };
    case 'said':
    case 'told':
      return { kind, text: clean(happening.text, TEXT) };
    case 'called':
      return { kind, tool: clean(happening.tool, WORDS), input: boundedInput(happening.input) };
    case 'returned':
      return { kind, tool: clean(happening.tool, WORDS), failed: happening.failed };
    case 'retry': {
      const { attempt, delayMs, why } = happening;
      return { kind, attempt, delay_ms: delayMs, why: clean(why, WORDS) };
    }
    case 'limit':
      return { kind, resets_at: iso(happening.resetsAt), text: clean(happening.text, WORDS) };
    case 'compacted':
      return { kind };
    case 'usage': {
      const { contextTokens, model } = happening;
      const window = contextWindow(model);
      return { kind, context_tokens: contextTokens, context_window: window, model: clean(model, WORDS) };
    }
  }
}

function orNull(limit: Limit): number | null {
  return limit === 'unlimited' ? null : limit;
}

/** Null for what is no time: it came from outside. */
function iso(time: unknown): string | null {
  const date = new Date(typeof time === 'number' ? time : Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
