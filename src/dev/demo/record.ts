/** What a demo leaves in the scratch home, read from there. */

import { parseReceipt } from '../../cli/contract/receipt.ts';
import { readSmall } from '../../files/whole-file.ts';
import { JournalScan, type Scanned } from '../../home/journal/scan.ts';
import { homeAt, readKey } from '../../home/layout.ts';
import type { SignedReceipt } from '../../home/receipts.ts';
import { FileStore } from '../../home/store.ts';
import { type Found, readLoops } from '../../hook/start/find-loop.ts';
import { systemClock } from '../../hook/wiring/ports.ts';
import type { Scratch } from './scratch.ts';

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
  // A loop that is just being made cannot be read yet.
  if (!newest || !('state' in newest)) return undefined;
  const { waiting, run } = newest.state;
  return waiting?.why === 'approval' && !run?.open ? (waiting.detail ?? '') : undefined;
}
