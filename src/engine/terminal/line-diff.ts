import { type StructuredPatch, structuredPatch } from 'diff';

const CONTEXT = 3;
/** Texts that differ in more lines are shown as one replacement, because nobody reads such a diff. */
const MOST_CHANGES = 2_000;

/** A unified diff of two texts, without file names; empty when they are equal. `undefined` stands for a missing file. */
export function renderDiff(before = '', after = ''): string[] {
  const options = { context: CONTEXT, maxEditLength: MOST_CHANGES };
  const patch =
    structuredPatch('', '', before, after, undefined, undefined, options) ?? replaced(before, after);
  return patch.hunks.flatMap((hunk) => [
    `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`,
    ...hunk.lines,
  ]);
}

/** One hunk that removes all lines of the old text and adds all lines of the new one. */
function replaced(before: string, after: string): Pick<StructuredPatch, 'hunks'> {
  const halves = [...structuredPatch('', '', before, '').hunks, ...structuredPatch('', '', '', after).hunks];
  const count = (key: 'oldLines' | 'newLines') => halves.reduce((sum, half) => sum + half[key], 0);
  const lines = halves.flatMap((half) => half.lines);
  return {
    hunks: [{ oldStart: 1, oldLines: count('oldLines'), newStart: 1, newLines: count('newLines'), lines }],
  };
}

function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}
