/**
 * Regular expressions of a contract, matched against lines that the agent wrote. A pattern that can take exponential time
 * is refused: one crafted line could hang the judging, and no timeout can interrupt a match.
 */

const LONGEST = 500;
const MOST_OPEN_ENDED = 4;
/** Up to so many repetitions take no more time than writing the thing out. */
const FEW = 20;

/** What a valid pattern looks like, for an error; undefined when this one is valid. */
export function patternProblem(source: string): string | undefined {
  if (source.length > LONGEST) return `a pattern of at most ${LONGEST} characters`;
  let pattern: RegExp;
  try {
    pattern = new RegExp(source);
  } catch (error) {
    const [, reason = 'not a regular expression'] = /^.*\/: (.*)$/s.exec((error as Error).message) ?? [];
    return `a valid regular expression (${reason})`;
  }
  const repeats = openEndedRepeats(source);
  if (repeats.nested) return 'a pattern that repeats no group with a repetition or a choice inside';
  if (repeats.count > MOST_OPEN_ENDED) return `a pattern with at most ${MOST_OPEN_ENDED} of *, + and {n,}`;
  if (pattern.test('')) return 'a pattern that does not match an empty line';
  return undefined;
}

interface Group {
  repeats: boolean;
  chooses: boolean;
}

/** Counts repetitions without a small bound, and finds repeated groups with a repetition or a choice inside. */
function openEndedRepeats(source: string): { count: number; nested: boolean } {
  const groups: Group[] = [];
  let group: Group = { repeats: false, chooses: false };
  let closed: Group | undefined;
  let count = 0;
  let nested = false;
  for (const token of tokensOf(source)) {
    const times = repetitions(token);
    nested ||= closed !== undefined && isSlow(closed, times);
    closed = undefined;
    if (times > FEW) {
      count++;
      group.repeats = true;
    } else if (token === '|') group.chooses = true;
    else if (token === '(') {
      groups.push(group);
      group = { repeats: false, chooses: false };
    } else if (token === ')') {
      closed = group;
      group = around(closed, groups.pop());
    }
  }
  return { count, nested };
}

/** Whether repeating this group can take exponential time. */
function isSlow({ repeats, chooses }: Group, times: number): boolean {
  return (repeats && times > 1) || (chooses && times > FEW);
}

/** What repeats or chooses in a group does so in the group around it. */
function around(inner: Group, outer: Group = inner): Group {
  return { repeats: outer.repeats || inner.repeats, chooses: outer.chooses || inner.chooses };
}

/** Escapes and character classes count as one token: what is inside them neither groups nor repeats. */
function tokensOf(source: string): string[] {
  return source.match(/\\.|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|./gs) ?? [];
}

/** How often a quantifier repeats at most; 1 for everything else. */
function repetitions(token: string): number {
  if (token === '*' || token === '+') return Infinity;
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}$/.exec(token) ?? [];
  if (least === undefined) return 1;
  return comma && !most ? Infinity : Number(most || least);
}
