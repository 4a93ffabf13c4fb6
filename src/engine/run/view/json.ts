import type { Limits } from '../../core/contract/contract.ts';
import { elapsedMs } from '../../core/loop/limits.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { contextWindow } from '../../core/loop/transcript.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import type { Limit } from '../../core/run/option-values.ts';
import { denialOf } from '../../core/run/permissions.ts';
import { stripAnsi } from '../../core/text/ansi.ts';
import { redact } from '../../core/text/redact.ts';
import { jsonText } from '../../core/text/visible.ts';
import { describeEnding, describeWait } from '../../core/words/endings.ts';
import type { SessionHappening } from '../../ports/ports.ts';
import type { BegunMore, RunEvent, RunReporter } from '../reporter.ts';
import type { GateLine, Happening, LimitsLine, RunFigures, RunLine } from './line.ts';

/** One JSON object a line; docs/reference/run-events.md is its grammar. */
export function jsonReporter(out: (line: string) => void, now: () => number): RunReporter {
  let version: { v?: 1 } = { v: 1 };
  return lineTeller((line) => {
    out(jsonText({ ...version, at: iso(now()), ...line }));
    version = {};
  }, now);
}

/** Tells a run as objects, for programs that use the library. */
export function lineTeller(tell: (line: RunLine) => void, now: () => number): RunReporter {
  return {
    begun: (loop, task, baseline, more) => tell(begunLine(loop, task, baseline, more)),
    event: (event) => tell(eventLine(event, now())),
    note: (text) => tell({ type: 'note', text: boundedText(text, TEXT) }),
    child: ({ loop, piece }) =>
      lineTeller((line) => tell({ child: { loop, piece: boundedText(piece, WORDS) }, ...line }), now),
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
    task: boundedText(task, TEXT),
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
      return withRun({ type, end: { kind, detail: boundedText(detail, WORDS), until } }, event.state, now);
    }
    case 'waiting':
      return { type, until: iso(event.until), why: boundedText(event.why, WORDS) };
    case 'warning':
      return { type, text: boundedText(event.text, WORDS) };
    case 'child': {
      const { child, change, text, state } = event;
      const { loop, piece, branch = null, files = [] } = child;
      const about = { loop, piece: boundedText(piece, WORDS) };
      return withRun(
        { type, child: about, change, branch, files, text: boundedText(text, WORDS) },
        state,
        now,
      );
    }
    case 'paused':
      return { type, why: boundedText(event.why, WORDS) };
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
    denied: state.run?.denied?.count ?? 0,
    gates: state.gates.map((gate) => gateOf(gate, verdicts)),
    waiting: waiting
      ? { why: waiting.why, since: iso(waiting.since), text: boundedText(describeWait(state), WORDS) }
      : null,
    ending: ending
      ? {
          cause: ending.cause,
          at: iso(ending.at),
          detail: boundedText(ending.detail, WORDS),
          text: boundedText(describeEnding(state), WORDS),
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
    summary: boundedText(gate.summary, WORDS),
    evidence: evidence
      ? evidence.slice(0, EVIDENCE_LINES).map((line) => boundedText(line, WORDS))
      : undefined,
    next: next === undefined ? undefined : boundedText(next, WORDS),
  };
}

function happeningOf(happening: SessionHappening): Happening {
  const { kind } = happening;
  switch (kind) {
    case 'began':
      return { kind, session: happening.session, model: boundedText(happening.model, WORDS) };
    case 'said':
    case 'told':
      return { kind, text: boundedText(happening.text, TEXT) };
    case 'called':
      return { kind, tool: boundedText(happening.tool, WORDS), input: boundedInput(happening.input) };
    case 'returned':
      return {
        kind,
        tool: boundedText(happening.tool, WORDS),
        failed: happening.failed,
        denied: happening.denied === true,
      };
    case 'denied': {
      const { tool, input } = happening;
      const { what, allow } = denialOf(tool, input);
      const called = { tool: boundedText(tool, WORDS), input: boundedInput(input) };
      return { kind, ...called, what, allow: allow.map((rule) => boundedText(rule, WORDS)) };
    }
    case 'retry': {
      const { attempt, delayMs, why } = happening;
      return { kind, attempt, delay_ms: delayMs, why: boundedText(why, WORDS) };
    }
    case 'limit':
      return { kind, resets_at: iso(happening.resetsAt), text: boundedText(happening.text, WORDS) };
    case 'compacted':
      return { kind };
    case 'usage': {
      const { contextTokens, model } = happening;
      const window = contextWindow(model);
      return {
        kind,
        context_tokens: contextTokens,
        context_window: window,
        model: boundedText(model, WORDS),
      };
    }
  }
}

function orNull(limit: Limit): number | null {
  return limit === 'unlimited' ? null : limit;
}

/** Null for a value from outside that is no time. */
function iso(time: unknown): string | null {
  const date = new Date(typeof time === 'number' ? time : Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Longer texts are cut here before they are searched for secrets. */
const MOST = 16_000;

/** A text without secrets and control characters; of a longer one the beginning and its length. */
export function boundedText(text: string, limit: number): string {
  const plain = redact(stripAnsi(text.slice(0, MOST)).replace(CONTROLS, ''));
  if (text.length <= MOST && plain.length <= limit) return plain.toWellFormed();
  const note = `\n[... ${text.length} characters in all]`;
  return plain.slice(0, Math.max(0, limit - note.length)).toWellFormed() + note;
}

const ROOM = 8_000;
const VALUE = 1_000;
const NAME = 200;
const DEEPEST = 6;

/** The input of a tool call, cut to a bounded size. What was cut says so. */
export function boundedInput(input: Record<string, unknown>): unknown {
  return bound(input, { left: ROOM }, 0);
}

function bound(value: unknown, room: { left: number }, depth: number): unknown {
  if (typeof value === 'string') return take(value, VALUE, room);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '[...]';
  return Array.isArray(value) ? boundList(value, room, depth) : boundObject(value, room, depth);
}

function boundList(list: readonly unknown[], room: { left: number }, depth: number): unknown[] {
  const kept: unknown[] = [];
  for (const item of list) {
    if (isFull(room)) return [...kept, `[... ${list.length} in all]`];
    kept.push(bound(item, room, depth + 1));
  }
  return kept;
}

function boundObject(object: object, room: { left: number }, depth: number): object {
  const kept: [string, unknown][] = [];
  const entries = Object.entries(object);
  for (const [name, inner] of entries) {
    if (isFull(room)) {
      kept.push(['...', `${entries.length} in all`]);
      break;
    }
    const secret = typeof inner === 'string' && namesSecret(name);
    kept.push([take(name, NAME, room), secret ? '[redacted]' : bound(inner, room, depth + 1)]);
  }
  return Object.fromEntries(kept);
}

/** Every value takes some room, even an empty one. */
function isFull(room: { left: number }): boolean {
  room.left -= 4;
  return room.left <= 0;
}

function take(text: string, most: number, room: { left: number }): string {
  const kept = boundedText(text, Math.min(most, Math.max(0, room.left)));
  room.left -= kept.length;
  return kept;
}

/** Whether a name such as `api_key` makes its value a secret. */
function namesSecret(name: string): boolean {
  const pair = `${name}="aaaa"`;
  return redact(pair) !== pair;
}
