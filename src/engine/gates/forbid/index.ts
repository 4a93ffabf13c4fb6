import type { GateOptions } from '../../core/contract/gate-options.ts';
import { fingerprint } from '../../core/loop/verdict.ts';
import { pathMatcher } from '../../core/text/globs.ts';
import { patternProblem } from '../../core/text/line-pattern.ts';
import { groupBy } from '../../core/text/lists.ts';
import type { AddedLine } from '../../ports/ports.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { contentsAt, NOTHING_TO_COMPARE, type Span, workSinceStart } from '../shared/contents.ts';
import {
  builtInGroup,
  customGroup,
  describeFinding,
  type Finding,
  findForbidden,
  mayBeForbidden,
  type PatternGroup,
} from './find.ts';
import { forbidTraits } from './traits.ts';

const MAX_LINES = 50;

/**
 * No line that was added since the start has a forbidden pattern. A line that was only moved is not added. You may allow
 * a file (`forbid:<path>`) or a group in a file (`<path>:<group>`).
 */
export const forbidGate: Gate<'forbid'> = {
  ...forbidTraits,
  async judge(options, context, signal) {
    const groups = groupsOf(options);
    if (typeof groups === 'string') return { outcome: 'unproven', summary: groups };
    const span = await workSinceStart(context);
    if (!span) return { outcome: 'unproven', summary: NOTHING_TO_COMPARE };
    const wanted = options.paths ? pathMatcher(options.paths) : () => true;
    const { onlyPaths, allowed } = context.request;
    const own = onlyPaths && new Set(onlyPaths);
    const candidates = (await context.workspace.addedLines(span.from, span.to)).filter(
      (line) => wanted(line.path) && (own?.has(line.path) ?? true) && mayBeForbidden(line, groups),
    );
    const findings = candidates.length === 0 ? [] : await findIn(candidates, groups, span, context, signal);
    const open = findings.filter(({ path, group }) => !isAllowed(allowed, path, group));
    return open.length === 0 ? passed(findings.length) : failed(open, span);
  },
};

/** The groups of patterns that a contract names, or why there are none. */
export function groupsOf({
  patterns,
  custom,
}: Pick<GateOptions['forbid'], 'patterns' | 'custom'>): PatternGroup[] | string {
  const builtIn = patterns.map(builtInGroup);
  const unknown = patterns.find((_, i) => builtIn[i] === undefined);
  if (unknown !== undefined)
    return `this version of untildone does not know the group of patterns "${unknown}"`;
  for (const { name, pattern } of custom) {
    const problem = patternProblem(pattern);
    if (problem !== undefined) return `the pattern "${name}" cannot be used: expected ${problem}`;
  }
  const own = custom.map(({ name, pattern }) => customGroup(name, pattern));
  return [...builtIn.filter((group) => group !== undefined), ...own];
}

async function findIn(
  candidates: AddedLine[],
  groups: readonly PatternGroup[],
  span: Span,
  { workspace }: GateContext,
  signal: AbortSignal,
): Promise<Finding[]> {
  const byPath = groupBy(candidates, (line) => line.path);
  const contents = await contentsAt(workspace, span.to, byPath.keys(), signal);
  const findings = [...byPath].flatMap(([path, lines]) =>
    findForbidden(path, contents.get(path) ?? '', lines, groups),
  );
  if (findings.length === 0) return [];
  signal.throwIfAborted();
  return withoutMoved(findings, await workspace.addedLines(span.to, span.from));
}

/** Leaves out lines that were moved: the same line was removed elsewhere, as many times. */
function withoutMoved(findings: readonly Finding[], removed: readonly AddedLine[]): Finding[] {
  const left = new Map<string, number>();
  for (const { text } of removed) left.set(text.trim(), (left.get(text.trim()) ?? 0) + 1);
  return findings.filter(({ text }) => {
    const times = left.get(text.trim()) ?? 0;
    if (times > 0) left.set(text.trim(), times - 1);
    return times === 0;
  });
}

function isAllowed(allowed: readonly string[], path: string, group: string): boolean {
  return allowed.includes(`forbid:${path}`) || allowed.includes(`${path}:${group}`);
}

function passed(allowed: number): Judgement {
  const note = allowed > 0 ? ` (${allowed} allowed)` : '';
  return { outcome: 'pass', summary: `no forbidden line was added${note}` };
}

function failed(findings: readonly Finding[], { since }: Span): Judgement {
  const counts = [...groupBy(findings, (finding) => finding.group)].map(
    ([group, list]) => `${list.length} ${group}`,
  );
  const rest = findings.length - MAX_LINES;
  const lines = findings.length === 1 ? 'forbidden line was' : 'forbidden lines were';
  const when = since === 'start' ? 'since the start' : 'since the last commit';
  return {
    outcome: 'fail',
    summary: `${findings.length} ${lines} added ${when}: ${counts.join(', ')}`,
    evidence: [
      ...findings.slice(0, MAX_LINES).map(describeFinding),
      ...(rest > 0 ? [`and ${rest} more`] : []),
    ],
    next: 'remove these lines, or finish what they stand for',
    fingerprint: fingerprint(
      findings.map(({ path, group, text }) => `${path} ${group} ${text.trim()}`).join('\n'),
    ),
  };
}
