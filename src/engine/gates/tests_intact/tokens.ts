/** The words of code that say what a test is about: its names, and its values. */

const WORDS = /[A-Za-z_$][\w$]*|\d[\w.]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/g;

/** Words of languages and of test libraries: every test has them. */
const COMMON = new Set(
  (
    'const let var function return await async new if else for of in is not and or def end do fn func let mut pub void final ' +
    'public static self this true false null nil none undefined import from class assert expect equal equals eq to be ' +
    'toBe toEqual it test describe t err error assert_eq assertEqual assertEquals assert_equal must_equal with as lambda pass string int'
  ).split(' '),
);

export function tokensOf(text: string): Set<string> {
  const found = text.match(WORDS) ?? [];
  return new Set(
    found
      .map((word) => word.replace(/^["'`]|["'`]$/g, ''))
      .filter((word) => word !== '' && !COMMON.has(word)),
  );
}

/** The share of words that two texts have in common. */
export function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size === 0 || right.size === 0) return 0;
  return common(left, right) / Math.max(left.size, right.size);
}

/** The share of words that are also in the others. */
export function coverage(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return words.size === 0 ? 0 : common(words, others) / words.size;
}

function common(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let count = 0;
  for (const word of left) if (right.has(word)) count++;
  return count;
}
