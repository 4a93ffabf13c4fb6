/** Tells whether one check says less than another about the same thing. */
import type { Check } from './reading/check.ts';

/** weaker: it says less. bent: it says something else. */
export type Weakening = { how: 'weaker' | 'bent'; words: string };

/** What became of a check that another one replaced; undefined: it says as much. */
export function weakening(before: Check, after: Check): Weakening | undefined {
  const words = `${short(before)} became ${short(after)}`;
  const weaker = (what: string): Weakening => ({ how: 'weaker', words: `${what}: ${words}` });
  if (after.rank < before.rank && !isCloseEnough(before, after)) return weaker('asserts less');
  if (isWiderTolerance(before, after)) return weaker('accepts more');
  if (before.relation === after.relation && before.negated === after.negated) {
    if (before.relation === 'throws' && isWiderFailure(before, after)) return weaker('accepts more failures');
    if (isLooser(before, after)) return weaker('asserts less');
  }
  if (after.wildcards > before.wildcards && !isSubsetOf(before.literals, after.literals))
    return weaker('accepts anything');
  if (before.reach === 'always' && after.reach === 'sometimes') return weaker('checks only on a condition');
  if (isComputed(before, after)) return weaker('expects what the code says');
  if (isStricterMatcher(before.matcher, after.matcher)) return weaker('asserts less');
  if (isReduced(before, after)) return weaker('looks at less');
  if (before.key === after.key) return undefined;
  return { how: 'bent', words };
}

export function short({ text }: Check): string {
  return text.length > 100 ? `${text.slice(0, 97)}...` : text;
}

/** Numbers that computers cannot hold exactly are honestly compared with a tiny tolerance. */
function isCloseEnough(before: Check, after: Check): boolean {
  if (before.relation !== 'equal' || after.relation !== 'near') return false;
  return before.literals.some((text) => /\d\.\d|e-/i.test(text)) && (after.tolerance ?? 0) <= 0.005;
}

function isWiderTolerance(before: Check, after: Check): boolean {
  if (before.relation !== 'near' || after.relation !== 'near') return false;
  return (
    before.tolerance !== undefined &&
    after.tolerance !== undefined &&
    after.tolerance > before.tolerance * 1.000001
  );
}

/** Failures of all kinds. */
const ANY_FAILURE =
  /^(?:[\w.]*[.:])?(?:Exception|BaseException|Error|Throwable|RuntimeException|StandardError|RuntimeError|any)(?:\.class|::class)?$/;

function isWiderFailure(before: Check, after: Check): boolean {
  const [then, now] = [before, after].map(({ expected }) =>
    expected.split(/,\s*(?![^[(]*[\])])/).filter((one) => one !== ''),
  );
  if (!then || !now) return false;
  if (now.length < then.length) return true;
  const isAny = (list: readonly string[]) => list.some((one) => ANY_FAILURE.test(one));
  if (isAny(now) && !isAny(then)) return true;
  return typesIn(after.expected) > typesIn(before.expected) || isShorterText(before, after);
}

/** The number of types in `(ValueError, TypeError)`. */
function typesIn(expected: string): number {
  const list = /\[([^[\]]*)\]/.exec(expected)?.[1];
  return list === undefined ? 1 : list.split(',').length;
}

/** A text or pattern that is a part of the old one fits more. The last thing that is expected is the text. */
function isShorterText(before: Check, after: Check): boolean {
  const [then, now] = [before, after].map(({ expected }) => textOf(expected));
  if (then === undefined || now === undefined || then === now) return false;
  if (ANY_TEXT.test(now)) return !ANY_TEXT.test(then);
  return now.length < then.length && then.includes(now.replace(/^\^|\$$/g, ''));
}

const ANY_TEXT = /^(?:\^?(?:\.[*+]|\\w[+*]|\[\\s\\S\]\*)?\$?)$/;

function textOf(expected: string): string {
  const text =
    /(?:^|, )(?:r|re\.compile\(r?)?("(?:[^"\\]|\\.)*"|\/.*\/[a-z]*)\)?$/.exec(expected)?.[1] ?? expected;
  return text.replace(/^["'/]|["'/][a-z]*$/g, '');
}

function isLooser(before: Check, after: Check): boolean {
  if (before.expected !== '' && after.expected === '' && before.relation !== 'snapshot') return true;
  switch (before.relation) {
    case 'greater':
    case 'less': {
      const [then, now] = [before, after].map(({ expected }) => Number(expected));
      if (then === undefined || now === undefined || Number.isNaN(then) || Number.isNaN(now)) return false;
      return before.relation === 'greater' ? now < then : now > then;
    }
    case 'contains':
    case 'matches':
      return isShorterText(before, after) || isSubset(after.literals, before.literals);
    case 'partial':
      return isSubset(after.literals, before.literals);
    default:
      return false;
  }
}

/** Whether everything that was expected still is. */
function isSubsetOf(part: readonly string[], whole: readonly string[]): boolean {
  return part.length > 0 && part.every((one) => whole.includes(one));
}

function isSubset(part: readonly string[], whole: readonly string[]): boolean {
  return part.length < whole.length && part.every((one) => whole.includes(one));
}

/** The function that a subject calls. */
function functionsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w$.:])([A-Za-z_$][\w$.:]*)\(/g)]
    .map((match) => match[1] ?? '')
    .filter(
      (name) =>
        name.length > 2 &&
        !/^(?:len|str|int|list|dict|set|sorted|String|Number|JSON|parse|stringify|Some|Vec|vec|new|format|Date|Map|Set|Array|Object|float|round|tuple)$/.test(
          name,
        ),
    );
}

/** What is expected comes from the very function that is tested, where it was written out before. */
function isComputed(before: Check, after: Check): boolean {
  if (after.relation !== 'equal' || before.literals.length === 0) return false;
  const tested = functionsIn(after.subject);
  const isFrom = (expected: string) => functionsIn(expected).some((name) => tested.includes(name));
  return isFrom(after.expected) && !isFrom(before.expected) && after.negated === before.negated;
}

const STRICTER: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    toStrictEqual: /^(?:toEqual|toMatchObject|toMatch|toContain)$/,
    strictEqual: /^equals?$/,
    deepStrictEqual: /^deepEqual$/,
    deepEqual: /^like$/,
    assertSame: /^assertEquals$/,
    toHaveBeenCalledOnceWith: /^toHaveBeenCalledWith$/,
    assert_called_once_with: /^assert_(?:called_with|any_call)$/,
    assert_called_once: /^assert_called$/,
    containsExactly: /^contains/,
  }),
);

function isStricterMatcher(before: string, after: string): boolean {
  return STRICTER.get(before)?.test(after) ?? false;
}

const REDUCING =
  /\b(?:toLowerCase|toUpperCase|toLocaleLowerCase|lower|upper|downcase|upcase|casefold|trim|strip|to_lowercase|to_uppercase|ToLower|ToUpper|TrimSpace|round|floor|ceil|trunc|int|Math\.\w+|bool|Boolean|typeof|slice|substring|substr|split|keys|type|length|is_some|is_ok|toFixed|abs|Abs|abs_diff)\b/;

/** The same subject through a function that makes different things alike. */
function isReduced(before: Check, after: Check): boolean {
  if (before.subject === after.subject || before.subject === '' || !after.subject.includes(before.subject))
    return false;
  const around = after.subject.replace(before.subject, ' ');
  return REDUCING.test(around) && !REDUCING.test(before.subject);
}
