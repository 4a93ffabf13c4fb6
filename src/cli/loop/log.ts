import { watch } from 'node:fs';
import { hasEnded } from '../../core/loop/state.ts';
import { escapedJson, jsonText } from '../../core/text/visible.ts';
import { describeEntry } from '../../core/words/entries.ts';
import { JournalScan, type Scanned } from '../../home/journal/scan.ts';
import { type Home, readKey } from '../../home/layout.ts';
import type { FileStore } from '../../home/store.ts';
import type { LoopRef } from '../../ports/ports.ts';

/** Prints a journal, and with `follow` what is added until the loop has ended. */
export async function log(
  options: { json: boolean; follow: boolean },
  ref: LoopRef,
  store: FileStore,
  home: Home,
  out: (line: string) => void,
): Promise<void> {
  const path = store.journalFile(ref);
  const scan = new JournalScan(path, readKey(home));
  let ended = await printNext(scan, options.json, out);
  while (options.follow && !ended) {
    await change(path);
    ended = await printNext(scan, options.json, out);
  }
  if (!options.follow) reportTail(store, ref, out, options.json);
}

async function printNext(scan: JournalScan, json: boolean, out: (line: string) => void): Promise<boolean> {
  let ended = false;
  for await (const scanned of scan.next()) {
    out(json ? jsonLine(scanned) : textLine(scanned));
    if (scanned.ok) ended = hasEnded(scanned.line.state);
  }
  return ended;
}

function jsonLine(scanned: Scanned): string {
  return scanned.ok
    ? escapedJson(scanned.text)
    : jsonText({ damaged: { line: scanned.number, problem: scanned.problem } });
}

function textLine(scanned: Scanned): string {
  if (!scanned.ok) return `line ${scanned.number} is DAMAGED: ${scanned.problem}`;
  const { line, chained } = scanned;
  const broken = chained ? '' : '  [CHAIN BROKEN: a line before this one was changed or removed]';
  return `${line.at}  #${line.seq}  ${describeEntry(line.entry, line.state)}${broken}`;
}

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
