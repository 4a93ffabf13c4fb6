/** A file's change as a unified diff. Pure. */

const CONTEXT = 3;

interface Line {
  mark: ' ' | '-' | '+';
  text: string;
  /** Numbers, from 1, of the line in the old and in the new text; of the next one where it is missing. */
  old: number;
  now: number;
}

/**
 * `addedLines` are the numbers, from 1, of lines of `after` that are new. What is left of `after` is found again in
 * `before`, in order; what is not found was removed. When they do not fit together, everything counts as rewritten.
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

/** Undefined when a line that is said to be old is not among the old ones. */
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

/** The changed lines with a few unchanged ones around them. */
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
