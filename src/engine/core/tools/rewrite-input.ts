/** Rewrites inputs of tools by the rules of a contract. */

import { globMatches } from '../text/globs.ts';
import type { LineMatcher } from '../text/line-pattern.ts';
import type { RewriteRule } from './tool-rules.ts';

/** Compiles a pattern. Throws with what a valid one looks like. The engine is large: it is handed in where it is needed. */
export type MatcherOf = (pattern: string) => LineMatcher;

/** On lines up to this length the largest pattern that is taken ends within seconds. */
const LONGEST_LINE = 20_000;

/** Whether a rule changes inputs of this tool. */
export function rewrites(tool: string, rules: readonly RewriteRule[]): boolean {
  return rules.some((rule) => globMatches(rule.tool, tool));
}

export type Rewritten =
  | { kind: 'same' }
  | { kind: 'changed'; input: Record<string, unknown>; fields: string[] }
  /** A line is too long to be rewritten. It must not run as it is: that would get around the rule. */
  | { kind: 'too_long'; field: string }
  /** The pattern of a rule cannot be used, as one of an older version. Here, too, nothing gets around the rule. */
  | { kind: 'unusable'; pattern: string; why: string };

/** Applies the rules line by line: a pattern never matches across lines. */
export function rewriteInput(
  tool: string,
  input: Record<string, unknown>,
  rules: readonly RewriteRule[],
  matcherOf: MatcherOf,
): Rewritten {
  let now = input;
  const fields = new Set<string>();
  for (const rule of rules) {
    const value = globMatches(rule.tool, tool) ? now[rule.field] : undefined;
    if (typeof value !== 'string') continue;
    const lines = value.split('\n');
    if (lines.some((line) => line.length > LONGEST_LINE)) return { kind: 'too_long', field: rule.field };
    const matcher = usable(matcherOf, rule.pattern);
    if (typeof matcher === 'string') return { kind: 'unusable', pattern: rule.pattern, why: matcher };
    const text = lines.map((line) => matcher.replace(line, (found) => filledIn(rule.with, found))).join('\n');
    if (text === value) continue;
    now = { ...now, [rule.field]: text };
    fields.add(rule.field);
  }
  return fields.size === 0 ? { kind: 'same' } : { kind: 'changed', input: now, fields: [...fields] };
}

/** The matcher, or why there is none. */
function usable(matcherOf: MatcherOf, pattern: string): LineMatcher | string {
  try {
    return matcherOf(pattern);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Fills in `$0` to `$9`, and `$$` for a dollar. */
function filledIn(template: string, found: readonly unknown[]): string {
  return template.replace(/\$([\d$])/g, (_, which: string) => {
    const value = which === '$' ? '$' : found[Number(which)];
    return typeof value === 'string' ? value : '';
  });
}
