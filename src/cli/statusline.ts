/** `untildone statusline`: Claude Code sends what it knows of a session on stdin, and shows the line that is printed. */
import { fstatSync, readFileSync, writeSync } from 'node:fs';
import { asFields, type Fields, parseFields } from '../engine/client/fields.ts';
import { asksPerson, type LoopState } from '../engine/core/loop/state.ts';
import { type Piece, type StatuslineFacts, statusline, type Tone } from '../engine/core/words/statusline.ts';
import { homeFrom } from '../engine/home/layout.ts';
import { FileStore } from '../engine/home/store.ts';
import type { LoopRef } from '../engine/ports/ports.ts';
import { columnsOf, cutTo } from '../engine/terminal/text.ts';

const BY_HAND =
  'untildone statusline: Claude Code calls this. Add it to its settings with: untildone install --statusline';

/** Prints one line, whatever it is given. Never throws, and never ends with an error: Claude Code would show nothing then. */
export function printStatusline(): void {
  let line = '';
  try {
    line = isTerminal() ? BY_HAND : lineFor(readFileSync(0, 'utf8'), process.env, Date.now);
  } catch {
    // Nothing can be read, or nothing is there.
  }
  try {
    writeSync(1, `${line}\n`);
  } catch {
    // Nobody reads it any more.
  }
}

/** Loads `node:tty` only for a character device, because it loads all streams with it. */
function isTerminal(): boolean {
  if (!fstatSync(0).isCharacterDevice()) return false;
  const { isatty } = require('node:tty') as typeof import('node:tty');
  return isatty(0);
}

export function lineFor(input: string, env: NodeJS.ProcessEnv, now: () => number): string {
  const sent = parseFields(input) ?? {};
  const columns = columnsIn(env);
  const pieces = statusline(factsFrom(sent, env, now), (text) => columnsOf(text) <= columns);
  const whole = pieces.map(({ text }) => text).join('');
  if (columnsOf(whole) > columns) return cutTo(whole, columns);
  return env.NO_COLOR || env.TERM === 'dumb' ? whole : pieces.map(coloured).join('');
}

function columnsIn({ COLUMNS }: NodeJS.ProcessEnv): number {
  const columns = Number(COLUMNS);
  return Number.isInteger(columns) && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}

const COLOURS: Record<Tone, number> = { good: 32, bad: 31, open: 33, quiet: 2 };

function coloured({ text, tone }: Piece): string {
  return tone === undefined ? text : `\u001b[${COLOURS[tone]}m${text}\u001b[0m`;
}

function factsFrom(sent: Fields, env: NodeJS.ProcessEnv, now: () => number): StatuslineFacts {
  const session = typeof sent.session_id === 'string' ? sent.session_id : undefined;
  return {
    loop: session === undefined ? undefined : loopOf(session, new FileStore(homeFrom(env), { now })),
    contextPercent: contextIn(asFields(sent.context_window)),
    costUsd: amount(asFields(sent.cost)?.total_cost_usd),
  };
}

/** How full the context is. Older versions of Claude Code send only the counts. */
function contextIn(context: Fields | undefined): number | undefined {
  const used = amount(context?.used_percentage);
  if (used !== undefined) return used;
  const [tokens, size] = [amount(context?.total_input_tokens), amount(context?.context_window_size)];
  return tokens === undefined || !size ? undefined : (tokens / size) * 100;
}

function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The loop of the session, or its last one; undefined when there is none, or when it cannot be read. */
function loopOf(session: string, store: FileStore): StatuslineFacts['loop'] {
  try {
    const ref =
      store.activeLoopOf(session) ?? store.claimedLoopsOf(session)[0] ?? store.loopOfSession(session);
    return ref && partOf(ref, store.read(ref));
  } catch {
    return undefined;
  }
}

function partOf({ loop }: LoopRef, state: LoopState): StatuslineFacts['loop'] {
  const { status, iteration, maxIterations, gates, missed } = state;
  return {
    id: loop,
    status,
    iteration,
    maxIterations,
    gates,
    asks: asksPerson(state),
    missed: missed !== undefined,
  };
}
