/** What a demo leaves in the scratch home, read and shown. */
import { readSmall } from '../../adapters/atomic-file.ts';
import { FileStore } from '../../adapters/file-store.ts';
import { homeAt, readKey } from '../../adapters/home.ts';
import { JournalScan, type Scanned } from '../../adapters/journal-scan.ts';
import type { SignedReceipt } from '../../adapters/receipts.ts';
import type { LoopRef } from '../../ports.ts';
import { readLoops } from '../find-loop.ts';
import { log } from '../log.ts';
import { systemClock } from '../ports.ts';
import { parseReceipt } from '../receipt.ts';
import { status } from '../status.ts';
import type { LiveView } from './live-view.ts';
import type { Scratch } from './scratch.ts';

function openStore({ untildoneHome, project }: Scratch): { store: FileStore; newest: LoopRef | undefined } {
  const store = new FileStore(homeAt(untildoneHome), systemClock);
  const [newest] = readLoops(store, store.loops(project));
  return { store, newest: newest?.ref };
}

/** Of the newest loop; empty when there is none. */
export async function readJournal(scratch: Scratch): Promise<Scanned[]> {
  const { store, newest } = openStore(scratch);
  if (!newest) return [];
  const journal: Scanned[] = [];
  const scan = new JournalScan(store.journalFile(newest), readKey(homeAt(scratch.untildoneHome)));
  for await (const line of scan.next()) journal.push(line);
  return journal;
}

/** Of the newest loop; undefined when it has none. */
export function readReceipt(scratch: Scratch): SignedReceipt | undefined {
  const { store, newest } = openStore(scratch);
  const text = newest && readSmall(store.receiptFile(newest));
  return text === undefined ? undefined : parseReceipt(text, 'the receipt');
}

export function showStatus(scratch: Scratch, view: LiveView): void {
  const { store } = openStore(scratch);
  view.heading('$ untildone status');
  status(
    { json: false, all: false, project: scratch.project, foreign: [] },
    store,
    systemClock.now(),
    (line) => view.quote(line),
  );
}

export async function showLog(scratch: Scratch, view: LiveView): Promise<void> {
  const { store, newest } = openStore(scratch);
  if (!newest) return;
  view.heading('$ untildone log');
  const home = homeAt(scratch.untildoneHome);
  await log({ json: false, follow: false }, newest, store, home, (line) => view.quote(line));
}
