/** The loops of the past, as their journals tell them: what was said at each Stop, and about which tree. */

import type { Contract } from '../../core/contract/contract.ts';
import type { StartedEntry } from '../../core/loop/entry.ts';
import type { Decision } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { JournalScan } from '../../home/journal/scan.ts';
import { type Home, readKey } from '../../home/layout.ts';
import type { FileStore } from '../../home/store.ts';
import type { LoopRef } from '../../ports/ports.ts';

export interface PastLoop {
  loop: string;
  startedAt: number;
  status: string;
  task: string;
  /** Folders whose trees may hold those of this loop, the likeliest first. */
  projects: string[];
  /** The contract that it was judged by. */
  contract: Contract;
  baseTree?: string;
  stops: PastStop[];
}

export interface PastStop {
  iteration: number;
  at: number;
  tree?: string;
  decision: Decision;
  verdicts: Verdict[];
}

/** Reads the Stops of a loop that were judged. Lines that others wrote do not count. */
export async function pastLoop(ref: LoopRef, store: FileStore, home: Home): Promise<PastLoop> {
  const { contract, frozen } = store.contract(ref);
  const { status, startedAt } = store.read(ref);
  let started: StartedEntry | undefined;
  let iteration = 1;
  const stops: PastStop[] = [];
  for await (const scanned of new JournalScan(store.journalFile(ref), readKey(home)).next()) {
    if (!scanned.ok) continue;
    const { entry, state, at } = scanned.line;
    if (entry.kind === 'started') started = entry;
    if (entry.kind === 'stop' && entry.verdicts.length > 0) {
      const { seen, decision, verdicts } = entry;
      stops.push({ iteration, at: Date.parse(at), tree: seen.tree, decision, verdicts });
    }
    iteration = state.iteration;
  }
  return {
    loop: ref.loop,
    startedAt,
    status,
    task: store.taskDigest(ref).preview,
    projects: [...new Set([frozen.project, ...(started ? [started.project] : [])])],
    contract,
    baseTree: started?.baseTree,
    stops,
  };
}
