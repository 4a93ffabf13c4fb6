/** The figures of many loops and sessions, counted from lines of journals, lines of hook calls, and records of transcripts. */

import { hasEnded, isDone, type LoopState } from '../../../engine/core/loop/state.ts';
import { leavesOf, type Took, type Verdict } from '../../../engine/core/loop/verdict.ts';
import type { HookFigure } from '../../../engine/home/hook-figures.ts';
import type { JournalLine } from '../../../engine/home/journal/line.ts';
import type { TranscriptRecord } from '../reading/records.ts';
import { Counts, Spread } from './spread.ts';
import { kindOfTool } from './tool-kinds.ts';

export interface GateFigures {
  name: string;
  kind: string;
  /** Judged anew; `reused` verdicts are not among them. */
  judged: number;
  outcomes: Counts;
  /** How often it was among what held a session. */
  held: number;
  reused: number;
  flaky: number;
  ms: Spread;
}

export interface HookCalls {
  event: string;
  calls: number;
  answers: Counts;
  ms: Spread;
}

interface DayFigures {
  stops: number;
  holds: number;
  done: number;
}

interface ModelTokens {
  answers: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}

const MOST_NAMES = 500;
const DAY_MS = 86_400_000;

export class Figures {
  readonly loops = { total: 0, active: 0, paused: 0, endings: new Counts(), causes: new Counts() };
  readonly iterations = new Spread();
  readonly stops = { calls: 0, holds: 0, allows: new Counts(), ends: new Counts() };
  /** Decisions about subagents, tasks, teammates and prompts. */
  readonly guards = { allowed: new Counts(), refused: new Counts() };
  readonly gates = new Map<string, GateFigures>();
  readonly hooks = new Map<string, HookCalls>();
  readonly prompts = new Spread();
  readonly sessions = new Set<string>();
  readonly days = new Map<number, DayFigures>();
  readonly tools = { calls: new Counts(), errors: new Counts(), kinds: new Counts(), outcomes: new Counts() };
  readonly models = new Map<string, ModelTokens>();
  readonly spent = { tokens: 0, subagentTokens: 0, costUsd: 0, estimatedUsd: 0 };
  private readonly compacted = { hooks: 0, transcripts: 0 };
  apiErrors = 0;
  errors = 0;

  /** Counts a call of a hook. */
  hookCall(figure: HookFigure): void {
    const calls = known(this.hooks, figure.event, () => newHookCalls(figure.event));
    if (!calls) return;
    calls.calls++;
    calls.answers.add(figure.answer);
    calls.ms.add(figure.ms);
    if (figure.source === 'compact') this.compacted.hooks++;
    if (figure.promptChars !== undefined) this.prompts.add(figure.promptChars);
    if (this.sessions.size < MOST_SESSIONS) this.sessions.add(figure.session);
  }

  /** Takes the lines of one journal in their order, and counts those from `since` on. */
  loop(since: number): LoopFigures {
    return new LoopFigures(this, since);
  }

  /** Counts a record of a transcript; `open` has the names of calls whose results are to come. */
  record(record: TranscriptRecord, open: Map<string, string>): void {
    switch (record.kind) {
      case 'tool_use':
        this.tools.calls.add(record.name);
        this.tools.kinds.add(kindOfTool(record.name));
        if (open.size < MOST_OPEN) open.set(record.id, record.name);
        return;
      case 'tool_result': {
        const name = open.get(record.id);
        open.delete(record.id);
        this.tools.outcomes.add(record.outcome);
        if (record.outcome !== 'ok') this.tools.errors.add(name ?? 'unknown');
        return;
      }
      case 'usage':
        this.used(record.model, record);
        return;
      case 'compaction':
        this.compacted.transcripts++;
        return;
      case 'api_error':
        this.apiErrors++;
        return;
      default:
    }
  }

  /** Both tell of the same compactions. Old transcripts are removed, and hooks do not run everywhere. */
  get compactions(): number {
    return Math.max(this.compacted.hooks, this.compacted.transcripts);
  }

  day(at: number): DayFigures | undefined {
    return known(this.days, Math.floor(at / DAY_MS), () => ({ stops: 0, holds: 0, done: 0 }));
  }

  private used(model: string, more: Omit<ModelTokens, 'answers'> & { first: boolean }): void {
    const empty = { answers: 0, input: 0, output: 0, cacheRead: 0, cacheCreation: 0 };
    const tokens = known(this.models, model, () => empty);
    if (!tokens) return;
    tokens.answers += more.first ? 1 : 0;
    tokens.input += more.input;
    tokens.output += more.output;
    tokens.cacheRead += more.cacheRead;
    tokens.cacheCreation += more.cacheCreation;
  }
}

const MOST_SESSIONS = 20_000;
const MOST_OPEN = 1000;

/** Names come from outside: beyond a number of them, further ones are not kept apart. */
function known<K, V>(map: Map<K, V>, key: K, make: () => V): V | undefined {
  const there = map.get(key);
  if (there !== undefined || map.size >= MOST_NAMES) return there;
  const made = make();
  map.set(key, made);
  return made;
}

function newHookCalls(event: string): HookCalls {
  return { event, calls: 0, answers: new Counts(), ms: new Spread() };
}

/** One loop on its way into the figures. */
export class LoopFigures {
  private readonly all: Figures;
  private readonly since: number;
  private before: LoopState | undefined;
  private isCounted = false;

  constructor(all: Figures, since: number) {
    this.all = all;
    this.since = since;
  }

  line({ at: written, entry, state }: Pick<JournalLine, 'at' | 'entry' | 'state'>): void {
    const at = Date.parse(written);
    if (at >= this.since) {
      if (!this.isCounted) this.all.loops.total++;
      this.isCounted = true;
      this.count(entry, state, at);
    }
    this.before = state;
  }

  /** After the last line. */
  end(): void {
    if (!this.isCounted || !this.before) return;
    if (this.before.status === 'active') this.all.loops.active++;
    if (this.before.status === 'paused') this.all.loops.paused++;
  }

  private count(entry: JournalLine['entry'], state: LoopState, at: number): void {
    const { all } = this;
    if (all.sessions.size < MOST_SESSIONS) all.sessions.add(state.session);
    this.spend(state);
    if (hasEnded(state) && !(this.before && hasEnded(this.before))) this.ended(state, at);
    if (entry.kind === 'stop') this.stop(entry, at);
    if (entry.kind === 'guard') (entry.refused ? all.guards.refused : all.guards.allowed).add(entry.event);
    if (entry.kind === 'error') all.errors++;
  }

  private ended({ status, ending, iteration }: LoopState, at: number): void {
    this.all.loops.endings.add(status);
    this.all.loops.causes.add(ending?.cause ?? 'unknown');
    if (!isDone(status)) return;
    this.all.iterations.add(iteration);
    const day = this.all.day(at);
    if (day) day.done++;
  }

  private spend({ spent, spentBySubagents = 0 }: LoopState): void {
    const before = this.before?.spent ?? { tokens: 0, costUsd: 0, estimatedUsd: 0 };
    const total = this.all.spent;
    total.tokens += Math.max(0, spent.tokens - before.tokens);
    total.costUsd += Math.max(0, spent.costUsd - before.costUsd);
    total.estimatedUsd += Math.max(0, (spent.estimatedUsd ?? 0) - (before.estimatedUsd ?? 0));
    total.subagentTokens += Math.max(0, spentBySubagents - (this.before?.spentBySubagents ?? 0));
  }

  private stop({ decision, verdicts, took = {} }: StopEntry, at: number): void {
    const { stops } = this.all;
    const day = this.all.day(at);
    stops.calls++;
    if (day) day.stops++;
    if (decision.kind === 'block') {
      stops.holds++;
      if (day) day.holds++;
    } else if (decision.kind === 'allow') stops.allows.add(decision.cause);
    else stops.ends.add(decision.status);
    for (const verdict of verdicts.flatMap(leavesOf)) this.verdict(verdict, took, decision.kind === 'block');
  }

  private verdict(verdict: Verdict, took: Record<string, Took>, isHold: boolean): void {
    const { gate: name, kind, outcome, proof, reused, flaky, waits } = verdict;
    const gate = known(this.all.gates, `${kind} ${name}`, () => newGate(name, kind));
    if (!gate || waits) return;
    gate.outcomes.add(outcome);
    if (isHold && (outcome === 'fail' || outcome === 'unproven')) gate.held++;
    if (flaky) gate.flaky++;
    if (reused) {
      gate.reused++;
      return;
    }
    gate.judged++;
    const ms = Object.hasOwn(took, name) ? took[name]?.ms : proof?.durationMs;
    if (ms !== undefined) gate.ms.add(ms);
  }
}

type StopEntry = Extract<JournalLine['entry'], { kind: 'stop' }>;

function newGate(name: string, kind: string): GateFigures {
  return { name, kind, judged: 0, outcomes: new Counts(), held: 0, reused: 0, flaky: 0, ms: new Spread() };
}
