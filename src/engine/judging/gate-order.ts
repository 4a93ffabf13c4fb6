/** Which gates of a judging are due, which wait for others, and what all of them say together. */
import { type GateSpec, isCombination } from '../core/contract/contract.ts';
import { asChunk, combineChunks, isDue, notDueYet } from '../core/loop/phases.ts';
import type { GateCall } from '../core/loop/plan-gates.ts';
import { blocks, combine, type Verdict } from '../core/loop/verdict.ts';
import { firstFound } from '../core/text/lists.ts';

type Leaves = Map<GateCall, readonly string[]>;

/** The gates to judge now: not judged yet, not in a chunk that is not due, and after no gate that does not pass. */
export function dueLeaves(calls: readonly GateCall[], verdicts: ReadonlyMap<string, Verdict>): GateCall[] {
  return [...openLeaves(calls, verdicts)].filter(([, waits]) => waits.length === 0).map(([call]) => call);
}

/** The gates that other gates come before, with the names of these. */
export function waitingLeaves(calls: readonly GateCall[], verdicts: ReadonlyMap<string, Verdict>): Leaves {
  return new Map([...openLeaves(calls, verdicts)].filter(([, waits]) => waits.length > 0));
}

/** The gates that are not judged yet, with the gates that each waits for. */
function openLeaves(calls: readonly GateCall[], verdicts: ReadonlyMap<string, Verdict>): Leaves {
  const found = new Map<string, [GateCall, readonly string[]]>();
  const visit = (call: GateCall, above: readonly string[]) => {
    const own = (call.spec.after ?? []).filter((name) => !passesNow(name, calls, verdicts));
    const waits = [...new Set([...above, ...own])];
    if (!call.children) {
      const known = found.get(call.name);
      if (!verdicts.has(call.name) && known?.[1].length !== 0) found.set(call.name, [call, waits]);
    } else if (call.spec.kind === 'chunks') {
      const chunks = call.spec.options.chunks;
      for (const child of call.children) {
        const chunk = chunks.find(({ name }) => name === child.name);
        if (!chunk || isDue(chunk, chunkPasses(call, verdicts))) visit(child, waits);
      }
    } else for (const child of call.children) visit(child, waits);
  };
  for (const call of calls) visit(call, []);
  return new Map(found.values());
}

/** Whether a gate holds nobody up. One that is not part of this judging does not. */
function passesNow(
  name: string,
  calls: readonly GateCall[],
  verdicts: ReadonlyMap<string, Verdict>,
): boolean {
  const call = findCall(name, calls);
  return call === undefined || (isJudged(call, verdicts) && !blocks(verdictOf(call, verdicts)));
}

function findCall(name: string, calls: readonly GateCall[]): GateCall | undefined {
  return (
    calls.find((call) => call.name === name) ??
    firstFound(calls, ({ children = [] }) => findCall(name, children))
  );
}

/** Tells whether a chunk holds nobody up. One that is not part of this judging does not. */
function chunkPasses(call: GateCall, verdicts: ReadonlyMap<string, Verdict>): (name: string) => boolean {
  return (name) => {
    const child = call.children?.find((c) => c.name === name);
    return child === undefined || (isJudged(child, verdicts) && !blocks(asChunk(verdictOf(child, verdicts))));
  };
}

function isJudged(call: GateCall, verdicts: ReadonlyMap<string, Verdict>): boolean {
  return call.children ? call.children.every((c) => isJudged(c, verdicts)) : verdicts.has(call.name);
}

export function verdictOf(call: GateCall, verdicts: ReadonlyMap<string, Verdict>): Verdict {
  const { name, spec, children } = call;
  if (children && spec.kind === 'chunks') {
    return { ...combineChunks(name, spec.options.chunks, partsOf(call, verdicts)), ...unprovenRule(spec) };
  }
  if (children && isCombination(spec)) {
    const parts = children.map((child) => verdictOf(child, verdicts));
    return { ...combine(spec.kind, name, parts), ...unprovenRule(spec) };
  }
  const verdict = verdicts.get(name);
  if (!verdict) throw new Error(`gate ${name} was not judged`);
  return verdict;
}

function partsOf(call: GateCall, verdicts: ReadonlyMap<string, Verdict>): Verdict[] {
  const chunks = call.spec.kind === 'chunks' ? call.spec.options.chunks : [];
  const passes = chunkPasses(call, verdicts);
  return (call.children ?? []).map((child) => {
    const chunk = chunks.find(({ name }) => name === child.name);
    return chunk && !isDue(chunk, passes) ? notDueYet(chunk, passes) : asChunk(verdictOf(child, verdicts));
  });
}

export function unprovenRule(spec: GateSpec): { onUnproven?: 'block' | 'allow' } {
  return spec.onUnproven ? { onUnproven: spec.onUnproven } : {};
}
