/** What was published of a run, read with the key of the run. */
import type { RunSpec } from '../../core/fleet/spec.ts';
import type { Entry } from '../../core/loop/entry.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import { oneLine } from '../../core/text/clip.ts';
import { type LastLine, lineCheck, nextLine } from '../../home/journal/file.ts';
import type { FleetJob, RunResult } from '../../ports/fleet.ts';
import { keyOfRun, readSpec } from '../secret.ts';
import type { RunFiles } from '../truth/truth.ts';

export const SPEC_FILE = 'spec';
export const JOURNAL_FILE = 'journal.jsonl';
export const CONTRACT_FILE = 'contract.json';
/** Where the run stands, not sealed. It counts only where there is no journal: for a run that ended before it began. */
const META_FILE = 'meta.json';

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
  const meta = metaIn(files);
  const ended = state ? (hasEnded(state) ? resultOf(state, meta) : undefined) : endedEarly(meta);
  return {
    spec: readSpec(sealed, run, key),
    sealed,
    lines,
    last,
    result: ended,
    endedAt: ended && (state ? (state.ending?.at ?? state.lastAt) : meta?.at),
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

interface Meta {
  status: string;
  detail?: string;
  at: number;
  branch?: string;
  head?: string;
  base?: string;
}

function metaIn(files: RunFiles): Meta | undefined {
  try {
    const meta = JSON.parse(files[META_FILE]?.toString('utf8') ?? '') as Meta;
    return typeof meta.status === 'string' && Number.isFinite(meta.at) ? meta : undefined;
  } catch {
    return undefined;
  }
}

const OPEN = new Set(['active', 'paused', 'preparing']);

function endedEarly(meta: Meta | undefined): RunResult | undefined {
  if (!meta || OPEN.has(meta.status)) return undefined;
  return { status: meta.status, cause: meta.detail ?? meta.status, iterations: 0, costUsd: 0, tokens: 0 };
}

function resultOf({ status, ending, iteration, spent }: LoopState, meta: Meta | undefined): RunResult {
  const hasWork = meta?.branch !== undefined && meta.head !== undefined && meta.head !== meta.base;
  return {
    status,
    cause: ending?.cause ?? status,
    iterations: iteration,
    costUsd: spent.costUsd,
    tokens: spent.tokens,
    ...(hasWork ? { branch: meta.branch, commit: meta.head } : {}),
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
  const before = metaIn(files) ?? { v: 1, run, worker: '', iteration: 0, costUsd: 0, tokens: 0 };
  const meta = { ...before, status, detail, at };
  const journal = last && [...lines, nextLine(keyOfRun(run, secret), last, entry, at).text, ''].join('\n');
  return {
    ...files,
    [META_FILE]: Buffer.from(`${JSON.stringify(meta, null, 2)}\n`),
    ...(journal === undefined ? {} : { [JOURNAL_FILE]: Buffer.from(journal) }),
  };
}

/** The files of a run that goes on after it had ended: its next worker says where it stands. */
export function withoutEnd(files: RunFiles): RunFiles {
  const { [META_FILE]: _, ...rest } = files;
  return rest;
}

const TITLE = 120;

/** The first line of a task that says something. */
export function titleOf(task: string): string {
  return oneLine(task.trim().split('\n', 1)[0] ?? '', TITLE);
}

/** The job of a spec. */
export function jobOf(spec: RunSpec, sealed: string): FleetJob {
  const { run, repo, labels, priority, submittedAt, task } = spec;
  return { run, repo, labels, priority, submittedAt, spec: sealed, title: titleOf(task) };
}
