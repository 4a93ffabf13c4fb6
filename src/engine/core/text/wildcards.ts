/**
 * Matches whole texts with wildcards in time that is linear in the text, whatever the pattern holds: all ways to match are
 * followed at once, none twice.
 */

/** A text that stands for itself, a wildcard, or a choice. */
export type Wildcard =
  | { kind: 'text'; text: string }
  /** One character that is no slash. */
  | { kind: 'one' }
  /** Any number of characters without a slash. */
  | { kind: 'name' }
  /** Any number of characters. */
  | { kind: 'path' }
  /** Nothing, or any number of characters up to a slash. */
  | { kind: 'folders' }
  | { kind: 'choice'; of: readonly Wildcard[][] };

const SLASH = 0x2f;
const ANY = -1;
const NO_SLASH = -2;

/** Takes one character and goes on, goes on in several ways without one, or ends. */
type State =
  | { kind: 'takes'; code: number; next: number }
  | { kind: 'splits'; to: number[] }
  | { kind: 'ends' };

export function wildcardMatcher(pattern: readonly Wildcard[]): (text: string) => boolean {
  const states: State[] = [{ kind: 'ends' }];
  const start = addAll(states, pattern, 0);
  return (text) => accepts(states, start, text);
}

function add(states: State[], state: State): number {
  states.push(state);
  return states.length - 1;
}

/** Adds the states of a pattern before the state `next`, and returns the first of them. */
function addAll(states: State[], pattern: readonly Wildcard[], next: number): number {
  return pattern.reduceRight((after, wildcard) => addOne(states, wildcard, after), next);
}

function addOne(states: State[], wildcard: Wildcard, next: number): number {
  switch (wildcard.kind) {
    case 'text':
      return addText(states, wildcard.text, next);
    case 'one':
      return add(states, { kind: 'takes', code: NO_SLASH, next });
    case 'name':
      return addRun(states, NO_SLASH, next);
    case 'path':
      return addRun(states, ANY, next);
    case 'folders': {
      const through = addRun(states, ANY, add(states, { kind: 'takes', code: SLASH, next }));
      return add(states, { kind: 'splits', to: [next, through] });
    }
    case 'choice':
      return add(states, { kind: 'splits', to: wildcard.of.map((one) => addAll(states, one, next)) });
  }
}

function addText(states: State[], text: string, next: number): number {
  let after = next;
  for (let i = text.length - 1; i >= 0; i--)
    after = add(states, { kind: 'takes', code: text.charCodeAt(i), next: after });
  return after;
}

function addRun(states: State[], code: number, next: number): number {
  const split: State = { kind: 'splits', to: [next] };
  const at = add(states, split);
  split.to.push(add(states, { kind: 'takes', code, next: at }));
  return at;
}

function accepts(states: readonly State[], start: number, text: string): boolean {
  const seen = new Int32Array(states.length).fill(-1);
  let current = reached(states, [start], 0, seen);
  for (let i = 0; i < text.length && current.length > 0; i++) {
    const code = text.charCodeAt(i);
    const taken: number[] = [];
    for (const at of current) {
      const state = states[at];
      if (state?.kind === 'takes' && takes(state.code, code)) taken.push(state.next);
    }
    current = reached(states, taken, i + 1, seen);
  }
  return current.some((at) => states[at]?.kind === 'ends');
}

function takes(wanted: number, code: number): boolean {
  return wanted === code || wanted === ANY || (wanted === NO_SLASH && code !== SLASH);
}

/** The states that can be reached without a character. `seen` holds the step at which each was reached last. */
function reached(
  states: readonly State[],
  from: readonly number[],
  step: number,
  seen: Int32Array,
): number[] {
  const open = [...from];
  const found: number[] = [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen[at] === step) continue;
    seen[at] = step;
    const state = states[at];
    if (state?.kind !== 'splits') found.push(at);
    else for (const to of state.to) open.push(to);
  }
  return found;
}

/** Makes upper case equal to lower case, and keeps the number of characters: wildcards count them. */
export function withoutCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return [...text].map((one) => (one.toLowerCase().length === one.length ? one.toLowerCase() : one)).join('');
}

const SET = /\[[!^]?\]?[^\]/]*\]/y;
const CHOICE = /\{([^{}/]+)\}/y;
const PLAIN = /[^*?[{]+|[[{]/y;
const STARS = /\*+/y;

/** A word with the wildcards of a shell: `*`, `?`, `{a,b}`; a set such as `[a-z]` is read as any one character. */
export function shellWildcards(word: string): Wildcard[] {
  const found: Wildcard[] = [];
  /** Up to here no set ends: that is looked up once, not for every bracket. */
  let unclosed = 0;
  for (let at = 0; at < word.length; ) {
    const taken = (expression: RegExp) => {
      expression.lastIndex = at;
      return expression.exec(word);
    };
    const set = word[at] === '[' && at >= unclosed ? taken(SET) : null;
    if (word[at] === '[' && !set && at >= unclosed) unclosed = nextSlash(word, at);
    const listed = taken(CHOICE);
    const choice = listed?.[1]?.includes(',') ? listed : null;
    const stars = taken(STARS);
    if (stars) found.push({ kind: 'name' });
    else if (word[at] === '?' || (set && set[0] !== '[]')) found.push({ kind: 'one' });
    else if (choice) found.push({ kind: 'choice', of: choicesIn(choice[1] ?? '') });
    else found.push({ kind: 'text', text: set?.[0] ?? taken(PLAIN)?.[0] ?? '' });
    at += (stars ?? set ?? choice ?? taken(PLAIN))?.[0].length ?? 1;
  }
  return found;
}

function nextSlash(word: string, from: number): number {
  const slash = word.indexOf('/', from);
  return slash < 0 ? word.length : slash;
}

function choicesIn(listed: string): Wildcard[][] {
  return listed.split(',').map((text) => [{ kind: 'text', text }]);
}
