/** Verdicts that are known without judging: found before and still true, or a refusal to run what was changed. */
import { roomSetup, runsInCleanRoom } from '../core/contract/clean-room.ts';
import type { Contract, FrozenContract, GateSpec } from '../core/contract/contract.ts';
import { specsOf } from '../core/loop/plan-gates.ts';
import { fingerprint, type Verdict } from '../core/loop/verdict.ts';
import { pathMatcher } from '../core/text/globs.ts';
import { once } from '../core/text/once.ts';
import type { Gates, Judges } from '../gates/gate.ts';
import { traitsOf } from '../gates/traits.ts';
import type { JudgingRequest } from '../ports/judging.ts';
import type { Workspace } from '../ports/ports.ts';
import { partsOfRoomSetup, ROOM_SETUP } from './freeze-contract.ts';

/** Fails the gates whose commands lead to something else than you trusted. They are not run. */
export function driftOf(
  request: JudgingRequest,
  judges: Judges,
  specs: ReadonlyMap<string, GateSpec>,
): Map<string, Verdict> {
  const found = new Map<string, Verdict>();
  const { contract, frozen } = request;
  const setup = once(() => changedSetup(request, judges));
  for (const [name, spec] of specs) {
    const inSetup = runsInCleanRoom(contract, spec) ? setup() : [];
    if (inSetup.length > 0) {
      found.set(name, drifted(name, spec, inSetup));
      continue;
    }
    const before = frozen.parts[name];
    if (!before) continue;
    const now = judges.parts(frozen.project, commandsOf(name, spec, request, judges.gates), {
      frozen: Object.keys(before),
    });
    const changed = Object.keys(before).filter((part) => before[part] !== now[part]);
    if (changed.length > 0) found.set(name, drifted(name, spec, changed));
  }
  return found;
}

/** What the setup of clean rooms leads to and is other than at the start. A script that is new counts, too. */
function changedSetup({ contract, frozen }: FrozenContract, judges: Judges): string[] {
  const before = frozen.parts[ROOM_SETUP];
  if (!before) return [];
  const now = partsOfRoomSetup(contract, frozen.project, judges);
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (part) => before[part] !== now[part],
  );
}

export function commandsOf(name: string, spec: GateSpec, frozen: FrozenContract, gates: Gates): string[] {
  const gate = gates[spec.kind] as { commands?(options: unknown, frozen: unknown): string[] } | undefined;
  return gate?.commands?.(spec.options, frozen.frozen.gates[name]) ?? [];
}

const DRIFT = 'drift ';

function isFilePart(part: string): boolean {
  return !/^(?:script|target) "|^settings of /.test(part);
}

/** How you say that a file is no check, but the very program that is written. */
function sayWork(gate: string, files: readonly string[]): string[] {
  if (files.length === 0) return [];
  return [
    `If ${files.join(', ')} is the work and not a check, only the user can say so: add "work: [${files.join(', ')}]" to the gate ${gate} in untildone.yaml, then "untildone trust" and "untildone contract update".`,
  ];
}

function drifted(name: string, spec: GateSpec, changed: readonly string[]): Verdict {
  const what = changed.join(', ');
  return {
    gate: name,
    kind: spec.kind,
    class: 'measured',
    outcome: 'fail',
    summary: `what this gate runs was changed since the loop began: ${what}`,
    evidence: [
      `Put ${what} back as it was. The definition of done is not yours to change.`,
      ...sayWork(name, changed.filter(isFilePart)),
    ],
    fingerprint: `${DRIFT}${what}`,
  };
}

/** An earlier verdict on the same tree. A failure counts only while no tool ran that could have repaired it. */
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

/**
 * Passing verdicts of gates that name their inputs, where no file changed since that they name. A new file that fits is a
 * change, too. In a clean room what its setup depends on counts as well.
 */
export async function unchangedInputs(
  request: JudgingRequest,
  judges: Judges,
  specs: ReadonlyMap<string, GateSpec>,
  { workspace, tree }: { workspace?: Workspace | undefined; tree?: string | undefined },
): Promise<Map<string, Verdict>> {
  const found = new Map<string, Verdict>();
  for (const [name, spec] of specs) {
    const last = spec.inputs && request.cache?.last(name);
    if (last?.verdict.outcome !== 'pass' || tree === undefined || !isReusable(spec, request)) continue;
    const [before, ...rest] = JSON.parse(last.inputs) as unknown[];
    const [, ...now] = JSON.parse(inputsOf(name, spec, tree, request, judges)) as unknown[];
    if (typeof before !== 'string' || JSON.stringify(rest) !== JSON.stringify(now)) continue;
    // A tree that is gone proves nothing.
    const changes = await workspace?.changes(before, tree).catch(() => undefined);
    const depends = dependsOn(spec, request.contract);
    if (changes?.every(({ path, from }) => !depends(path) && (from === undefined || !depends(from))))
      found.set(name, { ...last.verdict, reused: true, ...(before === tree ? {} : { reusedFrom: before }) });
  }
  return found;
}

function dependsOn(spec: GateSpec, contract: Contract): (path: string) => boolean {
  const named = pathMatcher(spec.inputs ?? []);
  const inSetup = runsInCleanRoom(contract, spec)
    ? pathMatcher(roomSetup(contract)?.inputs ?? [])
    : undefined;
  return (path) => named(path) || inSetup?.(path) === true;
}

/** Marks verdicts on commands that ended otherwise before, on the same tree. The mark stays for the rest of the loop. */
export function withFlakiness(
  verdicts: readonly Verdict[],
  request: JudgingRequest,
  judges: Judges,
  tree: string | undefined,
): Verdict[] {
  const specs = specsOf(request.calls);
  return verdicts.map((verdict): Verdict => {
    const { gate, children, proof, outcome } = verdict;
    if (children) return { ...verdict, children: withFlakiness(children, request, judges, tree) };
    const [spec, last] = [specs.get(gate), request.cache?.last(gate)];
    const isNew = !verdict.reused && proof?.command !== undefined && isSettled(verdict);
    if (!isNew || !spec || !last || tree === undefined || verdict.flaky) return verdict;
    const isSame = last.inputs === inputsOf(gate, spec, tree, request, judges);
    const differs =
      isSame && last.verdict.outcome !== outcome && last.verdict.proof?.command === proof.command;
    if (!differs && !last.verdict.flaky) return verdict;
    const how = differs
      ? `it ${outcome === 'pass' ? 'failed' : 'passed'} before on the same files`
      : 'it passed and failed on the same files before';
    return { ...verdict, flaky: true, summary: `${verdict.summary} (flaky: ${how})` };
  });
}

function isSettled({ outcome }: Verdict): boolean {
  return outcome === 'pass' || outcome === 'fail';
}

/** Whether verdicts may be reused. The text of a prompt or a task is not part of the tree, so gates for it are judged anew. */
function isReusable(spec: GateSpec, { event }: JudgingRequest): boolean {
  if (event?.name === 'UserPromptSubmit' || event?.name === 'TaskCreated') return false;
  return traitsOf(spec.kind).isReusable?.(spec.options, event?.name) ?? false;
}

/** Everything that a verdict depends on, as one text. */
function inputsOf(
  name: string,
  spec: GateSpec,
  tree: string,
  request: JudgingRequest,
  judges: Judges,
): string {
  const { contract, frozen } = request;
  const { parts, gates, start } = frozen;
  const inRoom = runsInCleanRoom(contract, spec) ? [start ?? null, contract.room ?? null] : [];
  const { sandbox } = contract;
  const walls = sandbox && sandbox.choice !== 'off' ? [sandbox] : [];
  const held = judges.digest(JSON.stringify([parts[name] ?? null, gates[name] ?? null, ...inRoom, ...walls]));
  // Only its digest: a command may bring a secret.
  const asked = judges.digest(JSON.stringify(spec));
  const question = [tree, request.base.tree ?? null, asked, held, request.allowed, fingerprint(request.task)];
  if (!request.onlyPaths && !request.worktree) return JSON.stringify(question);
  // Files that git ignores may differ between worktrees.
  return JSON.stringify([
    ...question,
    request.onlyPaths ?? null,
    request.worktree ? request.frozen.project : null,
  ]);
}

/** Keeps the verdicts that may be reused. */
export function keep(
  request: JudgingRequest,
  verdicts: readonly Verdict[],
  tree: string | undefined,
  judges: Judges,
): void {
  if (tree === undefined) return;
  const specs = specsOf(request.calls);
  // A refusal to run a gate is not kept: the gate is judged once its files are put back.
  const worth = verdicts
    .flatMap(withChildren)
    .filter((v) => isSettled(v) && !v.fingerprint?.startsWith(DRIFT));
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
