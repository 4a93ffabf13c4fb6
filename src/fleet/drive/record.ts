/** What is published of a run besides the files of its loop. */
import { hasEnded, type LoopState } from '../../engine/core/loop/state.ts';
import type { JournalLine } from '../../engine/home/journal/line.ts';
import { sealedJson, unsealedJson } from '../../engine/home/layout.ts';
import type { RunResult } from '../../engine/ports/fleet.ts';
import type { RunGitRecord } from '../../engine/run/git/record.ts';
import type { RunFiles } from '../remote/remote-runs.ts';

/** Files of a publication that have the name of a file in the folder of the loop. */
export const LOOP_FILES = [
  'journal.jsonl',
  'task.md',
  'contract.json',
  'contract.next.json',
  'run-options.json',
  'receipt.json',
] as const;

export const SPEC = 'spec';
export const META = 'meta.json';
/** Sealed: what the process of a run needs to go on where another one has left it. */
export const RECORD = 'fleet.json';
/** The record of the run's git work, as the home keeps it. */
export const GIT = 'git.json';
/** What the start differs in from the base commit: files that preparing or judging wrote there. */
export const START = 'start.patch';

/** Why a run is left that has not ended. */
export type Rest =
  /** You paused it: only `resume` goes on. */
  | { kind: 'paused'; why: string }
  /** It needs you: an answer goes on, too. */
  | { kind: 'needs_you'; why: string }
  /** For a limit or a budget, or because its worker drains. It goes on by itself. */
  | { kind: 'by_itself'; why: string; untilMs?: number };

export interface FleetRecord {
  v: 1;
  /** The commit that the run began at, with the work of the runs before it. */
  base: string;
  branch: string;
  /** The last commit of the run's branch. Absent before the first publication, and in records of versions before. */
  head?: string;
  /** Commands that were carried out; the newest last. */
  applied: string[];
  /** When the newest of them was asked, by the clock of who asked it. */
  askedAt?: number;
  /** How often it was taken since the last iteration, without having been left in order. */
  takes: number;
  rest?: Rest;
  /** The last publication was made, with the branch for people. */
  finished?: true;
  /** What each published iteration has cost, also where the journal does not know it. */
  spent?: readonly SpentIteration[];
}

/** How a run ended that has no journal, or that nobody worked on when it was cancelled. Sealed. */
export const END = 'end';

export interface RunEnd {
  result: RunResult;
  at: number;
}

export function readEnd(files: RunFiles, run: string, key: string): RunEnd | undefined {
  const text = files[END]?.toString('utf8');
  return text === undefined ? undefined : unsealedJson<RunEnd>(text, endPurpose(run), key);
}

export function renderEnd(end: RunEnd, run: string, key: string): Buffer {
  return Buffer.from(sealedJson(end, endPurpose(run), key));
}

function endPurpose(run: string): string {
  return `end of run ${run}`;
}

export function readRecord(files: RunFiles, run: string, key: string): FleetRecord | undefined {
  const text = files[RECORD]?.toString('utf8');
  const record = text === undefined ? undefined : unsealedJson<FleetRecord>(text, purposeOf(run), key);
  return record?.v === 1 ? record : undefined;
}

/** The last commit of the run's branch, as it was sealed: by the record, or by that of the git work, which versions before had alone. */
export function headIn(files: RunFiles, run: string, key: string): string | undefined {
  const text = files[GIT]?.toString('utf8');
  const git = text === undefined ? undefined : unsealedJson<RunGitRecord>(text, `git ${run}`, key);
  return readRecord(files, run, key)?.head ?? git?.kept?.commit;
}

export function renderRecord(record: FleetRecord, run: string, key: string): Buffer {
  return Buffer.from(sealedJson(record, purposeOf(run), key));
}

function purposeOf(run: string): string {
  return `fleet record of run ${run}`;
}

/** Where a run stands, for whoever does not read its journal. Not sealed: nothing is decided by it. */
export interface RunMeta {
  v: 1;
  run: string;
  worker: string;
  status: string;
  iteration: number;
  costUsd: number;
  tokens: number;
  /** The last commit of the run's branch. */
  head?: string;
  base?: string;
  branch?: string;
  cause?: string;
  detail?: string;
  rest?: Rest;
  at: number;
}

export function metaOf(
  state: LoopState,
  more: Pick<RunMeta, 'worker' | 'head' | 'base' | 'branch' | 'rest' | 'costUsd' | 'at'>,
): RunMeta {
  const { loop, status, iteration, spent, ending } = state;
  return {
    v: 1,
    run: loop,
    status,
    iteration,
    tokens: spent.tokens,
    ...(ending ? { cause: ending.cause, detail: ending.detail } : {}),
    ...more,
  };
}

/** What an iteration has cost, and when it was judged. */
export interface SpentIteration {
  iteration: number;
  usd: number;
  at: number;
  /** What was spent after this iteration, when the run ended. */
  end?: true;
}

/** Whether the last Stop only left a hand-over note. Where every session is a fresh one, it is the Stop of an iteration. */
export function isNote({ run }: LoopState): boolean {
  return run?.handOver === 'given' && run.mode !== 'fresh';
}

/** The iterations of a journal, each with what was spent since the one before. A hand-over note is none. */
export function iterationsIn(
  lines: readonly Pick<JournalLine, 'entry' | 'state' | 'at'>[],
): SpentIteration[] {
  let before = 0;
  let iteration = 0;
  return lines.flatMap(({ entry, state, at }) => {
    if (entry.kind !== 'stop' || isNote(state)) return [];
    const usd = Math.max(0, state.spent.costUsd - before);
    before = state.spent.costUsd;
    iteration += 1;
    return [{ iteration, usd, at: Date.parse(at) }];
  });
}

export function renderMeta(meta: RunMeta): Buffer {
  return Buffer.from(`${JSON.stringify(meta, null, 2)}\n`);
}

export function resultOf(state: LoopState, work: { branch?: string; commit?: string }): RunResult {
  const { status, ending, iteration, spent } = state;
  return {
    status: hasEnded(state) ? status : 'paused',
    cause: ending?.cause ?? status,
    iterations: iteration,
    costUsd: spent.costUsd,
    tokens: spent.tokens,
    ...work,
  };
}

/** What only says something about this worker: another one, or this one later, goes on where the run was published. */
const OF_THE_MACHINE = new Set(['auth', 'billing']);

export function refuseForMachine({ status, ending }: LoopState): void {
  if (status === 'failed' && ending && OF_THE_MACHINE.has(ending.cause))
    throw new Error(`Claude Code cannot work on this worker (${ending.cause}): ${ending.detail}`);
}
