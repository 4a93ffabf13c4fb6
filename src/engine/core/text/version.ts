/** Whether a version is newer than another, by its numbers. A pre-release (`1.2.0-beta`) is older than its release. */
export function newerThan(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)];
  for (let index = 0; index < 3; index++) {
    const difference = (a.numbers[index] ?? 0) - (b.numbers[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  if (a.pre === b.pre) return false;
  return a.pre === '' || (b.pre !== '' && a.pre > b.pre);
}

function partsOf(version: string): { numbers: number[]; pre: string } {
  const match = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([^+\s]+))?/.exec(version);
  return { numbers: (match?.slice(1, 4) ?? []).map((part) => Number(part ?? 0)), pre: match?.[4] ?? '' };
}
