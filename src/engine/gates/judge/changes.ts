import { keepShort } from '../../core/text/clip.ts';
import type { FileChange, Workspace } from '../../ports/ports.ts';

interface ChangesText {
  text: string;
  /** Whether nothing was left out or cut. */
  whole: boolean;
}

/** How many files are shown with their diff. More are only named. */
const READ_FILES = 200;
const NAMED_FILES = 500;
const AT_ONCE = 8;

interface ShownFile {
  heading: string;
  body: string;
}

/** The changes between two trees, as a list of files and a diff of at most `limit` characters. `only`: of these files. */
export async function describeChanges(
  workspace: Workspace,
  from: string,
  to: string,
  limit: number,
  only?: readonly string[],
): Promise<ChangesText> {
  const all = await workspace.changes(from, to);
  const changes = only ? all.filter(({ path }) => only.includes(path)) : all;
  if (changes.length === 0) return { text: 'No file was changed.', whole: true };
  const added = await addedNumbers(workspace, from, to);
  const read = changes.slice(0, READ_FILES);
  const files: ShownFile[] = [];
  for (let at = 0; at < read.length; at += AT_ONCE) {
    const some = read.slice(at, at + AT_ONCE);
    files.push(...(await Promise.all(some.map((change) => showFile(workspace, from, to, change, added)))));
  }
  const share = fairShare(
    files.map(({ body }) => body.length),
    limit,
  );
  const whole = changes.length === read.length && files.every(({ body }) => body.length <= share);
  const diffs = files.map(({ heading, body }) => `${heading}\n${keepShort(body, share)}`);
  return { text: [listOf(changes), ...diffs].join('\n\n'), whole };
}

async function addedNumbers(
  workspace: Workspace,
  from: string,
  to: string,
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const numbers = new Map<string, Set<number>>();
  for (const { path, line } of await workspace.addedLines(from, to)) {
    const known = numbers.get(path);
    if (known) known.add(line);
    else numbers.set(path, new Set([line]));
  }
  return numbers;
}

async function showFile(
  workspace: Workspace,
  from: string,
  to: string,
  change: FileChange,
  added: ReadonlyMap<string, ReadonlySet<number>>,
): Promise<ShownFile> {
  const heading = `=== ${nameOf(change)}`;
  const [before = '', after = ''] = await Promise.all([
    change.change === 'added' ? '' : workspace.contentAt(from, change.from ?? change.path),
    change.change === 'deleted' ? '' : workspace.contentAt(to, change.path),
  ]);
  if (before.includes('\0') || after.includes('\0')) return { heading, body: '(not text)' };
  const body = unifiedDiff(before, after, added.get(change.path) ?? new Set());
  return { heading, body: body === '' ? '(no line changed)' : body };
}

function nameOf({ change, path, from }: FileChange): string {
  return from === undefined ? `${change} ${path}` : `${change} ${from} -> ${path}`;
}

function listOf(changes: readonly FileChange[]): string {
  const names = changes.slice(0, NAMED_FILES).map(nameOf);
  const more = changes.length > names.length ? [`and ${changes.length - names.length} more`] : [];
  return [`${changes.length} changed:`, ...names, ...more].join('\n');
}

/** The length to which files are cut so that together they fit the limit. The longest are cut first. */
export function fairShare(lengths: readonly number[], limit: number): number {
  let left = limit;
  const ascending = [...lengths].sort((a, b) => a - b);
  for (const [at, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at));
    if (length > share) return share;
    left -= length;
  }
  return limit;
}

const CONTEXT = 3;

interface Line {
  mark: ' ' | '-' | '+';
  text: string;
  /** The line numbers in the old and the new text, from 1. Where a text does not have the line, that of its next line. */
  old: number;
  now: number;
}

/**
 * A unified diff. `addedLines` are the numbers, from 1, of the new lines of `after`. The other lines of `after` are found
 * in `before`, in order; lines of `before` that are not found were removed. When the texts and the numbers do not fit
 * together, everything counts as rewritten.
 */
export function unifiedDiff(before: string, after: string, addedLines: ReadonlySet<number>): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const lines = aligned(old, now, (number) => addedLines.has(number)) ?? aligned(old, now, () => true) ?? [];
  return hunksOf(lines).map(renderHunk).join('\n');
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** The lines of both texts in one order; undefined when the texts and the added lines do not fit together. */
function aligned(
  old: readonly string[],
  now: readonly string[],
  isAdded: (number: number) => boolean,
): Line[] | undefined {
  const lines: Line[] = [];
  let [oldAt, nowAt] = [0, 0];
  while (nowAt < now.length || oldAt < old.length) {
    let kept = nowAt;
    while (kept < now.length && isAdded(kept + 1)) kept += 1;
    const found = kept < now.length ? old.indexOf(now[kept] ?? '', oldAt) : old.length;
    if (found === -1) return undefined;
    for (; oldAt < found; oldAt++) lines.push(line('-', old[oldAt], oldAt, nowAt));
    for (; nowAt < kept; nowAt++) lines.push(line('+', now[nowAt], oldAt, nowAt));
    if (nowAt === now.length) break;
    lines.push(line(' ', now[nowAt], oldAt, nowAt));
    oldAt += 1;
    nowAt += 1;
  }
  return lines;
}

function line(mark: Line['mark'], text: string | undefined, oldAt: number, nowAt: number): Line {
  return { mark, text: text ?? '', old: oldAt + 1, now: nowAt + 1 };
}

/** The changed lines, each with a few unchanged lines around it. */
function hunksOf(lines: readonly Line[]): Line[][] {
  const shown = new Set<number>();
  lines.forEach(({ mark }, at) => {
    if (mark === ' ') return;
    for (let near = at - CONTEXT; near <= at + CONTEXT; near++) shown.add(near);
  });
  const hunks: Line[][] = [];
  lines.forEach((shownLine, at) => {
    if (!shown.has(at)) return;
    const last = shown.has(at - 1) ? hunks.at(-1) : undefined;
    if (last) last.push(shownLine);
    else hunks.push([shownLine]);
  });
  return hunks;
}

function renderHunk(hunk: readonly Line[]): string {
  const [first] = hunk;
  const head = `@@ -${first?.old ?? 0} +${first?.now ?? 0} @@`;
  return [head, ...hunk.map(({ mark, text }) => `${mark}${text}`)].join('\n');
}
