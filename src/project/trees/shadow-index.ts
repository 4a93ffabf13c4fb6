/** The index of the shadow as a file: a cache that is copied, replaced whole, and may be lost at any time. */
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readSmall } from '../../files/whole-file.ts';

const LEFTOVER_MS = 3_600_000;

/** What tells a file from what replaced it, of an index and of its copy. */
export interface CopiedIndex {
  original: string;
  copy: string | undefined;
}

/** Undefined when there is nothing to copy. */
export function copyIndex(from: string, to: string): CopiedIndex | undefined {
  let fd: number;
  try {
    fd = openSync(from, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(fd, { bigint: true });
    writeFileSync(to, readFileSync(fd), { mode: 0o600 });
    // Git doubts entries as young as the index itself. A copy must not look younger than its original.
    const seconds = (Number(stat.mtimeMs) - 2) / 1000;
    utimesSync(to, seconds, seconds);
    return { original: `${stat.ino}-${stat.mtimeNs}`, copy: identityOf(to) };
  } finally {
    closeSync(fd);
  }
}

export function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino}-${stat.mtimeNs}`;
}

/** An index in which nothing is ignored and untracked, the tree it made, and what the user's repository tracked then. */
export interface Settled {
  tree: string;
  stamp: string;
  index: string;
}

function settledFile(indexFile: string): string {
  return `${indexFile}.settled`;
}

/** A line that cannot be read, or is torn, fits nothing: it costs a second look, no more. */
export function readSettled(indexFile: string): Settled | undefined {
  try {
    const [tree, stamp, index] = (readSmall(settledFile(indexFile), 1024) ?? '').trim().split(' ');
    return tree && stamp && index ? { tree, stamp, index } : undefined;
  } catch {
    return undefined;
  }
}

export function writeSettled(indexFile: string, last: Settled | undefined, now: Settled): void {
  if (last?.tree === now.tree && last.stamp === now.stamp && last.index === now.index) return;
  writeFileSync(settledFile(indexFile), `${now.tree} ${now.stamp} ${now.index}\n`, { mode: 0o600 });
  sweepLeftovers(indexFile);
}

/** The tree of `copied`, when nothing that it depended on has changed since it was settled. */
export function settledBefore(
  settled: Settled | undefined,
  stamp: string,
  copied: CopiedIndex | undefined,
): string | undefined {
  return settled?.stamp === stamp && settled.index === copied?.original ? settled.tree : undefined;
}

/** Files of calls that were killed. The time of last change is no measure: a copy has that of its original. */
function sweepLeftovers(indexFile: string): void {
  const prefix = `${basename(indexFile)}.`;
  const folder = dirname(indexFile);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(prefix) || !/^\d+-[0-9a-f]{8}(\.lock|\.exclude)?$/.test(name.slice(prefix.length)))
      continue;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.ctimeMs > LEFTOVER_MS) rmSync(path, { force: true });
  }
}
