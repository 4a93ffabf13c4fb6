/** What stands about a gate without judging it: refused because of what it would run, or found before and still true. */
import type { FrozenContract, GateSpec } from '../core/contract/contract.ts';
import type { GateCall } from '../core/loop/plan-gates.ts';
import { fingerprint, type Verdict } from '../core/loop/verdict.ts';
import type { Gates } from '../gates/gate.ts';
import { traitsOf } from '../gates/traits.ts';
import type { JudgingRequest } from '../ports/judging.ts';
import type { Judges } from './ports.ts';

export function specsOf(calls: readonly GateCall[]): Map<string, GateSpec> {
  const specs = new Map<string, GateSpec>();
  const visit = (call: GateCall) => {
    specs.set(call.name, call.spec);
    call.children?.forEach(visit);
  };
  calls.forEach(visit);
  return specs;
}

/** A gate whose command no longer means what a person approved fails by name; it is not run. */
export function driftOf(
  request: JudgingRequest,
  judges: Judges,
  specs: ReadonlyMap<string, GateSpec>,
): Map<string, Verdict> {
  const found = new Map<string, Verdict>();
  for (const [name, spec] of specs) {
    const before = request.frozen.frozen.parts[name];
    if (!before) continue;
    const now = judges.parts(
      request.frozen.frozen.project,
      commandsOf(name, spec, request.frozen, judges.gates),
    );
    const changed = Object.keys(before).filter((part) => before[part] !== now[part]);
    if (changed.length > 0) found.set(name, drifted(name, spec, changed));
  }
  return found;
}

export function commandsOf(name: string, spec: GateSpec, frozen: FrozenContract, gates: Gates): string[] {
  const gate = gates[spec.kind] as { commands?(options: unknown, frozen: unknown): string[] } | undefined;
  return gate?.commands?.(spec.options, frozen.frozen.gates[name]) ?? [];
}

const DRIFT = 'drift ';

function drifted(name: string, spec: GateSpec, changed: readonly string[]): Verdict {
  const what = changed.join(', ');
  return {
    gate: name,
    kind: spec.kind,
    class: 'measured',
    outcome: 'fail',
    summary: `what this gate runs was changed since the loop began: ${what}`,
    evidence: [`Put ${what} back as it was. The definition of done is not yours to change.`],
    fingerprint: `${DRIFT}${what}`,
  };
}

/** A pass counts as long as the tree is the same; a failure only while, besides, no tool ran that could have mended it. */
export function cached(
  name: string,
  spec: GateSpec | undefined,
  tree: string | undefined,
  request: JudgingRequest,
  judges: Judges,
): Verdict | undefined {
  if (!spec || tree === undefined || !isReusable(spec, request)) return undefined;
  const verdict = request.cache?.find(name, inputsOf(name, spec, tree, request, judges));
  if (!verdict) return undefined;
  const holds = verdict.outcome === 'pass' || (verdict.outcome === 'fail' && !request.toolRan);
  return holds ? { ...verdict, reused: true } : undefined;
}

/** What is said in a prompt or a task is no part of the tree: a gate that is told it is asked anew. */
function isReusable(spec: GateSpec, { event }: JudgingRequest): boolean {
  if (event?.name === 'UserPromptSubmit' || event?.name === 'TaskCreated') return false;
  return traitsOf(spec.kind).isReusable?.(spec.options, event?.name) ?? false;
}

/** Everything that a verdict depends on: another definition of done, or another start, is another question. */
function inputsOf(
  name: string,
  spec: GateSpec,
  tree: string,
  request: JudgingRequest,
  judges: Judges,
): string {
  const { parts, gates } = request.frozen.frozen;
  const held = judges.digest(JSON.stringify([parts[name] ?? null, gates[name] ?? null]));
  const question = [tree, request.base.tree ?? null, spec, held, request.allowed, fingerprint(request.task)];
  if (!request.onlyPaths && !request.worktree) return JSON.stringify(question);
  // What git ignores is there, or not, in each worktree by itself.
  return JSON.stringify([
    ...question,
    request.onlyPaths ?? null,
    request.worktree ? request.frozen.frozen.project : null,
  ]);
}

export function keep(
  request: JudgingRequest,
  verdicts: readonly Verdict[],
  tree: string | undefined,
  judges: Judges,
): void {
  if (tree === undefined) return;
  const specs = specsOf(request.calls);
  // A gate that was not run because of what it would run is asked anew once that is put back.
  const worth = verdicts
    .flatMap(withChildren)
    .filter((v) => ['pass', 'fail'].includes(v.outcome) && !v.fingerprint?.startsWith(DRIFT));
  request.cache?.keep(
    worth.flatMap((verdict) => {
      const spec = specs.get(verdict.gate);
      return spec && isReusable(spec, request)
        ? [{ inputs: inputsOf(verdict.gate, spec, tree, request, judges), verdict }]
        : [];
    }),
  );
}

function withChildren(verdict: Verdict): Verdict[] {
  return [verdict, ...(verdict.children ?? []).flatMap(withChildren)];
}
