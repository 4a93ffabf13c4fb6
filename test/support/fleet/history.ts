/** What a remote holds about a run, read with git alone: none of our own code stands between the test and the truth. */
import { execFileSync, spawnSync } from 'node:child_process';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import type { LoopState } from '../../../src/engine/core/loop/state.ts';
import { sha256 } from '../../../src/engine/files/digest.ts';
import { lineCheck, NO_PREVIOUS } from '../../../src/engine/home/journal/file.ts';
import { type JournalLine, parseLine } from '../../../src/engine/home/journal/line.ts';
import { keyOfRun } from '../../../src/fleet/secret.ts';
import { MADE } from './score.ts';

export function git(remote: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: remote, encoding: 'utf8', maxBuffer: 1 << 28 }).trim();
}

const PREFIX = 'refs/untildone/runs/';

/** The ids of all runs that a remote knows. */
export function runsOf(remote: string): string[] {
  const names = git(remote, 'for-each-ref', '--format=%(refname)', PREFIX).split('\n').filter(Boolean);
  return [...new Set(names.map((name) => name.slice(PREFIX.length).split('/')[0] ?? ''))];
}

export interface History {
  /** The commits of the journal, oldest first. */
  commits: string[];
  lines: JournalLine[];
  entries: Entry[];
  state: LoopState;
  work: string;
}

/** Everything about a run, and whether it hangs together. Throws where it does not. */
export function historyOf(remote: string, run: string, secret: string): History {
  const journal = `${PREFIX}${run}/journal`;
  const commits = linearCommits(remote, journal);
  const texts = commits.map((commit) => fileOf(remote, commit, 'journal.jsonl') ?? '');
  texts.forEach((text, i) => {
    const before = texts[i - 1] ?? '';
    if (!text.startsWith(before)) throw new Error(`${run}: publication ${i + 1} rewrites what was published`);
  });
  const lines = wholeLines(texts.at(-1) ?? '', run, keyOfRun(run, secret));
  const last = lines.at(-1);
  if (!last) throw new Error(`${run}: its journal is empty`);
  const work = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${PREFIX}${run}/work`], {
    cwd: remote,
    encoding: 'utf8',
  }).stdout.trim();
  return { commits, lines, entries: lines.map(({ entry }) => entry), state: last.state, work };
}

/** No merges, and every commit on top of the one before. */
function linearCommits(remote: string, ref: string): string[] {
  const rows = git(remote, 'log', '--reverse', '--topo-order', '--format=%H %P', ref).split('\n');
  const commits = rows.map((row) => row.split(' ').filter(Boolean));
  commits.forEach(([commit, ...parents], i) => {
    const expected = i === 0 ? [] : [commits[i - 1]?.[0]];
    if (parents.join() !== expected.join()) throw new Error(`${ref}: ${commit} has the parents ${parents}`);
  });
  return commits.map(([commit = '']) => commit);
}

function fileOf(remote: string, commit: string, path: string): string | undefined {
  const shown = spawnSync('git', ['cat-file', 'blob', `${commit}:${path}`], {
    cwd: remote,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return shown.status === 0 ? shown.stdout : undefined;
}

/** A file of the last publication of a run. */
export function publishedFile(remote: string, run: string, path: string): string | undefined {
  return fileOf(remote, `${PREFIX}${run}/journal`, path);
}

/** Sequence numbers without a gap, the chain unbroken, every seal that of the run. */
function wholeLines(text: string, run: string, key: string): JournalLine[] {
  const check = lineCheck(`/${run}/journal.jsonl`, key);
  let previous = NO_PREVIOUS;
  return text
    .split('\n')
    .filter(Boolean)
    .map((row, i) => {
      const parsed = parseLine(row);
      if (!parsed.ok) throw new Error(`${run}: line ${i + 1}: ${parsed.problem}`);
      const { line } = parsed;
      if (line.seq !== i + 1) throw new Error(`${run}: line ${i + 1} has the number ${line.seq}`);
      if (line.prev !== previous) throw new Error(`${run}: line ${i + 1} does not follow the one before`);
      if (!check(row)) throw new Error(`${run}: the seal of line ${i + 1} is not that of the run`);
      previous = sha256(row);
      return line;
    });
}

/**
 * The pieces that the Stops found missing, in order; the last Stop finds none. A played session makes one piece an
 * iteration, so an iteration that was recorded twice shows as a piece twice, and a lost one as a gap.
 */
export function piecesJudged({ entries }: History): number[] {
  return entries.flatMap((entry) => {
    if (entry.kind !== 'stop') return [];
    const missing = /piece (\d+) is missing/.exec(JSON.stringify(entry.verdicts))?.[1];
    return [missing === undefined ? Number.POSITIVE_INFINITY : Number(missing)];
  });
}

/** The pieces in the published workspace. */
export function piecesMade(remote: string, commit: string): number[] {
  return (fileOf(remote, commit, MADE) ?? '').split('\n').filter(Boolean).map(Number);
}

export function isAncestor(remote: string, ancestor: string, commit: string): boolean {
  return (
    spawnSync('git', ['merge-base', '--is-ancestor', ancestor, commit], { cwd: remote, stdio: 'ignore' })
      .status === 0
  );
}
