/**
 * Regular expressions of a contract, matched against lines that the agent wrote. RE2 matches them in time that is linear
 * in the line: with JavaScript's own engine one crafted line could hang the judging, and no timeout interrupts a match.
 */

import { RE2JS } from 're2js';
import { re2Source } from './re2-syntax.ts';

const LONGEST = 500;
/** The time for a line grows with the size of the compiled pattern, too. */
const MOST_STEPS = 1000;

export interface LineMatcher {
  /** Whether the pattern matches somewhere in the line. */
  test(line: string): boolean;
  /** Replaces every match. `found` has the match itself, then its groups. */
  replace(line: string, put: (found: readonly (string | undefined)[]) => string): string;
}

/** Compiles a pattern; `problem` says what a valid one looks like. Compiles each pattern once. */
type Compiled = { kind: 'usable'; matcher: LineMatcher } | { kind: 'unusable'; problem: string };

const MOST_KEPT = 500;
const compiled = new Map<string, Compiled>();

/** What a valid pattern looks like, for an error; undefined when this one is valid. */
export function patternProblem(source: string): string | undefined {
  const found = compiledPattern(source);
  return found.kind === 'unusable' ? found.problem : undefined;
}

/** Throws when the pattern has a problem. */
export function lineMatcher(source: string): LineMatcher {
  const found = compiledPattern(source);
  if (found.kind === 'unusable') throw new Error(`expected ${found.problem}`);
  return found.matcher;
}

function compiledPattern(source: string): Compiled {
  const known = compiled.get(source);
  if (known) return known;
  const made = compile(source);
  if (compiled.size >= MOST_KEPT) compiled.clear();
  compiled.set(source, made);
  return made;
}

function compile(source: string): Compiled {
  if (source.length > LONGEST) return unusable(`a pattern of at most ${LONGEST} characters`);
  const invalid = syntaxProblem(source);
  const translated = re2Source(source);
  if (translated.kind === 'lacking')
    return unusable(`a pattern without ${translated.construct} (${translated.instead})`);
  if (invalid !== undefined) return unusable(`a valid regular expression (${invalid})`);
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(translated.source);
  } catch {
    return unusable('a pattern that repeats nothing more than 1000 times');
  }
  if (pattern.programSize() > MOST_STEPS)
    return unusable('a shorter pattern, or one with smaller repetitions');
  if (pattern.test('')) return unusable('a pattern that does not match an empty line');
  return {
    kind: 'usable',
    matcher: {
      test: (line) => pattern.test(line),
      // Finding out that there is no match is much faster than looking for groups.
      replace: (line, put) =>
        pattern.test(line)
          ? pattern.matcher(line).replaceAll((...found: unknown[]) => put(groupsIn(found)))
          : line,
    },
  };
}

function unusable(problem: string): Compiled {
  return { kind: 'unusable', problem };
}

/** What JavaScript says against the source. The expression is never matched. */
function syntaxProblem(source: string): string | undefined {
  try {
    new RegExp(source);
    return undefined;
  } catch (error) {
    const [, reason = 'not a regular expression'] = /^.*\/: (.*)$/s.exec((error as Error).message) ?? [];
    return reason;
  }
}

/** The match and its groups: behind them stand the position and the line. */
function groupsIn(found: readonly unknown[]): (string | undefined)[] {
  const position = found.findIndex((value) => typeof value === 'number');
  return found.slice(0, position) as (string | undefined)[];
}
