/** One line about a session for Claude Code's status line: its loop, gates, context and cost. */
import type { Outcome } from '../loop/verdict.ts';
import { visible } from '../text/visible.ts';

export interface StatuslineFacts {
  loop?: {
    id: string;
    status: string;
    iteration: number;
    maxIterations: number | 'unlimited';
    gates: readonly { name: string; verdict: Outcome }[];
    /** It waits for you. */
    asks?: boolean;
    /** A turn ended without a Stop that reached untildone. */
    missed?: boolean;
  };
  contextPercent?: number;
  costUsd?: number;
}

export type Tone = 'good' | 'bad' | 'open' | 'quiet';

/** A piece of the line, in one colour. */
export interface Piece {
  text: string;
  tone?: Tone;
}

const MARKS: Record<Outcome, { sign: string; tone: Tone }> = {
  pass: { sign: '✓', tone: 'good' },
  fail: { sign: '✗', tone: 'bad' },
  unproven: { sign: '?', tone: 'open' },
  skip: { sign: '–', tone: 'quiet' },
};

/** The longest form of the line that fits; the last one may still be too long. */
export function statusline(facts: StatuslineFacts, fits: (text: string) => boolean): Piece[] {
  const forms = formsOf(facts);
  const textOf = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('');
  return forms.find((pieces) => fits(textOf(pieces))) ?? forms.at(-1) ?? [];
}

/** From the longest to the shortest. */
function formsOf({ loop, contextPercent, costUsd }: StatuslineFacts): Piece[][] {
  const context = contextPercent === undefined ? [] : [contextPiece(contextPercent)];
  const cost = costUsd === undefined ? [] : [{ text: `$${costUsd.toFixed(2)}` }];
  if (!loop) return [joined([...context, ...cost]), joined(context), []];
  const name = loop.id.split('-').at(-1) ?? loop.id;
  const head = (label: string): Piece[] => [{ text: label, tone: 'quiet' }, ...progress(loop)];
  const long = head(`untildone ${visible(name)} `);
  const marks = marksByName(loop.gates);
  const counts = marksByCount(loop.gates);
  return [
    joined([[...long, ...marks], ...context, ...cost]),
    joined([[...long, ...counts], ...context, ...cost]),
    joined([[...head('untildone '), ...counts], ...context, ...cost]),
    joined([[...head('untildone '), ...counts], ...context]),
    joined([[...head('untildone '), ...counts]]),
    [...progress(loop), ...counts],
  ];
}

/** Parts with a dot between them. */
function joined(parts: readonly (Piece | readonly Piece[])[]): Piece[] {
  return parts.flatMap((part, index) => [
    ...(index === 0 ? [] : [{ text: ' · ', tone: 'quiet' as const }]),
    ...(Array.isArray(part) ? (part as Piece[]) : [part as Piece]),
  ]);
}

type LoopPart = NonNullable<StatuslineFacts['loop']>;

function progress({ status, iteration, maxIterations, asks, missed }: LoopPart): Piece[] {
  const of = maxIterations === 'unlimited' ? '' : `/${maxIterations}`;
  const count = { text: `${iteration}${of}` };
  if (missed) return [count, { text: ' NOT JUDGED', tone: 'bad' }];
  if (asks) return [count, { text: ' asks you', tone: 'open' }];
  if (status === 'active') return [count];
  return [count, { text: ` ${visible(status)}`, tone: status === 'verified_done' ? 'good' : 'open' }];
}

const NAME_LIMIT = 24;

function marksByName(gates: LoopPart['gates']): Piece[] {
  return gates.map(({ name, verdict }) => {
    const { sign, tone } = MARKS[verdict];
    const short = name.length > NAME_LIMIT ? `${name.slice(0, NAME_LIMIT - 1)}…` : name;
    return { text: ` ${sign}${visible(short)}`, tone };
  });
}

function marksByCount(gates: LoopPart['gates']): Piece[] {
  return (Object.keys(MARKS) as Outcome[]).flatMap((verdict) => {
    const count = gates.filter((gate) => gate.verdict === verdict).length;
    const { sign, tone } = MARKS[verdict];
    return count === 0 ? [] : [{ text: ` ${count}${sign}`, tone }];
  });
}

const NEARLY_FULL = 80;

function contextPiece(percent: number): Piece {
  return { text: `context ${Math.round(percent)}%`, tone: percent >= NEARLY_FULL ? 'open' : undefined };
}
