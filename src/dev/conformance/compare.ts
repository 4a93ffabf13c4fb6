import { oneLine } from '../../engine/core/text/clip.ts';
import { describeBytes, describeChange, isSame, type Look } from './observe.ts';
import { answerOf, type Ran } from './run-command.ts';
import type { Check, Expected, Format, Only } from './scenario.ts';

/** A loop of untildone's own record (`status --json`), as far as scenarios ask for it. */
export interface KnownLoop {
  session: string;
  status: string;
  iteration: number;
}

/** What can be seen after a step. */
export interface Observed {
  /** The hook, or the command, that the step ran. */
  ran?: Ran;
  before(path: string): Look;
  now(path: string): Look;
  /** The files that a path of a scenario stands for: `state` may be several. */
  files(path: string): string[];
  fill(text: string): string;
  fillBytes(content: Buffer): Buffer;
  /** The format's counter as it stands in its file; undefined where the format's hook writes none. */
  counter(): string | undefined;
  /** Untildone's own loops of a session, newest first. */
  loops(session: string): Promise<KnownLoop[]>;
}

const SHOWN = 120;

/** Checks that only the hook of untildone can meet: they look at its own exit codes and records. */
const OURS: Check['kind'][] = ['exit', 'loop', 'no-loop'];

/** The format at hand, and whose hook it is. */
export interface Asked {
  format: Format;
  isUntildone: boolean;
}

export function countsFor(only: Only, { format, isUntildone }: Asked): boolean {
  return (!only.untildone || isUntildone) && (only.formats?.includes(format) ?? true);
}

export function isAsked({ only, check }: Expected, asked: Asked): boolean {
  const ours = OURS.includes(check.kind) || (check.kind === 'says' && check.where !== 'reason');
  return countsFor(only, asked) && (asked.isUntildone || !ours);
}

/** Tells in one line how what is there differs from what was expected; undefined when it does not. */
export async function difference(check: Check, seen: Observed): Promise<string | undefined> {
  switch (check.kind) {
    case 'held':
    case 'let-go':
      return ofAnswer(check.kind === 'held', seen.ran);
    case 'says':
      return ofWords(check, seen);
    case 'exit':
      return ofExit(check.code, seen.ran);
    case 'within':
      return seen.ran && seen.ran.ms > check.ms ? `took ${(seen.ran.ms / 1000).toFixed(1)} s` : undefined;
    case 'file':
      return firstOf(seen.files(check.path), (path) => ofFile(path, check.is, seen));
    case 'bytes':
      return ofBytes(check.path, seen.fillBytes(check.content), seen);
    case 'file-says':
      return ofText(check, seen);
    case 'counter':
      return ofCounter(check.value, seen.counter());
    case 'loop':
      return ofLoop(check, await seen.loops(check.session));
    case 'no-loop':
      return ofNoLoop(await seen.loops(check.session));
  }
}

function ofAnswer(held: boolean, ran: Ran | undefined): string | undefined {
  const answer = ran && answerOf(ran);
  if (!ran || answer?.held === held) return undefined;
  if (!held) return `expected let go, was held: ${JSON.stringify(oneLine(answer?.reason ?? '', SHOWN))}`;
  const stderr = oneLine(ran.stderr, SHOWN);
  const said = stderr || oneLine(answer?.message ?? '', SHOWN);
  return `expected held, was let go (exit ${ran.exitCode ?? 'none'}${said ? `: ${said}` : ''})`;
}

function ofWords(check: Extract<Check, { kind: 'says' }>, { ran, fill }: Observed): string | undefined {
  if (!ran) return undefined;
  const answer = answerOf(ran);
  const said = { ...ran, ...answer }[check.where];
  const wanted = fill(check.text);
  if (said.includes(wanted) === check.contains) return undefined;
  const verb = check.contains ? 'lacks' : 'contains';
  return `${check.where} ${verb} ${JSON.stringify(wanted)}: ${JSON.stringify(oneLine(said, SHOWN))}`;
}

function ofExit(code: number, ran: Ran | undefined): string | undefined {
  if (!ran || ran.exitCode === code) return undefined;
  return `expected exit ${code}, was ${ran.exitCode ?? 'none'}: ${oneLine(ran.stderr || ran.stdout, SHOWN)}`;
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofFile(path: string, is: 'unchanged' | 'absent' | 'exists', seen: Observed): string | undefined {
  const now = seen.now(path);
  if (is === 'absent') return now.kind === 'nothing' ? undefined : `${path} is still there`;
  if (is === 'exists') return now.kind === 'nothing' ? `${path} is gone` : undefined;
  const before = seen.before(path);
  return isSame(before, now) ? undefined : `${path} was changed: ${describeChange(before, now)}`;
}

function ofBytes(path: string, wanted: Buffer, seen: Observed): string | undefined {
  const now = seen.now(path);
  if (now.kind !== 'file') return `${path} is ${now.kind === 'nothing' ? 'gone' : `a ${now.kind}`}`;
  return now.bytes.equals(wanted) ? undefined : `${path}: ${describeBytes(wanted, now.bytes)}`;
}

function ofText(check: Extract<Check, { kind: 'file-says' }>, seen: Observed): string | undefined {
  const now = seen.now(check.path);
  if (now.kind !== 'file') return check.contains ? `${check.path} is no file that can be read` : undefined;
  const wanted = seen.fill(check.text);
  if (now.bytes.includes(wanted) === check.contains) return undefined;
  return `${check.path} ${check.contains ? 'lacks' : 'contains'} ${JSON.stringify(wanted)}`;
}

function ofCounter(wanted: string, found: string | undefined): string | undefined {
  return found === undefined || found === wanted
    ? undefined
    : `expected counter ${wanted}, was ${found || 'none'}`;
}

function ofLoop(
  { status, iteration }: Extract<Check, { kind: 'loop' }>,
  [newest]: KnownLoop[],
): string | undefined {
  const wanted = iteration === undefined ? status : `${status} at iteration ${iteration}`;
  if (!newest) return `expected a loop ${wanted}, there is none`;
  const found = iteration === undefined ? newest.status : `${newest.status} at iteration ${newest.iteration}`;
  return found === wanted ? undefined : `expected a loop ${wanted}, it is ${found}`;
}

function ofNoLoop([newest]: KnownLoop[]): string | undefined {
  return newest ? `expected no loop, there is one: ${newest.status}` : undefined;
}
