/** The candidate that a misspelt word probably means; undefined when none is near enough. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 64) return undefined;
  const plain = plainly(word);
  if (plain === '') return undefined;
  const same = candidates.find((candidate) => plainly(candidate) === plain);
  if (same !== undefined) return same;
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(plain, plainly(candidate)) }))
    .filter(({ candidate, distance }) => distance <= tolerance(Math.max(plain.length, candidate.length)))
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate ?? candidates.find((candidate) => partOf(plainly(candidate), plain));
}

/** Makes `onUnproven`, `on-unproven` and `on_unproven` the same word. */
function plainly(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function tolerance(length: number): number {
  if (length <= 2) return 0;
  if (length <= 4) return 1;
  return length <= 8 ? 2 : 3;
}

function partOf(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 4 && (a.includes(b) || b.includes(a));
}

/** Insertions, deletions, replacements and swaps of neighbours, one each. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + change,
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1);
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
