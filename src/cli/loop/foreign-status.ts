import { basename } from 'node:path';
import { hasEnded, type LoopState } from '../../engine/core/loop/state.ts';
import { ALL_FORMATS } from '../../engine/formats/all.ts';
import type { ForeignLoop, Reading, StateFormat, StatePlace } from '../../engine/formats/format.ts';
import type { ForeignStateSeen } from '../../engine/formats/take-up/ports.ts';
import { claimFiles } from '../../engine/home/claims.ts';
import type { Home } from '../../engine/home/layout.ts';
import type { FileStore } from '../../engine/home/store.ts';
import type { Claim } from '../../engine/ports/ports.ts';
import { foreignFiles } from '../../engine/project/files.ts';

export { openForeign } from '../../engine/hook/wiring/foreign.ts';

/** A state file of another system that no active loop stands for, and why. */
export interface ForeignStatus {
  dialect: string;
  path: string;
  text: string;
}

/** Finds the state files here that hold no session, or none yet, so that `status` can tell why. */
export async function foreignStatus(
  place: Omit<StatePlace, 'session'>,
  world: ForeignStatusPorts,
): Promise<ForeignStatus[]> {
  const found: ForeignStatus[] = [];
  for (const format of ALL_FORMATS) {
    const here = { ...place, session: '' };
    const path = format.path(here);
    const text = path === undefined ? undefined : await wordsFor(format, path, here, world);
    if (path !== undefined && text !== undefined) found.push({ dialect: format.name, path, text });
  }
  return found;
}

interface ForeignStatusPorts {
  home: Home;
  store: FileStore;
  needsApproval(one: Pick<ForeignStateSeen, 'format' | 'path' | 'reading'>): Promise<boolean>;
}

async function wordsFor(
  format: StateFormat,
  path: string,
  place: StatePlace,
  { home, store, needsApproval }: ForeignStatusPorts,
): Promise<string | undefined> {
  const reading = format.read(place, foreignFiles);
  if (reading.kind === 'none') return undefined;
  const claim = claimFiles(home).of(path);
  if (reading.kind === 'unusable') return unreadable(reading, claim, store);
  const known = claim?.identity === reading.loop.identity ? claim : undefined;
  const state = known?.loopDir === undefined ? undefined : stateOf(known.loopDir, store);
  if (state && !hasEnded(state)) return undefined;
  const isAsked = !state && reading.loop.rest === undefined;
  if (isAsked && (await needsApproval({ format, path, reading: reading.loop }))) {
    return `holds no session: it came with the repository; to let it hold one: untildone claim ${format.name}`;
  }
  return unheld(reading.loop, known, state, format);
}

/** A file that was damaged in the middle of a loop holds its session a few times, to mend it. */
function unreadable(
  { problem, damage }: Extract<Reading, { kind: 'unusable' }>,
  claim: Claim | undefined,
  store: FileStore,
): string {
  const state = claim?.loopDir === undefined ? undefined : stateOf(claim.loopDir, store);
  const lives = damage !== undefined && state !== undefined && !hasEnded(state);
  return `${lives ? `damaged in the course of loop ${state.loop}` : 'holds no session'}: ${problem}`;
}

function unheld(
  loop: ForeignLoop,
  claim: Claim | undefined,
  state: LoopState | undefined,
  { name }: StateFormat,
): string {
  if (loop.rest !== undefined) return `asks for nothing: ${loop.rest}`;
  if (state)
    return `holds no session: its loop ${state.loop} ended as ${state.status}; to begin anew: untildone claim ${name}`;
  if (loop.owner !== undefined) return `holds session ${loop.owner} from its next event on`;
  if (claim) return `holds session ${claim.session} from its next stop on`;
  if (loop.claimedBy === 'person')
    return `holds no session: it names no session; to bind it: untildone claim ${name}`;
  return 'holds the first session that stops here';
}

function stateOf(loopDir: string, store: FileStore): LoopState | undefined {
  try {
    return store.read({ loop: basename(loopDir), dir: loopDir });
  } catch {
    // An unreadable journal is listed as such among the loops.
    return undefined;
  }
}
