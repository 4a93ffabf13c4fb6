/** Expands braces and variables of a shell line, as far as the line itself tells. */

import type { Variables } from '../tools/tool-rules.ts';
import { type SimpleCommand, simpleCommands } from './words.ts';

const MOST_WORDS = 64;
const MOST_VALUES = 20;
const DECLARES = /^(?:export|declare|typeset|local|readonly)$/;

/** The variables that a line sets by `NAME=value`, `export` and `for NAME in ...`; several values where it sets several. */
export function variablesOf(line: string): Variables {
  const found = new Map<string, string[]>();
  for (const [name, value] of simpleCommands(line).flatMap(assignmentsOf)) {
    const values = found.get(name) ?? [];
    if (values.length < MOST_VALUES) found.set(name, [...values, value]);
  }
  return found;
}

function assignmentsOf({ words, assigns = [] }: SimpleCommand): [string, string][] {
  const declared = DECLARES.test(words[0] ?? '') ? words.slice(1) : [];
  const set = [...assigns, ...declared].flatMap((word): [string, string][] => {
    const [, name, value = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  const [first, name, joint, ...values] = words[0] === 'do' ? words.slice(1) : words;
  if (first !== 'for' || name === undefined || joint !== 'in') return set;
  return [...set, ...values.map((value): [string, string] => [name, value])];
}

type ValuesOf = (name: string) => readonly string[] | undefined;

/** `$NAME` and `${NAME}`, also with what to take in its place: `${NAME:-x}`, `${NAME:?}`. */
const VARIABLE = /\$(?:(\w+)|\{(\w+)(?::?([-=?])([^{}]*))?\})/g;
/** Variables may be set to variables. */
const MOST_ROUNDS = 3;
/** Words do not grow beyond this: a longer one is no path. */
const LONGEST = 4096;

/** A word with its known variables replaced by each of their values; unknown ones stay. */
export function withVariables(word: string, valuesOf: ValuesOf): string[] {
  const room = Math.max(LONGEST, 2 * word.length);
  let words = [word];
  for (let round = 0; round < MOST_ROUNDS && words.some((one) => one.includes('$')); round++)
    words = words.flatMap((one) => onceWithVariables(one, valuesOf, room)).slice(0, MOST_WORDS);
  return words;
}

function onceWithVariables(word: string, valuesOf: ValuesOf, room: number): string[] {
  let words = [word];
  const written = new Map([...word.matchAll(VARIABLE)].map((found) => [found[0], found]));
  for (const [text, [, plain, name = plain ?? '', sign, other = '']] of written) {
    const values = valuesOf(name) ?? (sign === '-' || sign === '=' ? [other] : undefined);
    if (values === undefined) continue;
    words = words
      .flatMap((one) => values.map((value) => replaced(one, text, value, room)))
      .slice(0, MOST_WORDS);
  }
  return words;
}

/** Replaces a variable, but not where it is the beginning of a longer name. */
function replaced(word: string, written: string, value: string, room: number): string {
  const pieces = word.split(written);
  if (word.length + (pieces.length - 1) * value.length > room) return word;
  const isOther = (rest: string) => /\w$/.test(written) && /^\w/.test(rest);
  return pieces.reduce((text, rest) => text + (isOther(rest) ? written : value) + rest);
}

/** Expands `a{b,c}` to `ab` and `ac`, up to a bound. */
export function withBraces(word: string): string[] {
  const done: string[] = [];
  const open = [word];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const inner = [...next.matchAll(/(?<!\$)\{([^{}]*)\}/g)].find(([, choices]) => choices?.includes(','));
    if (!inner || done.length + open.length >= MOST_WORDS) {
      done.push(next);
      continue;
    }
    const [before, after] = [next.slice(0, inner.index), next.slice(inner.index + inner[0].length)];
    open.push(...(inner[1] ?? '').split(',').map((choice) => before + choice + after));
  }
  return done.slice(0, MOST_WORDS);
}

/** Replaces substitutions whose result is known: `$(pwd)`, the root of the repository, and `$(echo ...)`. */
export function withKnownFolders(line: string, project: string): string {
  return line
    .replace(/\$\(\s*(?:echo|printf)\s+(?:-n\s+)?([^$`()|;&<>\n]{1,500})\)/g, (_, words: string) =>
      words.replace(/["']/g, '').trim(),
    )
    .replace(/\$\(\s*pwd(?:\s+-[LP])?\s*\)|`\s*pwd\s*`/g, () => '$PWD')
    .replace(
      /\$\(\s*git\s+rev-parse\s+--show-toplevel\s*\)|`\s*git\s+rev-parse\s+--show-toplevel\s*`/g,
      () => (/^[\w/.-]+$/.test(project) ? project : '$PWD'),
    );
}
