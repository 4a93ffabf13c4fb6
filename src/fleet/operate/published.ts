/** What was published of a run, read with the key of the run. */
import { type RunSpec, titleOf } from '../../engine/core/fleet/spec.ts';
import type { Entry } from '../../engine/core/loop/entry.ts';
import { hasEnded, isDone, type LoopState } from '../../engine/core/loop/state.ts';
import { type LastLine, lineCheck, nextLine } from '../../engine/home/journal/file.ts';
import type { FleetJob, RunResult } from '../../engine/ports/fleet.ts';
import { END, headIn, META, readEnd, readRecord, renderEnd } from '../drive/record.ts';
import type { RunFiles } from '../remote/remote-runs.ts';
import { keyOfRun, readSpec } from '../secret.ts';

export const SPEC_FILE = 'spec';
export const JOURNAL_FILE = 'journal.jsonl';
export const CONTRACT_FILE = 'contract.json';
export interface Published {
  /** Absent where its seal does not fit: the run was submitted with another secret. */
  spec?: RunSpec;
  /** The sealed spec, as it goes on the queue. */
  sealed: string;
  lines: string[];
  last?: LastLine;
  result?: RunResult;
  endedAt?: number;
}

export function publishedOf(run: string, files: RunFiles, secret: string): Published {
  const key = keyOfRun(run, secret);
  const sealed = files[SPEC_FILE]?.toString('utf8') ?? '';
  const lines = (files[JOURNAL_FILE]?.toString('utf8') ?? '').split('\n').filter((line) => line !== '');
  const last = lastLine(run, lines, key);
  const state = last?.line.state;
  const early = state ? undefined : (readEnd(files, run, key) ?? endedEarly(metaIn(files)));
  const ended = state && hasEnded(state) ? resultOf(state, workIn(files, run, key)) : early?.result;
  return {
    spec: readSpec(sealed, run, key),
    sealed,
    lines,
    last,
    result: ended,
    endedAt: ended && (state ? (state.ending?.at ?? state.lastAt) : early?.at),
  };
}

function lastLine(run: string, lines: readonly string[], key: string): LastLine | undefined {
  const check = lineCheck(`${run}/${JOURNAL_FILE}`, key);
  for (let at = lines.length - 1; at >= 0; at--) {
    const text = lines[at] ?? '';
    const line = check(text);
    if (line) return { line, text };
  }
  return undefined;
}

/** Where the run stands, not sealed. */
interface Meta {
  status: string;
  detail?: string;
  at: number;
}

function metaIn(files: RunFiles): Meta | undefined {
  try {
    const meta = JSON.parse(files[META]?.toString('utf8') ?? '') as Meta;
    return typeof meta.status === 'string' && Number.isFinite(meta.at) ? meta : undefined;
  } catch {
    return undefined;
  }
}

const OPEN = new Set(['active', 'paused', 'preparing']);

/** Versions before wrote no sealed end where a run was ended by a command. That a run is done, only a seal can say. */
function endedEarly(meta: Meta | undefined): { result: RunResult; at: number } | undefined {
  if (!meta || OPEN.has(meta.status) || isDone(meta.status)) return undefined;
  const { status, detail = status, at } = meta;
  return { result: { status, cause: detail, iterations: 0, costUsd: 0, tokens: 0 }, at };
}

/** The branch with the work of a run, and its last commit, as its worker sealed them. */
function workIn(files: RunFiles, run: string, key: string): { branch: string; commit: string } | undefined {
  const record = readRecord(files, run, key);
  const commit = headIn(files, run, key);
  const hasWork = record && record.branch !== '' && commit !== undefined && commit !== record.base;
  return hasWork ? { branch: record.branch, commit } : undefined;
}

function resultOf(
  { status, ending, iteration, spent }: LoopState,
  work: { branch: string; commit: string } | undefined,
): RunResult {
  return {
    status,
    cause: ending?.cause ?? status,
    iterations: iteration,
    costUsd: spent.costUsd,
    tokens: spent.tokens,
    ...work,
  };
}

/** The files of a run that a person ended while nobody worked on it. */
export function withEnd(
  run: string,
  files: RunFiles,
  { status, entry, detail }: { status: string; entry: Entry; detail: string },
  secret: string,
  at: number,
): RunFiles {
  const { last, lines } = publishedOf(run, files, secret);
  const key = keyOfRun(run, secret);
  const result = { status, cause: detail, iterations: 0, costUsd: 0, tokens: 0 };
  const before = metaIn(files) ?? { v: 1, run, worker: '', iteration: 0, costUsd: 0, tokens: 0 };
  const meta = { ...before, status, detail, at };
  const journal = last && [...lines, nextLine(key, last, entry, at).text, ''].join('\n');
  return {
    ...files,
    [META]: Buffer.from(`${JSON.stringify(meta, null, 2)}\n`),
    ...(journal === undefined
      ? { [END]: renderEnd({ result, at }, run, key) }
      : { [JOURNAL_FILE]: Buffer.from(journal) }),
  };
}

/** The files of a run that goes on after it had ended: its next worker says where it stands. */
export function withoutEnd(files: RunFiles): RunFiles {
  const { [META]: _, [END]: __, ...rest } = files;
  return rest;
}

/** The job of a spec. */
export function jobOf(spec: RunSpec, sealed: string): FleetJob {
  const { run, repo, labels, priority, submittedAt, task } = spec;
  return { run, repo, labels, priority, submittedAt, spec: sealed, title: titleOf(task) };
}
