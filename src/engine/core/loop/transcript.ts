import { keepShort } from '../text/clip.ts';

/** One line of a transcript; `client/transcript` makes these from what Claude Code writes. */
export type TranscriptLine =
  | AnswerLine
  | { kind: 'tool_results'; sidechain: boolean; toolUses: string[] }
  /** Something that starts a turn: typed, sent by a program, or a notification of background work. */
  | { kind: 'prompt'; sidechain: boolean; text: string }
  /** A Stop hook held the agent here. */
  | { kind: 'block'; sidechain: boolean }
  | { kind: 'compaction'; sidechain: boolean }
  /** The cost total of the session, over resumes; written only when a process of Claude Code ends. */
  | { kind: 'cost'; totalUsd: number }
  | { kind: 'other' };

/** One block of an answer. All blocks of an answer carry its id and the usage of the whole. */
export interface AnswerLine {
  kind: 'answer';
  sidechain: boolean;
  messageId?: string;
  /** The model as asked for, where known: only this name keeps a `[1m]` suffix. */
  model?: string;
  /** The last text block of the line; an empty text is a text. */
  text?: string;
  toolUses: string[];
  /** True when the whole answer, not only this line, ends the agent's work for now. */
  final: boolean;
  usage?: AnswerUsage;
}

export interface AnswerUsage {
  input: number;
  cacheCreation: number;
  cacheRead: number;
  output: number;
}

/**
 * What a decision needs from a transcript. An absent field could not be read, which is not the same as zero.
 * Claude Code may write a line after it calls the hook: poll (`Transcripts.poll`) before acting on an absent field.
 */
export interface TranscriptSignals {
  /**
   * The last text of the agent since the last prompt or hold: the same that Claude Code sends as
   * `last_assistant_message`. Absent when there is none yet; never a text that an earlier Stop has judged.
   */
  lastText?: string;
  /** True when the last line of the agent is a final answer: the answer before the Stop is on disk. */
  answered?: boolean;
  /** True when the agent called a tool since the last prompt or hold. */
  toolSinceBlock?: boolean;
  /** How many holds in a row, by any hook, stand at the end without a tool call or a prompt between; counted up to 8. */
  heldInARow?: number;
  /**
   * A tool call of the agent without a result. At a real Stop the last result is often not on disk yet: only a call that
   * stays open while polling for `answered` shows that the agent has not stopped.
   */
  openToolUse?: string;
  /** Tokens in the window at the last answer since the last compaction (input + cache creation + cache read). */
  contextTokens?: number;
  model?: string;
}

/** What was spent between two byte offsets of a transcript. */
export interface TranscriptUsage {
  /** Where the next read begins: the end of the last complete line, or `from` when there was none. */
  offset: number;
  /** input + cache creation + output, cache reads excluded, each answer counted once. */
  tokens: number;
  /** The cost total of the session, where Claude Code wrote one. */
  totalCostUsd?: number;
  /** Bytes that were not read: more were added than one hook may read, or `from` was inside a line. */
  skippedBytes: number;
  /** The last answer that was counted. The next read needs it: some of its lines may come after `offset`. */
  lastMessageId?: string;
}

interface SignalsScan {
  /** Takes the next line, last line of the transcript first. Returns true when no earlier line can add anything. */
  see(line: TranscriptLine): boolean;
  signals(): TranscriptSignals;
}

/** Collects the signals of the main agent, or of the subagents (`sidechain`), while a transcript is read backwards. */
export function scanSignals(sidechain = false): SignalsScan {
  const signals: TranscriptSignals = {};
  const seeTurn = turnScan(signals);
  const seeContext = contextScan(signals);
  const seeRow = rowScan(signals);
  return {
    see(line) {
      if (line.kind === 'other' || line.kind === 'cost' || line.sidechain !== sidechain) return false;
      const contextKnown = seeContext(line);
      const turnKnown = seeTurn(line);
      const rowKnown = seeRow(line);
      return turnKnown && contextKnown && rowKnown;
    },
    signals: () => signals,
  };
}

/** Puts what a line says into the signals. Returns true when no earlier line can add anything. */
type LineScan = (line: TranscriptLine) => boolean;

/** Finds model and context size in the last answer after the last compaction. */
function contextScan(signals: TranscriptSignals): LineScan {
  let tokensKnown = false;
  return (line) => {
    if (line.kind === 'compaction') tokensKnown = true;
    if (line.kind === 'answer') {
      if (line.model !== undefined) signals.model ??= line.model;
      if (!tokensKnown && line.usage) {
        signals.contextTokens = contextTokens(line.usage);
        tokensKnown = true;
      }
    }
    return tokensKnown && signals.model !== undefined;
  };
}

const MOST_COUNTED = 8;

/** Counts the holds in a row. Several hooks that hold the same Stop are one hold. */
function rowScan(signals: TranscriptSignals): LineScan {
  let known = false;
  let sameStop = false;
  return (line) => {
    if (known) return true;
    switch (line.kind) {
      case 'block':
        if (!sameStop) signals.heldInARow = (signals.heldInARow ?? 0) + 1;
        sameStop = true;
        known = signals.heldInARow === MOST_COUNTED;
        break;
      case 'answer':
        sameStop = false;
        known = line.toolUses.length > 0;
        break;
      case 'prompt':
      case 'tool_results':
        known = true;
    }
    return known;
  };
}

/** Finds what the agent said and called since the last prompt or held Stop. */
function turnScan(signals: TranscriptSignals): LineScan {
  const answeredTools = new Set<string>();
  let known = false;
  let lastAnswer: { id: string | undefined } | undefined;
  let earlierAnswerSeen = false;

  function seeAnswer(answer: AnswerLine): void {
    signals.answered ??= answer.final;
    if (answer.text !== undefined) signals.lastText ??= answer.text;
    if (answer.toolUses.length > 0) signals.toolSinceBlock = true;
    lastAnswer ??= { id: answer.messageId };
    // Only the last answer can have an open call: Claude Code asks for an answer when all earlier calls have results.
    if (answer.messageId !== lastAnswer.id) earlierAnswerSeen = true;
    const open = answer.toolUses.find((id) => !answeredTools.has(id));
    if (!earlierAnswerSeen && open !== undefined) signals.openToolUse ??= open;
    known = earlierAnswerSeen && signals.lastText !== undefined && signals.toolSinceBlock === true;
  }

  return (line) => {
    if (known) return true;
    switch (line.kind) {
      case 'answer':
        seeAnswer(line);
        break;
      case 'prompt':
      case 'block':
        signals.answered ??= false;
        signals.toolSinceBlock ??= false;
        known = true;
        break;
      case 'tool_results':
        signals.answered ??= false;
        for (const id of line.toolUses) answeredTools.add(id);
    }
    return known;
  };
}

interface UsageTally {
  see(line: TranscriptLine): void;
  result(): Pick<TranscriptUsage, 'tokens' | 'totalCostUsd' | 'lastMessageId'>;
}

/**
 * Adds up the tokens of answers, each once. Of an answer whose lines report different usage, the largest counts.
 * `lastMessageId` is an answer that was counted before: further lines of it are not counted.
 */
export function tallyUsage(lastMessageId?: string): UsageTally {
  const counted = new Map<string, number>(lastMessageId === undefined ? [] : [[lastMessageId, Infinity]]);
  let last = lastMessageId;
  let tokens = 0;
  let totalCostUsd: number | undefined;

  function seeAnswer({ messageId, usage }: AnswerLine): void {
    if (!usage) return;
    const spent = spentTokens(usage);
    const before = messageId === undefined ? 0 : (counted.get(messageId) ?? 0);
    tokens += Math.max(0, spent - before);
    if (messageId === undefined) return;
    counted.set(messageId, Math.max(spent, before));
    last = messageId;
  }

  return {
    see(line) {
      if (line.kind === 'answer') seeAnswer(line);
      if (line.kind === 'cost') totalCostUsd = line.totalUsd;
    },
    result: () => ({
      tokens,
      totalCostUsd,
      lastMessageId: last,
    }),
  };
}

function contextTokens({ input, cacheCreation, cacheRead }: AnswerUsage): number {
  return input + cacheCreation + cacheRead;
}

function spentTokens({ input, cacheCreation, output }: AnswerUsage): number {
  return input + cacheCreation + output;
}

const SMALL_WINDOW = 200_000;
const LARGE_WINDOW = 1_000_000;

/** `claude-opus-4-6`, `claude-3-5-sonnet-20241022`, `claude-sonnet-4-20250514` (a date is no minor version). */
const MODEL_VERSION = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/;

/** The context window of a model by its name, as measured: up to 4.6 it is 200k; newer, `[1m]` and unknown names 1M. */
export function contextWindow(model: string | undefined): number {
  const name = model?.toLowerCase() ?? '';
  const version = MODEL_VERSION.exec(name);
  if (!version || name.includes('[1m]')) return LARGE_WINDOW;
  const major = Number(version[1]);
  const minor = Number(version[2] ?? 0);
  return major < 4 || (major === 4 && minor <= 6) ? SMALL_WINDOW : LARGE_WINDOW;
}

/** Something that was said in a conversation; results of tools are left out. */
export interface Utterance {
  /** summary: what Claude Code wrote in a compaction. */
  who: 'person' | 'agent' | 'summary';
  text: string;
  /** The names of the tools that the agent called with it. */
  tools: readonly string[];
}

const UTTERANCE_LIMIT = 6_000;

const NAMES: Record<Utterance['who'], string> = {
  person: 'PERSON',
  agent: 'AGENT',
  summary: 'SUMMARY OF WHAT CAME BEFORE',
};

/**
 * The conversation as a text of at most `limit` characters; the end is kept. The final message is added where it is
 * missing: often it is not in the transcript yet.
 */
export function conversationText(
  utterances: readonly Utterance[],
  lastMessage: string | undefined,
  limit: number,
): { text: string; whole: boolean } {
  const all = withLast(utterances, lastMessage);
  const parts: string[] = [];
  let left = limit;
  for (const utterance of [...all].reverse()) {
    const part = inWords(utterance);
    if (part.length + SEPARATOR.length > left) return { text: parts.join(SEPARATOR), whole: false };
    parts.unshift(part);
    left -= part.length + SEPARATOR.length;
  }
  return { text: parts.join(SEPARATOR), whole: true };
}

const SEPARATOR = '\n\n';

function inWords({ who, text, tools }: Utterance): string {
  const calls = tools.length === 0 ? '' : `(tools called: ${tools.join(', ')})`;
  const said = keepShort(text.trim(), UTTERANCE_LIMIT);
  return [`${NAMES[who]}:`, said, calls].filter((part) => part !== '').join('\n');
}

/** What was said, the final message included. */
export function withLast(utterances: readonly Utterance[], lastMessage: string | undefined): Utterance[] {
  const said = lastMessage?.trim() ?? '';
  const last = utterances.findLast((utterance) => utterance.who === 'agent')?.text.trim();
  if (said === '' || last?.endsWith(said)) return [...utterances];
  return [...utterances, { who: 'agent', text: said, tools: [] }];
}
