import { isFields } from '../../engine/core/text/fields.ts';
import { readSmall } from '../../engine/files/whole-file.ts';
import type { JournalLine } from '../../engine/home/journal/line.ts';
import { JournalScan, type Scanned } from '../../engine/home/journal/scan.ts';
import { homeAt, readKey } from '../../engine/home/layout.ts';
import { parseReceipt, receiptProblems, type SignedReceipt } from '../../engine/home/receipts.ts';
import { FileStore } from '../../engine/home/store.ts';
import { systemClock } from '../../engine/hook/wiring/ports.ts';
import { type Found, readLoops } from '../../engine/run/person/find-loop.ts';
import type { SimulatorRequest } from '../simulator/server.ts';
import type { Demo, Part, Query, Step } from './demo-folder.ts';
import type { Scratch } from './scratch.ts';

/** What a demo left behind, to be compared with what its `demo.yaml` expects. */
export interface Evidence {
  /** Exit codes of the demo's test, run by the demo itself. */
  test: { before: number | null; after: number | null };
  /** The project's files in the end, as far as it had them at first. */
  files: Readonly<Record<string, string | undefined>>;
  /** Of the newest loop; empty when there is none. */
  journal: readonly Scanned[];
  /** Of the newest loop. */
  receipt: SignedReceipt | undefined;
  /** What the scripted model was asked, oldest first. */
  asked: readonly SimulatorRequest[];
  /** How the command that was typed ended; the session is that of Claude Code. */
  typed: { code: number | null; failed: boolean; session?: string | undefined };
}

/** Whether everything that a step names is so. What it does not name holds. */
export function happened(step: Step, demo: Demo, evidence: Evidence): boolean {
  const lines = linesOf(evidence.journal);
  const fill = (text: string) => filled(text, demo, evidence);
  return (
    projectIsAsExpected(step, demo, evidence) &&
    journalIsAsExpected(step, evidence, lines, fill) &&
    modelWasAskedAsExpected(step, demo, evidence, lines, fill)
  );
}

function projectIsAsExpected(step: Step, demo: Demo, { test, files, typed }: Evidence): boolean {
  const unchanged = step.unchanged === 'all' ? Object.keys(demo.files) : (step.unchanged ?? []);
  return [
    step.test?.before === undefined || (test.before ?? 0) > 0,
    step.test?.after === undefined || test.after === 0,
    unchanged.every((path) => files[path] === demo.files[path]),
    Object.entries(step.files ?? {}).every(([path, text]) => files[path] === text),
    step.exit === undefined || (typed.code === step.exit && !typed.failed),
  ].every(Boolean);
}

function journalIsAsExpected(
  step: Step,
  { journal, receipt }: Evidence,
  lines: readonly JournalLine[],
  fill: Fill,
): boolean {
  return [
    (step.journal ?? []).every((query) => holds(query, lines, fill)),
    !step.journal_whole || (journal.length > 0 && journal.every((line) => line.ok && line.chained)),
    step.ends === undefined || endedAs(step.ends, lines),
    step.receipt === undefined || isSigned(receipt, step.receipt),
  ].every(Boolean);
}

function modelWasAskedAsExpected(
  step: Step,
  demo: Demo,
  { asked }: Evidence,
  lines: readonly JournalLine[],
  fill: Fill,
): boolean {
  return [
    (step.told ?? []).every((texts) => asked.some((request) => reads(request, texts.map(fill)))),
    step.told_midway === undefined || isToldMidway(fill(step.told_midway), asked),
    !step.tool_result || toolFailed(step.tool_result.id, asked) === step.tool_result.failed,
    !step.each_turn_once || isEachTurnOnce(demo, asked),
    !step.silence || isSilent(step.silence, lines, asked, fill),
  ].every(Boolean);
}

type Fill = (text: string) => string;

function filled(text: string, { turns }: Demo, { typed }: Evidence): string {
  return text
    .replace('{session}', (whole) => typed.session ?? whole)
    .replace(/\{turn (\d+)\}/g, (whole, n: string) => turns[Number(n) - 1]?.text ?? whole);
}

export function linesOf(journal: readonly Scanned[]): JournalLine[] {
  return journal.flatMap((scanned) => (scanned.ok ? [scanned.line] : []));
}

function holds(query: Query, lines: readonly JournalLine[], fill: Fill): boolean {
  const { where = {}, pick, has, take } = query;
  const found = lines.filter((line) => hasPart(line, where, fill));
  if (has) return hasPart(pick === 'last' ? found.at(-1) : found[0], has, fill);
  const taken = found.map((line) => valuesAt(line, (take ?? '').split('.')));
  return areAsExpected(query, taken, lines.at(-1)?.state, fill);
}

/** Compares values of the journal with a query. `taken` has the values of each line. */
function areAsExpected(
  { are, count, distinct, among, least, above, sums_to, grows, sizes }: Query,
  taken: readonly unknown[][],
  state: unknown,
  fill: Fill,
): boolean {
  const values = taken.flat();
  const numbers = values.filter((value) => typeof value === 'number');
  const everyLine = (holdsFor: (number: number) => boolean) =>
    numbers.length > 0 && numbers.length === taken.length && numbers.every(holdsFor);
  const sum = numbers.reduce((whole, one) => whole + one, 0);
  return [
    !are ||
      isSame(
        values,
        are.map((value) => (typeof value === 'string' ? fill(value) : value)),
      ),
    count === undefined || values.length === count,
    !distinct || new Set(values).size === values.length,
    !among || values.every((value) => among.includes(String(value))),
    least === undefined || everyLine((number) => number >= least),
    above === undefined || everyLine((number) => number > above),
    sums_to === undefined || Math.abs(sum - Number(valuesAt(state, sums_to.split('.'))[0])) < 1e-9,
    !grows || isSame(withoutRepeats(taken), grows),
    !sizes ||
      isSame(
        taken.map((list) => list.length),
        sizes,
      ),
  ].every(Boolean);
}

function withoutRepeats(lists: readonly unknown[][]): unknown[][] {
  return lists.filter((list, i) => list.length > 0 && !isSame(list, lists[i - 1]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether a value has a part: an object the keys that are named, a list the items that must be in it. */
function hasPart(value: unknown, wanted: unknown, fill: Fill): boolean {
  if (Array.isArray(wanted)) {
    return wanted.every((item) => Array.isArray(value) && value.some((one) => hasPart(one, item, fill)));
  }
  if (isFields(wanted)) {
    return isFields(value) && Object.entries(wanted).every(([key, item]) => hasPart(value[key], item, fill));
  }
  return value === (typeof wanted === 'string' ? fill(wanted) : wanted);
}

/** Follows a path; a list on the way is each of its items, `[key=value]` only those with this value. */
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path));
  const [name, ...rest] = path;
  if (name === undefined) return value === undefined ? [] : [value];
  const [, field = '', key, wanted] = /^(\w+)(?:\[(\w+)=(\w+)\])?$/.exec(name) ?? [];
  const inside = isFields(value) ? value[field] : undefined;
  if (key === undefined) return valuesAt(inside, rest);
  const items: unknown[] = Array.isArray(inside) ? inside : [];
  return valuesAt(
    items.filter((item) => isFields(item) && item[key] === wanted),
    rest,
  );
}

function endedAs(status: string, lines: readonly JournalLine[]): boolean {
  const last = lines.findLast(({ entry }) => entry.kind === 'stop')?.entry;
  const ended = last?.kind === 'stop' && last.decision.kind === 'end' && last.decision.status === status;
  return ended && lines.at(-1)?.state.status === status;
}

function isSigned(receipt: SignedReceipt | undefined, status: string): boolean {
  return receipt?.receipt.status === status && receiptProblems(receipt).length === 0;
}

function reads({ body }: SimulatorRequest, texts: readonly string[]): boolean {
  const request = JSON.stringify(body ?? '');
  return texts.every((text) => request.includes(JSON.stringify(text).slice(1, -1)));
}

function isToldMidway(text: string, asked: readonly SimulatorRequest[]): boolean {
  const at = asked.findIndex((request) => reads(request, [text]));
  return at > 0 && at < asked.length - 1;
}

/** Whether a tool call failed, as Claude Code told the model; undefined when it did not tell. */
function toolFailed(id: string, asked: readonly SimulatorRequest[]): unknown {
  const blocks = asked.flatMap(({ body }) => valuesAt(body, ['messages', 'content'])).filter(isFields);
  return blocks.find(({ type, tool_use_id }) => type === 'tool_result' && tool_use_id === id)?.is_error;
}

function isEachTurnOnce({ turns }: Demo, asked: readonly SimulatorRequest[]): boolean {
  return isSame(
    asked.map(({ servedBy }) => servedBy),
    turns.map((_, i) => `turn ${i + 1}`),
  );
}

function isSilent(
  { from, to }: { from: Part; to: Part },
  lines: readonly JournalLine[],
  asked: readonly SimulatorRequest[],
  fill: Fill,
): boolean {
  const [begins, ends] = [from, to].map((wanted) => lines.find((line) => hasPart(line, wanted, fill))?.at);
  if (!begins || !ends || asked.length === 0) return false;
  return !asked.some(({ at }) => at > Date.parse(begins) && at < Date.parse(ends));
}

function openStore({ untildoneHome, project }: Scratch): { store: FileStore; newest: Found | undefined } {
  const store = new FileStore(homeAt(untildoneHome), systemClock);
  const [newest] = readLoops(store, store.loops(project));
  return { store, newest };
}

/** Reads the journal of the newest loop; empty when there is none. */
export async function readJournal(scratch: Scratch): Promise<Scanned[]> {
  const { store, newest } = openStore(scratch);
  if (!newest) return [];
  const journal: Scanned[] = [];
  const scan = new JournalScan(store.journalFile(newest.ref), readKey(homeAt(scratch.untildoneHome)));
  for await (const line of scan.next()) journal.push(line);
  return journal;
}

/** Reads the receipt of the newest loop; undefined when it has none. */
export function readReceipt(scratch: Scratch): SignedReceipt | undefined {
  const { store, newest } = openStore(scratch);
  const text = newest && readSmall(store.receiptFile(newest.ref));
  return text === undefined ? undefined : parseReceipt(text, 'the receipt');
}

/** Reads what the newest loop asks you; undefined while a session is open, or when it asks nothing. */
export function openQuestion(scratch: Scratch): string | undefined {
  const { newest } = openStore(scratch);
  // A loop that is just being made cannot be read yet.
  if (!newest || !('state' in newest)) return undefined;
  const { waiting, run } = newest.state;
  return waiting?.why === 'approval' && !run?.open ? (waiting.detail ?? '') : undefined;
}
