/** Rewrites inputs of tools by the rules of a contract. */

import { globMatches } from '../text/globs.ts';
import { patternProblem } from '../text/line-pattern.ts';
import type { RewriteRule } from './tool-rules.ts';

/** On lines up to this length even the slowest valid pattern ends within seconds. */
const LONGEST_LINE = 1000;
const MOST_OPEN_ENDED = 2;

/** What a valid pattern looks like, for an error; undefined when this one is valid. */
export function rewriteProblem(source: string): string | undefined {
  const plain = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x');
  const open = plain.match(/[*+]|\{\d+,\}/g)?.length ?? 0;
  return (
    patternProblem(source) ??
    (open > MOST_OPEN_ENDED ? `a pattern with at most ${MOST_OPEN_ENDED} of *, + and {n,}` : undefined)
  );
}

export type Rewritten =
  | { kind: 'same' }
  | { kind: 'changed'; input: Record<string, unknown>; fields: string[] }
  /** A line is too long to be rewritten. It must not run as it is: that would get around the rule. */
  | { kind: 'too_long'; field: string };

/** Applies the rules line by line: a pattern never matches across lines. */
export function rewriteInput(
  tool: string,
  input: Record<string, unknown>,
  rules: readonly RewriteRule[],
): Rewritten {
  let now = input;
  const fields = new Set<string>();
  for (const rule of rules) {
    const value = globMatches(rule.tool, tool) ? now[rule.field] : undefined;
    if (typeof value !== 'string') continue;
    const lines = value.split('\n');
    if (lines.some((line) => line.length > LONGEST_LINE)) return { kind: 'too_long', field: rule.field };
    const pattern = new RegExp(rule.pattern, 'g');
    const text = lines
      .map((line) => line.replace(pattern, (...found) => filledIn(rule.with, found)))
      .join('\n');
    if (text === value) continue;
    now = { ...now, [rule.field]: text };
    fields.add(rule.field);
  }
  return fields.size === 0 ? { kind: 'same' } : { kind: 'changed', input: now, fields: [...fields] };
}

/** Fills in `$0` to `$9`, and `$$` for a dollar. */
function filledIn(template: string, found: readonly unknown[]): string {
  return template.replace(/\$([\d$])/g, (_, which: string) => {
    const value = which === '$' ? '$' : found[Number(which)];
    return typeof value === 'string' ? value : '';
  });
}
