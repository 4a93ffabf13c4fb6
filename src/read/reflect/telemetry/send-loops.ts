/** Sends loops that have ended, from their journals, outside of any hook. Each is sent once. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasEnded } from '../../../engine/core/loop/state.ts';
import { writeWhole } from '../../../engine/files/whole-file.ts';
import { JournalScan } from '../../../engine/home/journal/scan.ts';
import { type Home, readKey } from '../../../engine/home/layout.ts';
import type { FileStore } from '../../../engine/home/store.ts';
import type { LoopRef } from '../../../engine/ports/ports.ts';
import type { TelemetryExport } from './export.ts';
import { type FinishedSpan, SpanBuilder } from './spans.ts';

export interface SentLoops {
  sent: number;
  spans: number;
  /** They were sent before. */
  known: number;
  /** They have not ended yet. */
  open: number;
  unreadable: number;
  problem?: string;
}

const CLOSE_MS = 15_000;

export async function sendLoops(
  loops: readonly LoopRef[],
  since: number,
  { home, store }: { home: Home; store: Pick<FileStore, 'journalFile' | 'read'> },
  telemetry: TelemetryExport,
): Promise<SentLoops> {
  const found: SentLoops = { sent: 0, spans: 0, known: 0, open: 0, unreadable: 0 };
  const sent: LoopRef[] = [];
  for (const ref of loops) {
    try {
      const state = store.read(ref);
      if (!hasEnded(state)) found.open++;
      else if ((state.ending?.at ?? state.lastAt) < since) continue;
      else if (existsSync(sentMark(ref))) found.known++;
      else {
        found.spans += await sendLoop(store.journalFile(ref), ref, readKey(home), telemetry);
        sent.push(ref);
      }
    } catch {
      found.unreadable++;
    }
  }
  found.problem = await telemetry.close(CLOSE_MS);
  if (found.problem !== undefined) return found;
  for (const ref of sent) markSent(ref);
  return { ...found, sent: sent.length };
}

const AT_ONCE = 500;

async function sendLoop(
  path: string,
  { loop }: LoopRef,
  key: string,
  telemetry: TelemetryExport,
): Promise<number> {
  const builder = new SpanBuilder(loop);
  let waiting: FinishedSpan[] = [];
  let count = 0;
  const send = async () => {
    telemetry.send(waiting);
    count += waiting.length;
    waiting = [];
    await telemetry.settled();
  };
  for await (const scanned of new JournalScan(path, key).next()) {
    if (scanned.ok) waiting.push(...builder.line(scanned.line));
    if (waiting.length >= AT_ONCE) await send();
  }
  waiting.push(...builder.finish());
  await send();
  return count;
}

function sentMark({ dir }: LoopRef): string {
  return join(dir, 'telemetry.json');
}

/** Remembers that a loop was sent. Never throws: at worst it is sent again, as the same spans. */
export function markSent(ref: LoopRef): void {
  try {
    writeWhole(sentMark(ref), `${JSON.stringify({ v: 1, sent: new Date().toISOString() })}\n`);
  } catch {
    // As above.
  }
}
