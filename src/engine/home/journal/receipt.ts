import type { Receipt } from '../../core/loop/receipt.ts';
import { type Home, readKey } from '../layout.ts';
import type { FileStore } from '../store.ts';
import { JournalScan } from './scan.ts';

interface JournalFindings {
  problems: string[];
  /** Lines that do not belong between two lines that follow from each other: torn by a crash, or added. */
  notes: string[];
}

/** Compares the receipt with the journal of its loop, when this machine has it: the journal has to lead to it line by line. */
export async function lookAtJournal(
  receipt: Receipt,
  world: { store: FileStore; home: Home },
): Promise<JournalFindings> {
  const ref = world.store.loops().find((r) => r.loop === receipt.loop);
  if (!ref) return { problems: [], notes: [] };
  const problems: string[] = [];
  const notes: string[] = [];
  let strange: string[] = [];
  let found = false;
  for await (const scanned of new JournalScan(world.store.journalFile(ref), readKey(world.home)).next()) {
    if (!scanned.ok) {
      strange.push(`line ${scanned.number} of the journal: ${scanned.problem}`);
      continue;
    }
    if (scanned.chained) notes.push(...strange);
    else if (strange.length > 0) problems.push(...strange);
    else problems.push(`a line before #${scanned.line.seq} of the journal was removed`);
    strange = [];
    if (scanned.sha256 === receipt.journal.lastLineSha256) found = true;
  }
  if (!found) problems.push('the journal on this machine does not hold the line that this receipt rests on');
  (found ? notes : problems).push(...strange);
  return { problems, notes };
}
