/** What a demo leaves in the scratch home, read and shown. */
import { readSmall } from '../../adapters/atomic-file.ts';
import { FileStore } from '../../adapters/file-store.ts';
import { homeAt, readKey } from '../../adapters/home.ts';
import { JournalScan, type Scanned } from '../../adapters/journal-scan.ts';
import type { SignedReceipt } from '../../adapters/receipts.ts';
import { type Found, readLoops } from '../../commands/find-loop.ts';
import { log } from '../../commands/log.ts';
import { systemClock } from '../../commands/ports.ts';
import { parseReceipt } from '../../commands/receipt.ts';
import { status } from '../../commands/status.ts';
import type { LiveView } from './live-view.ts';
import { type Scratch, untildone } from './scratch.ts';

function openStore({ untildoneHome, project }: Scratch): { store: FileStore; newest: Found | undefined } {
  const store = new FileStore(homeAt(untildoneHome), systemClock);
  const [newest] = readLoops(store, store.loops(project));
  return { store, newest };
}

/** Of the newest loop; empty when there is none. */
export async function readJournal(scratch: Scratch): Promise<Scanned[]> {
  const { store, newest } = openStore(scratch);
  if (!newest) return [];
  const journal: Scanned[] = [];
  const scan = new JournalScan(store.journalFile(newest.ref), readKey(homeAt(scratch.untildoneHome)));
  for await (const line of scan.next()) journal.push(line);
  return journal;
}

/** Of the newest loop; undefined when it has none. */
export function readReceipt(scratch: Scratch): SignedReceipt | undefined {
  const { store, newest } = openStore(scratch);
  const text = newest && readSmall(store.receiptFile(newest.ref));
  return text === undefined ? undefined : parseReceipt(text, 'the receipt');
}

/** What the newest loop asks a person; undefined while a session is open, or when nothing is waited for. */
export function openQuestion(scratch: Scratch): string | undefined {
  const { newest } = openStore(scratch);
  // One that is just being made cannot be read yet.
  if (!newest || !('state' in newest)) return undefined;
  const { waiting, run } = newest.state;
  return waiting?.why === 'approval' && !run?.open ? (waiting.detail ?? '') : undefined;
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
  await log({ json: false, follow: false }, newest.ref, store, home, (line) => view.quote(line));
}

/** Where there is one. */
export async function showReceipt(scratch: Scratch, view: LiveView): Promise<void> {
  if (!readReceipt(scratch)) return;
  view.heading('$ untildone receipt');
  view.quote(await untildone(scratch, 'receipt'));
}
