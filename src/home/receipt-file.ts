/**
 * Where the receipt of a loop lies. It is written under another name first, then the ending into the journal, then it is put
 * in place. So no loop is done without a receipt, and none has a receipt before it is done. The hook loads this at every
 * event, and what signs receipts only at an ending.
 */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';

export function receiptFile(dir: string): string {
  return join(dir, 'receipt.json');
}

export function nextReceiptFile(dir: string): string {
  return join(dir, 'receipt.next.json');
}

/** Puts the receipt in place, now that its ending is in the journal. */
export function placeReceipt(dir: string): void {
  renameSync(nextReceiptFile(dir), receiptFile(dir));
}

/** Puts a receipt in place that a crash left under its first name. Only for a loop that is done. Never throws. */
export function placeLeftReceipt(dir: string): void {
  try {
    if (!existsSync(receiptFile(dir)) && existsSync(nextReceiptFile(dir))) placeReceipt(dir);
  } catch {
    // It is put in place the next time.
  }
}
