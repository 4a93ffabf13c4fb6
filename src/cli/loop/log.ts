import { watch } from 'node:fs';
import type { Entry } from '../../engine/core/loop/entry.ts';
import { hasEnded, type LoopState } from '../../engine/core/loop/state.ts';
import { stampOf } from '../../engine/core/text/moment.ts';
import { escapedJson, jsonText, visible } from '../../engine/core/text/visible.ts';
import { entryLines } from '../../engine/core/words/entries.ts';
import { JournalScan, type Scanned } from '../../engine/home/journal/scan.ts';
import { type Home, readKey } from '../../engine/home/layout.ts';
import type { FileStore } from '../../engine/home/store.ts';
import type { Clock, LoopRef } from '../../engine/ports/ports.ts';
import { paint, type Style, statusStyle, VERDICT_STYLES } from '../../engine/terminal/style.ts';
import { wrapLine } from '../../engine/terminal/text.ts';

interface LogPorts {
  store: FileStore;
  home: Home;
  clock: Clock;
}

/** Prints a journal, and with `follow` what is added until the loop has ended. */
export async function log(
  options: { json: boolean; follow: boolean; subagents?: boolean },
  ref: LoopRef,
  { store, home, clock }: LogPorts,
  out: (line: string) => void,
): Promise<void> {
  const path = store.journalFile(ref);
  const scan = new JournalScan(path, readKey(home));
  if (options.subagents) return printResults(scan, clock.now(), out);
  const print = (scanned: Scanned) => {
    for (const line of options.json ? [scannedJson(scanned)] : scannedLines(scanned, clock.now())) out(line);
  };
  let ended = await printNext(scan, print);
  while (options.follow && !ended) {
    await change(path);
    ended = await printNext(scan, print);
  }
  if (!options.follow) reportTail(store, ref, out, options.json);
}

async function printNext(scan: JournalScan, print: (scanned: Scanned) => void): Promise<boolean> {
  let ended = false;
  for await (const scanned of scan.next()) {
    print(scanned);
    if (scanned.ok) ended = hasEnded(scanned.line.state);
  }
  return ended;
}

/** Prints what each subagent said last, the newest answer of one that stopped several times. */
async function printResults(scan: JournalScan, now: number, out: (line: string) => void): Promise<void> {
  const results = new Map<string, string[]>();
  for await (const scanned of scan.next()) {
    if (!scanned.ok) continue;
    const { entry, state, at } = scanned.line;
    if (entry.kind !== 'guard' || entry.agent?.said === undefined) continue;
    const { id, type, said } = entry.agent;
    const status = state.agents?.find((agent) => agent.id === id)?.status ?? 'ended';
    results.delete(id);
    results.set(id, [
      `${stampOf(Date.parse(at), now)}  ${type} (${id}) ${status}`,
      ...said.split(/\r?\n/).map((line) => `    ${line}`),
    ]);
  }
  if (results.size === 0) out('No subagent of this loop has ended with an answer yet.');
  for (const lines of results.values()) for (const line of lines) out(line);
}

export function scannedJson(scanned: Scanned): string {
  return scanned.ok
    ? escapedJson(scanned.text)
    : jsonText({ damaged: { line: scanned.number, problem: scanned.problem } });
}

export function scannedLines(scanned: Scanned, now: number): string[] {
  if (!scanned.ok) return [`line ${scanned.number} is ${paint('bad', 'DAMAGED:')} ${scanned.problem}`];
  const { line, chained } = scanned;
  const head = `${stampOf(Date.parse(line.at), now)}  #${line.seq}  `;
  const [words = '', ...verdicts] = entryLines(line.entry, line.state);
  const style = styleOf(line.entry, line.state);
  const broken = `    ${paint('bad', '[CHAIN BROKEN:')} a line before this one was changed or removed]`;
  return [
    ...wrapped(' '.repeat(head.length) + words).map((text, index) => {
      const said = text.slice(head.length);
      return `${index === 0 ? paint('quiet', head) : text.slice(0, head.length)}${style ? paint(style, said) : said}`;
    }),
    ...(chained ? [] : [broken]),
    ...verdicts.flatMap(verdictLines),
  ];
}

/** What others wrote is spelled out before it is measured: that takes more room. */
function wrapped(line: string): string[] {
  const { isTTY, columns } = process.stdout;
  return wrapLine(visible(line), isTTY && columns >= LEAST_WIDTH ? columns : Number.POSITIVE_INFINITY);
}

/** On a narrower terminal there is no room beside the time: it breaks lines itself. */
const LEAST_WIDTH = 60;

function verdictLines(words: string): string[] {
  return wrapped(words).map((line, index) =>
    index > 0
      ? line
      : line.replace(/(?<=^ +[^ ]+: )(pass|fail|unproven|skip)\b/, (verdict) =>
          paint(VERDICT_STYLES[verdict as keyof typeof VERDICT_STYLES], verdict),
        ),
  );
}

/** The colour of an entry: how it ended the loop, held its session, or went wrong. */
function styleOf(entry: Entry, state: LoopState): Style | undefined {
  if (entry.kind === 'error' || entry.kind === 'foreign') return 'bad';
  if (entry.kind === 'guard') return entry.refused ? 'open' : undefined;
  if (entry.kind === 'stop' && entry.decision.kind !== 'end')
    return entry.decision.kind === 'block' ? 'open' : undefined;
  return ENDS.has(entry.kind) && hasEnded(state) ? statusStyle(state.status) : undefined;
}

const ENDS = new Set<Entry['kind']>(['stop', 'command', 'withdrawn', 'ended']);

function reportTail(store: FileStore, ref: LoopRef, out: (line: string) => void, json: boolean): void {
  if (json) return;
  if (store.tail(ref).torn) out('(the last line was cut short by a crash; the next entry begins a new one)');
}

/** Resolves when the file has changed, or after a second: some file systems send no notice. */
function change(path: string): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      watcher.close();
      clearTimeout(timer);
      resolve();
    };
    const watcher = watch(path, done);
    watcher.on('error', done);
    const timer = setTimeout(done, 1000);
  });
}
