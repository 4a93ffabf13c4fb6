import type { ToolResultRecord, ToolUseRecord, TranscriptRecord, UsageRecord } from '../reading/records.ts';
import { Activity, NO_TOOL } from './activity.ts';
import { type CommandDoes, KnownCommands } from './commands.ts';
import type { Place } from './finding.ts';
import { frustrationIn } from './frustration.ts';
import { normalError } from './normalise.ts';
import { type Repeat, Repeats } from './repeats.ts';
import { Reverts } from './reverts.ts';

export interface TallyOptions {
  /** Look for signs of frustration in prompts. Off unless you ask for it. */
  frustration?: boolean;
}

/** A call whose result has not come yet. */
interface OpenCall {
  record: ToolUseRecord;
  place: Place;
  /** What this call adds to. */
  counted: Repeat[];
  does?: CommandDoes;
}

const MOST_OPEN = 5_000;
/** Tools that change nothing. Of any other it is not known. */
const ONLY_LOOK =
  /^(?:Read|Grep|Glob|LS|NotebookRead|WebFetch|WebSearch|ToolSearch|BashOutput|TaskOutput|TodoWrite|TodoRead|Task(?:Create|Get|List|Update)|AskUserQuestion)$/;

/** Counts what happens in the transcripts of one session, in bounded memory, one record after the other. */
export class SessionTally {
  readonly activity = new Activity();
  readonly commands = new Repeats();
  readonly errors = new Repeats();
  readonly reads = new Repeats();
  readonly toolUses = new Repeats(500);
  readonly denials = new Repeats(500);
  readonly reruns = new Repeats(1_000);
  readonly frustration = new Repeats(200);
  readonly reverts = new Reverts();
  /** The folder that most paths of the session lie in. */
  cwd: string | undefined;
  session: string | undefined;

  private readonly options: TallyOptions;
  private readonly known = new KnownCommands();
  private readonly open = new Map<string, OpenCall>();
  /** Test commands that ran since the last change of a file. */
  private readonly ranSinceChange = new Set<string>();
  /** The answer whose blocks are being read: its tokens belong to the tools that it calls. */
  private answer: { message: string | undefined; tokens: number; calls: OpenCall[] } | undefined;

  constructor(options: TallyOptions = {}) {
    this.options = options;
  }

  beginFile(): void {
    this.endAnswer();
    this.activity.beginFile();
    this.open.clear();
    this.ranSinceChange.clear();
  }

  see(record: TranscriptRecord, file: string): void {
    const place: Place = { file, line: record.line, at: record.at };
    this.cwd ??= record.where.cwd;
    this.session ??= record.where.session;
    this.activity.see(record, place);
    switch (record.kind) {
      case 'prompt':
        this.ranSinceChange.clear();
        if (this.options.frustration && record.command === undefined)
          for (const sign of frustrationIn(record.text.head)) this.frustration.see(sign, sign, place);
        break;
      case 'usage':
        this.seeUsage(record);
        break;
      case 'tool_use':
        this.seeCall(record, place);
        break;
      case 'tool_result':
        this.seeResult(record, place);
    }
  }

  /** After the last record. */
  end(): void {
    this.endAnswer();
  }

  private seeCall(record: ToolUseRecord, place: Place): void {
    const { name, input } = record;
    const call: OpenCall = { record, place, counted: [this.toolUses.see(name, name, place)] };
    this.activity.toolOf(name).calls++;
    if (name === 'Bash' && input.command !== undefined) this.seeCommand(call, input.command);
    else if (!ONLY_LOOK.test(name)) this.ranSinceChange.clear();
    if ((name === 'Read' || name === 'NotebookRead') && input.file !== undefined)
      call.counted.push(this.reads.see(input.file, input.file, place));
    this.answerOf(record.message).calls.push(call);
    if (this.open.size >= MOST_OPEN) this.open.delete(this.open.keys().next().value ?? '');
    this.open.set(record.id, call);
  }

  private seeCommand(call: OpenCall, command: string): void {
    const { normal, does } = this.known.read(command);
    call.does = does;
    if (normal !== '') call.counted.push(this.commands.see(normal, command, call.place));
    if (does.mayChange) this.ranSinceChange.clear();
    if (!does.tests) return;
    if (this.ranSinceChange.has(normal)) call.counted.push(this.reruns.see(normal, command, call.place));
    this.ranSinceChange.add(normal);
  }

  private seeResult(result: ToolResultRecord, place: Place): void {
    const call = this.open.get(result.id);
    this.open.delete(result.id);
    const name = call?.record.name ?? 'a tool';
    const ms = Math.max(0, (result.at ?? 0) - (call?.place.at ?? result.at ?? 0));
    const figures = call && this.activity.toolOf(name);
    if (figures) figures.ms += ms;
    for (const repeat of call?.counted ?? []) repeat.ms += ms;
    if (result.outcome === 'ok') {
      if (call) this.seeChange(call, place);
      return;
    }
    if (figures) figures.failed++;
    for (const repeat of call?.counted ?? []) repeat.failed++;
    this.seeFailure(result, name, call, place, ms);
  }

  private seeFailure(
    result: ToolResultRecord,
    name: string,
    call: OpenCall | undefined,
    place: Place,
    ms: number,
  ): void {
    if (result.outcome === 'interrupted') return;
    if (result.outcome === 'denied' || result.outcome === 'rejected') {
      const what = call?.record.input.command ?? call?.record.input.file ?? call?.record.input.url;
      this.denials.see(name, name, { ...place, what }).ms += ms;
      return;
    }
    const normal = normalError(result.text.head);
    if (normal === '') return;
    const seen = this.errors.see(`${name}\n${normal}`, `${name}: ${firstWords(result.text.head)}`, place);
    seen.ms += ms;
    if (call) call.counted.push(seen);
  }

  /** A call that worked may have taken work back. */
  private seeChange({ record, place, does, counted }: OpenCall, at: Place): void {
    const { edits, input } = record;
    const back =
      edits && input.file !== undefined
        ? this.reverts.edit(input.file, edits, place)
        : does?.takesBack && this.reverts.git(does.takesBack, place);
    if (back) counted.push(back);
    if (does?.commits) this.reverts.committed();
    if (back && at.at !== undefined && place.at !== undefined) back.ms += Math.max(0, at.at - place.at);
  }

  private seeUsage({ message, input, cacheCreation, output }: UsageRecord): void {
    this.answerOf(message).tokens += input + cacheCreation + output;
  }

  private answerOf(message: string | undefined) {
    if (!this.answer || this.answer.message !== message || message === undefined) {
      this.endAnswer();
      this.answer = { message, tokens: 0, calls: [] };
    }
    return this.answer;
  }

  /** Shares the tokens of an answer among the calls that it made. */
  private endAnswer(): void {
    const { answer } = this;
    this.answer = undefined;
    if (!answer || answer.tokens === 0) return;
    const { tokens, calls } = answer;
    if (calls.length === 0) {
      this.activity.toolOf(NO_TOOL).tokens += tokens;
      return;
    }
    const share = Math.floor(tokens / calls.length);
    calls.forEach((call, index) => {
      // The first call has what cannot be shared, so that the sum is right.
      const part = index === 0 ? tokens - share * (calls.length - 1) : share;
      this.activity.toolOf(call.record.name).tokens += part;
      for (const repeat of call.counted) repeat.tokens += part;
    });
  }
}

/** The first line of an error that says something. */
function firstWords(text: string): string {
  const lines = text
    .slice(0, 2_000)
    .replace(/<\/?tool_use_error>/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const [first = '', second] = lines;
  return /^(?:Error: )?Exit code \d+$/i.test(first.trim()) && second !== undefined
    ? `${first.trim()}: ${second.trim()}`
    : first.trim();
}
