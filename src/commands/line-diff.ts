const CONTEXT = 3;
/** Above this many cells a changed middle is shown as replaced whole; nobody reads a diff of that size. */
const MOST_CELLS = 4_000_000;

interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** A unified diff of two texts, without file names; empty when they are equal. `undefined` is a file that is not there. */
export function lineDiff(before: string | undefined, after: string | undefined): string[] {
  if (before === after) return [];
  const lines = compare(split(before), split(after));
  const shown = lines.map((_line, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((near) => near.sign !== ' '),
  );
  const out: string[] = [];
  let [oldLine, newLine] = [1, 1];
  lines.forEach((line, at) => {
    if (shown[at] && !shown[at - 1]) {
      const end = shown.indexOf(false, at);
      const hunk = lines.slice(at, end === -1 ? undefined : end);
      const count = (sign: '-' | '+') =>
        hunk.filter((each) => each.sign === ' ' || each.sign === sign).length;
      out.push(`@@ -${range(oldLine, count('-'))} +${range(newLine, count('+'))} @@`);
    }
    if (shown[at]) out.push(line.sign + line.text);
    if (line.sign !== '+') oldLine++;
    if (line.sign !== '-') newLine++;
  });
  return out;
}

function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

/** A last line without its end is another line than one with it, as in every diff. */
function split(text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop()}\n\\ No newline at end of file`);
  return lines;
}

function compare(before: string[], after: string[]): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const same = (text: string): Line => ({ sign: ' ', text });
  return [
    ...before.slice(0, head).map(same),
    ...compareMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

/** The longest common subsequence, walked from the front; removed lines come before added ones. */
function compareMiddle(before: string[], after: string[]): Line[] {
  const common = before.length * after.length > MOST_CELLS ? undefined : commonLengths(before, after);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old, fresh] = [before[i], after[j]];
    if (old !== undefined && old === fresh && common !== undefined) {
      lines.push({ sign: ' ', text: old });
      i++;
      j++;
    } else if (
      old !== undefined &&
      (fresh === undefined || (common?.(i + 1, j) ?? 0) >= (common?.(i, j + 1) ?? 0))
    ) {
      lines.push({ sign: '-', text: old });
      i++;
    } else if (fresh !== undefined) {
      lines.push({ sign: '+', text: fresh });
      j++;
    }
  }
  return lines;
}

function commonLengths(before: string[], after: string[]): (i: number, j: number) => number {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const longest = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      lengths[i * width + j] = longest;
    }
  }
  return at;
}
