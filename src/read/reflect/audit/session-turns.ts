/** Cuts the records of a session into turns, and judges each. */
import { resolve } from 'node:path';
import type { CheckKind } from '../../../engine/core/commands/check-names.ts';
import { keptOf } from '../reading/excerpt.ts';
import type {
  NotificationRecord,
  ToolResultRecord,
  ToolUseRecord,
  TranscriptRecord,
} from '../reading/records.ts';
import { type LineAt, type LineEnd, lineEvents } from './check-runs.ts';
import { type SaidEnding, saidEnding } from './ending.ts';
import { type Edit, type Judged, judgeTurn, type TurnEvent } from './turn.ts';
import { countsAsWork, isProse } from './worked-on.ts';

/** How a turn ended. `cut_off`: an interruption, an API error, or the transcript ends. */
export type TurnEnding = SaidEnding | 'cut_off';

export interface SessionTurn {
  /** The line of its prompt, and what it says. */
  line: number;
  prompt: string;
  uuid?: string;
  startedAt?: number;
  endedAt?: number;
  cwd?: string;
  ending: TurnEnding;
  /** Files of the work that were edited, without repeats. */
  edited: number;
  /** Only texts for people were edited. */
  prose: boolean;
  lastEdit?: Edit;
  judged?: Judged;
  /** Kinds of checks that were run on everything, whatever they told. */
  wide: CheckKind[];
}

const MOST_PROMPT = 300;
/** Calls whose result never comes are forgotten. */
const MOST_OPEN = 2_000;

export interface WorkTaker {
  /** Where the work began. */
  root(): string | undefined;
  /** `place`: where the event belongs among those that came before, when it is not the latest. */
  take(event: TurnEvent, place?: number): void;
  /** The place of the next event. */
  place?(): number;
}

/** Events of the work of one file: the session's own, or a subagent's. */
export class WorkEvents {
  private readonly file: number;
  private readonly to: WorkTaker;
  private readonly open = new Map<string, ToolUseRecord>();
  /** Commands that go on in the background, by their calls. */
  private readonly background = new Map<string, { line: LineAt; place?: number }>();

  constructor(file: number, to: WorkTaker) {
    this.file = file;
    this.to = to;
  }

  see(record: TranscriptRecord): void {
    if (record.kind === 'tool_use') this.begin(record);
    else if (record.kind === 'tool_result') this.end(record);
    else if (record.kind === 'notification') this.notice(record);
  }

  /** What still runs in the background has no result when the turn ends. */
  endTurn(): void {
    for (const { line, place } of this.background.values())
      this.addLine(line, { well: undefined, output: '' }, place);
    this.background.clear();
  }

  private begin(call: ToolUseRecord): void {
    if (call.edits === undefined && call.name !== 'Bash') return;
    const [oldest] = this.open.size >= MOST_OPEN ? this.open.keys() : [];
    if (oldest !== undefined) this.open.delete(oldest);
    this.open.set(call.id, call);
  }

  private end(result: ToolResultRecord): void {
    const call = this.open.get(result.id);
    if (!call) return;
    this.open.delete(result.id);
    if (call.edits === undefined) this.ranLine(call, result);
    else if (result.outcome === 'ok' && call.input.file !== undefined)
      this.addEdit(call.input.file, call.name, call.line, result.at ?? call.at);
  }

  private ranLine(call: ToolUseRecord, result: ToolResultRecord): void {
    const { command } = call.input;
    if (command === undefined || !STARTED.has(result.outcome)) return;
    const line: LineAt = { command, at: result.at ?? call.at, file: this.file, line: call.line };
    if (result.background !== undefined) {
      this.background.set(call.id, { line, place: this.to.place?.() });
      return;
    }
    const isWell = result.outcome === 'ok';
    this.addLine(line, { well: isWell, output: result.text.tail || result.text.head });
  }

  private notice({ toolUse, exit, status, at }: NotificationRecord): void {
    const begun = toolUse === undefined ? undefined : this.background.get(toolUse);
    if (!begun || toolUse === undefined) return;
    this.background.delete(toolUse);
    const well = exit === undefined ? status === 'completed' : exit === 0;
    // It tells about the files as they were when it began.
    this.addLine({ ...begun.line, at: at ?? begun.line.at }, { well, output: '' }, begun.place);
  }

  private addLine(line: LineAt, end: LineEnd, place?: number): void {
    for (const event of lineEvents(line, end))
      if ('run' in event) this.to.take(event, place);
      else for (const path of event.edits) this.addEdit(path, 'Bash', line.line, line.at);
  }

  private addEdit(path: string, tool: string, line: number, at: number | undefined): void {
    if (countsAsWork(path, this.to.root())) this.to.take({ edit: { path, tool, at, file: this.file, line } });
  }
}

/** Calls that ran. Others were refused, and changed nothing. */
const STARTED: ReadonlySet<string> = new Set(['ok', 'error', 'timeout']);

/** An event of a subagent, which belongs to the turn in whose time it happened. */
export interface TimedEvent {
  at: number;
  event: TurnEvent;
}

/** Cuts a session into turns while its transcript is read. */
export class SessionTurns {
  private readonly done: (turn: SessionTurn) => void;
  private readonly work: WorkEvents;
  /** Events of subagents that have not had their turn yet, oldest first. */
  private readonly waiting: readonly TimedEvent[];
  private next = 0;
  private turn: (SessionTurn & { events: TurnEvent[]; words: string; endedBy: string }) | undefined;
  /** Where the session began: the agent's own `cd` does not change it. */
  root: string | undefined;
  private now = Number.NEGATIVE_INFINITY;

  constructor(subagents: readonly TimedEvent[], done: (turn: SessionTurn) => void) {
    this.waiting = subagents;
    this.done = done;
    this.work = new WorkEvents(0, {
      root: () => this.root,
      take: (event, place) => this.turn?.events.splice(place ?? this.turn.events.length, 0, event),
      place: () => this.turn?.events.length ?? 0,
    });
  }

  see(record: TranscriptRecord): void {
    // Clocks are set back: what is written later happened later.
    if (record.at !== undefined) this.now = Math.max(this.now, record.at);
    this.root ??= record.where.cwd;
    const isMain = !record.where.sidechain;
    const begins = isMain && record.kind === 'prompt' && record.queued !== true;
    if (this.turn) this.takeWaiting(this.now);
    if (begins) {
      this.finish();
      this.begin(record);
    }
    if (!this.turn) return;
    this.work.see(record);
    if (isMain) this.note(record);
  }

  /** Ends the last turn. */
  end(): void {
    this.takeWaiting(Number.POSITIVE_INFINITY);
    this.finish();
  }

  private begin(prompt: TranscriptRecord & { kind: 'prompt' }): void {
    this.turn = {
      line: prompt.line,
      prompt: prompt.text.head.slice(0, MOST_PROMPT),
      uuid: prompt.uuid,
      startedAt: prompt.at,
      endedAt: prompt.at,
      cwd: this.root,
      ending: 'cut_off',
      edited: 0,
      prose: false,
      wide: [],
      events: [],
      words: '',
      endedBy: 'nothing',
    };
  }

  /** Remembers how the work stands. */
  private note(record: TranscriptRecord): void {
    const { turn } = this;
    if (!turn) return;
    if (record.kind === 'text') {
      const isEnd = record.final && /^(?:end_turn|stop_sequence)?$/.test(record.stopReason ?? '');
      turn.endedBy = isEnd ? 'words' : 'nothing';
      turn.words = isEnd ? keptOf(record.text) : '';
    } else if (record.kind === 'tool_use' || record.kind === 'interruption') turn.endedBy = 'nothing';
    else if (record.kind === 'api_error' && !record.retry) turn.endedBy = 'nothing';
    else return;
    turn.endedAt = record.at ?? turn.endedAt;
  }

  private takeWaiting(until: number): void {
    for (; this.next < this.waiting.length; this.next++) {
      const timed = this.waiting[this.next];
      if (!timed || timed.at > until) return;
      this.turn?.events.push(timed.event);
    }
  }

  private finish(): void {
    const { turn } = this;
    if (!turn) return;
    this.work.endTurn();
    this.turn = undefined;
    const { events, words, endedBy, ...rest } = turn;
    const edits = events.flatMap((event) => ('edit' in event ? [event.edit] : []));
    const runs = events.flatMap((event) => ('run' in event ? [event.run] : []));
    const paths = new Set(edits.map(({ path }) => resolve(this.root ?? '/', path)));
    this.done({
      ...rest,
      ending: endedBy === 'words' ? saidEnding(words) : 'cut_off',
      edited: paths.size,
      prose: edits.length > 0 && edits.every(({ path }) => isProse(path)),
      lastEdit: edits.at(-1),
      judged: edits.length > 0 ? judgeTurn(events) : undefined,
      wide: [...new Set(runs.flatMap(({ narrow, kinds }) => (narrow ? [] : kinds)))],
    });
  }
}
