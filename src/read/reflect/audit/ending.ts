/** How the last words of a turn end it. */

/**
 * `claim`: the agent ended its work, and admits nothing. `asked`: it waits for an answer. `admitted`: it says that something is
 * open, fails or was not checked.
 */
export type SaidEnding = 'claim' | 'asked' | 'admitted';

/** Only the end is looked at: that is where an agent says how it stands. */
const LOOKED_AT = 1_500;

/** English alone: what other languages admit counts as a claim. */
const ADMITS: readonly RegExp[] = [
  /\b(?:still|currently|now) (?:fail|fails|failing|broken|red)\b/,
  /\b(?:tests?|checks?|builds?|lint|linter|suites?) (?:still )?(?:fails?|do not pass|does not pass|don't pass|doesn't pass|(?:is|are) (?:still )?(?:failing|red|broken))\b/,
  /\b(?:could not|couldn't|cannot|can't|unable to|not able to|failed to) (?:be )?(?:run|verify|verified|test|tested|check|checked|finish|finished|complete|completed|fix|fixed|reproduce|build|install|resolve|get|make)\b/,
  /\b(?:have not|haven't|has not|hasn't|did not|didn't|not yet|never) (?:been )?(?:run|ran|verified|verify|tested|test|checked|check|finished|finish|completed|complete|executed|execute)\b/,
  /\bnot (?:yet )?(?:done|finished|complete|completed|fixed|verified|tested|working)\b/,
  /\b(?:incomplete|unfinished|untested|unverified|work in progress|blocked (?:on|by)|gave up|giving up)\b/,
  /\b(?:without (?:running|testing|verifying|checking))\b/,
];
/** These say the opposite with the same words. */
const OPPOSITE =
  /\b(?:no longer|nothing|never again|not just|not only|used to|previously|before (?:this|the)|were|was)\b[^.!?\n]{0,60}/g;

export function saidEnding(text: string): SaidEnding {
  const end = text.slice(-LOOKED_AT).trim();
  if (isQuestion(end)) return 'asked';
  const plain = end.toLowerCase().replaceAll('’', "'").replace(OPPOSITE, ' ');
  return ADMITS.some((pattern) => pattern.test(plain)) ? 'admitted' : 'claim';
}

/** The last line that says something ends in a question mark. */
function isQuestion(end: string): boolean {
  const last = end.split('\n').findLast((line) => /\p{L}/u.test(line)) ?? '';
  return /[?？]["'”)*_`\s]{0,5}$/u.test(last);
}
