import type { TranscriptRecord, UsageRecord } from '../reading/records.ts';
import type { Place } from './finding.ts';

export interface ModelFigures {
  answers: number;
  input: number;
  cacheCreation: number;
  cacheRead: number;
  output: number;
}

export interface ToolFigures {
  calls: number;
  failed: number;
  ms: number;
  /** Of the answers that called it: input, cache creation and output. Tools that one answer calls share its tokens. */
  tokens: number;
}

/** A number of times, the places of the first of them, and what they cost together. */
export interface Times {
  count: number;
  ms: number;
  tokens: number;
  places: Place[];
}

const noTimes = (): Times => ({ count: 0, ms: 0, tokens: 0, places: [] });
const MOST_PLACES = 4;
const MOST_NAMES = 300;
const OTHERS = '(others)';
/** The answers that call no tool. */
export const NO_TOOL = '(text)';

export const SLOW_MS = 30_000;
/** A longer gap is a machine that slept, or a session that was left alone. */
const LEFT_ALONE_MS = 3_600_000;

/** What happened in a session: messages, tokens, times, errors of the API. */
export class Activity {
  assistantMessages = 0;
  userMessages = 0;
  prompts = 0;
  toolUses = 0;
  startedAt: number | undefined;
  endedAt: number | undefined;
  costUsd: number | undefined;
  readonly models = new Map<string, ModelFigures>();
  readonly tools = new Map<string, ToolFigures>();
  readonly compactions = noTimes();
  readonly slowTurns = noTimes();
  readonly apiErrors = noTimes();
  readonly rateLimits = noTimes();
  slowestMs = 0;
  /** Since when the model is asked for an answer. */
  private askedAt: number | undefined;
  private askedLine = 0;
  private lastMessage: string | undefined;
  private lastResultLine = -1;

  /** Every file is read from its beginning. */
  beginFile(): void {
    this.askedAt = undefined;
    this.lastMessage = undefined;
    this.lastResultLine = -1;
  }

  see(record: TranscriptRecord, place: Place): void {
    this.seeTime(record.at);
    switch (record.kind) {
      case 'prompt':
        if (!record.where.sidechain) this.prompts++;
        this.fromUser(record, !record.queued);
        break;
      case 'notification':
        if (record.starts) this.fromUser(record, true);
        break;
      case 'tool_result':
        // One line may hold the results of several calls.
        if (record.line !== this.lastResultLine) this.fromUser(record, true);
        else this.askedAt = record.at;
        this.lastResultLine = record.line;
        break;
      case 'text':
      case 'thinking':
      case 'tool_use':
        if (record.kind === 'tool_use') this.toolUses++;
        this.answered(record.message, record, place);
        break;
      case 'usage':
        this.spent(record);
        this.answered(record.message, record, place);
        break;
      case 'compaction':
        note(this.compactions, place, record.durationMs ?? 0, record.preTokens ?? 0);
        this.askedAt = undefined;
        break;
      case 'api_error':
        note(record.rateLimit ? this.rateLimits : this.apiErrors, place, record.retry?.inMs ?? 0, 0);
        break;
      case 'interruption':
        this.askedAt = undefined;
        break;
      case 'cost':
        this.costUsd = record.totalUsd;
    }
  }

  toolOf(name: string): ToolFigures {
    return figuresOf(this.tools, name, () => ({ calls: 0, failed: 0, ms: 0, tokens: 0 }));
  }

  private seeTime(at: number | undefined): void {
    if (at === undefined) return;
    this.startedAt = Math.min(this.startedAt ?? at, at);
    this.endedAt = Math.max(this.endedAt ?? at, at);
  }

  private fromUser(record: TranscriptRecord, asks: boolean): void {
    if (!record.where.sidechain) this.userMessages++;
    if (!asks) return;
    this.askedAt = record.at;
    this.askedLine = record.line;
  }

  /** An answer has a line for each of its blocks: the first of them ends the wait for it. */
  private answered(message: string | undefined, record: TranscriptRecord, place: Place): void {
    if (message !== undefined && message === this.lastMessage) return;
    // A line without an id is an answer of its own, but for its figures.
    this.lastMessage = message ?? `line ${record.line}`;
    if (!record.where.sidechain) this.assistantMessages++;
    const { askedAt } = this;
    this.askedAt = undefined;
    if (askedAt === undefined || record.at === undefined) return;
    const ms = record.at - askedAt;
    if (ms <= SLOW_MS || ms > LEFT_ALONE_MS) return;
    note(this.slowTurns, { ...place, what: `asked at line ${this.askedLine}` }, ms, 0);
    this.slowestMs = Math.max(this.slowestMs, ms);
  }

  private spent({ model, first, input, cacheCreation, cacheRead, output }: UsageRecord): void {
    const none = { answers: 0, input: 0, cacheCreation: 0, cacheRead: 0, output: 0 };
    const figures = figuresOf(this.models, model, () => none);
    if (first) figures.answers++;
    figures.input += input;
    figures.cacheCreation += cacheCreation;
    figures.cacheRead += cacheRead;
    figures.output += output;
  }
}

function note(times: Times, place: Place, ms: number, tokens: number): void {
  times.count++;
  times.ms += ms;
  times.tokens += tokens;
  if (times.places.length < MOST_PLACES) times.places.push(place);
}

/** Figures by name; a file with more names than any session has cannot fill the memory. */
function figuresOf<Figures>(byName: Map<string, Figures>, name: string, none: () => Figures): Figures {
  const known = byName.has(name) || byName.size < MOST_NAMES ? name : OTHERS;
  const figures = byName.get(known) ?? none();
  byName.set(known, figures);
  return figures;
}
