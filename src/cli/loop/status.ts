import { elapsedMs } from '../../core/loop/limits.ts';
import { type PhaseSituation, phaseOf, phaseSituation } from '../../core/loop/phases.ts';
import { type AgentLine, type GateLine, hasEnded, type LoopState } from '../../core/loop/state.ts';
import { oneLine } from '../../core/text/clip.ts';
import { sayDuration } from '../../core/text/duration.ts';
import { groupBy } from '../../core/text/lists.ts';
import { jsonLines } from '../../core/text/visible.ts';
import { describeEnding, describeWait } from '../../core/words/endings.ts';
import { isLocked } from '../../files/lock.ts';
import type { FileStore } from '../../home/store.ts';
import { type Found, loopsAround, parentOf, readLoops, withoutChildren } from '../../hook/start/find-loop.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { driverLock } from '../../run/begin/client-options.ts';
import { estimatedPart } from '../../run/view/format-figures.ts';
import type { ForeignStatus } from './foreign-status.ts';

/** What `status --json` promises to other programs. Fields are added, never changed. */
export interface StatusLoop {
  id: string;
  session: string;
  status: string;
  iteration: number;
  max_iterations: number | null;
  task: string;
  dialect: string;
  started_at: string;
  elapsed_s: number;
  tokens: number;
  cost_usd: number;
  /** Of a contract with phases: the one that the work is in. */
  phase: string | null;
  /** Subagents that were seen, with how each ended. */
  agents: { id: string; type: string; status: string }[];
  waiting: { why: string; since: string; text: string } | null;
  /** Why its session is not being held although the loop is active. */
  not_held: string | null;
  /** Of a loop over many sessions. */
  run: { mode: string; sessions: number; parent: string | null } | null;
  ending: { cause: string; at: string; detail: string; text: string } | null;
  gates: {
    name: string;
    class: string;
    verdict: string;
    summary: string;
    /** Of chunks: each of them. */
    parts?: { name: string; verdict: string; summary: string }[];
  }[];
}

export function status(
  options: {
    json: boolean;
    all: boolean;
    /** Every loop that has ended, not only the newest. */
    ended?: boolean;
    project: string;
    foreign: readonly ForeignStatus[];
  },
  store: FileStore,
  now: number,
  out: (line: string) => void,
): void {
  const here = loopsAround(store, options.project);
  const everywhere = options.all || here.length === 0;
  const found = readLoops(store, everywhere ? store.loops() : here);
  if (options.json) {
    const loops = found.map((f) => jsonOf(f, store, now));
    for (const line of jsonLines({ loops, foreign: options.foreign })) out(line);
    return;
  }
  for (const { dialect, path, text } of options.foreign)
    for (const line of [`${dialect}  ${path}`, `  ${text}`, '']) out(line);
  if (found.length === 0) {
    out('No loops yet. Start one inside Claude Code: untildone start "what is to be done"');
    return;
  }
  if (everywhere && !options.all) for (const line of ['No loops in this project. In others:', '']) out(line);
  const { shown, hidden } = options.ended ? { shown: found, hidden: 0 } : newestEnded(found);
  for (const f of withoutChildren(shown)) {
    const children = found.filter((other) => parentOf(other) === f.ref.loop);
    for (const line of [...textOf(f, store, now, options.project), ...childLines(children, store, now)])
      out(line);
  }
  if (hidden > 0)
    out(`${hidden} more that ended earlier: untildone status --ended; remove old ones: untildone prune`);
  if (!everywhere) sayOthers(store, here, out);
}

const ENDED_SHOWN = 10;

/** Chooses every loop that has not ended and the newest ones that have, with their children: about one screen. */
function newestEnded(found: readonly Found[]): { shown: Found[]; hidden: number } {
  const isOver = (f: Found) => 'state' in f && hasEnded(f.state);
  const ended = withoutChildren(found).filter(isOver);
  const hidden = new Set(ended.slice(ENDED_SHOWN).map(({ ref }) => ref.loop));
  const shown = found.filter((f) => !isOver(f) || !(hidden.has(f.ref.loop) || hidden.has(parentOf(f) ?? '')));
  return { shown, hidden: hidden.size };
}

function jsonOf(
  found: Found,
  store: FileStore,
  now: number,
): StatusLoop | { id: string; status: 'unreadable'; problem: string } {
  if (!('state' in found)) return { id: found.ref.loop, status: 'unreadable', problem: found.problem };
  const { ref, state } = found;
  return {
    id: ref.loop,
    session: state.session,
    status: state.status,
    iteration: state.iteration,
    max_iterations: state.maxIterations === 'unlimited' ? null : state.maxIterations,
    task: preview(ref, store),
    dialect: state.dialect,
    started_at: iso(state.startedAt),
    elapsed_s: Math.round(elapsedOf(state, now) / 1000),
    tokens: state.spent.tokens,
    cost_usd: state.spent.costUsd,
    not_held: whyUnheld(ref, state, store) ?? null,
    run: state.run
      ? { mode: state.run.mode, sessions: state.run.sessions, parent: state.run.parent ?? null }
      : null,
    phase: phaseAt(ref, state, store)?.name ?? null,
    agents: (state.agents ?? []).map(({ id, type, status }) => ({ id, type, status })),
    waiting: state.waiting
      ? { why: state.waiting.why, since: iso(state.waiting.since), text: describeWait(state) }
      : null,
    ending: state.ending
      ? {
          cause: state.ending.cause,
          at: iso(state.ending.at),
          detail: state.ending.detail,
          text: describeEnding(state),
        }
      : null,
    gates: state.gates,
  };
}

function textOf(found: Found, store: FileStore, now: number, project: string): string[] {
  if (!('state' in found)) return [`${found.ref.loop}  UNREADABLE: ${found.problem}`, ''];
  const { ref, state } = found;
  const of = state.maxIterations === 'unlimited' ? '' : ` of ${state.maxIterations}`;
  const lines = [
    `${ref.loop}  ${state.status}${state.dialect === 'native' ? '' : `  ${state.dialect}`}  iteration ${state.iteration}${of}  ${sayDuration(elapsedOf(state, now))}`,
    `  task: ${preview(ref, store)}`,
    `  session: ${state.session}${state.run ? ` (number ${state.run.sessions} of this run)` : ''}`,
    ...folderLine(ref, store, project),
  ];
  if (state.run)
    lines.push(
      `  spent: ${state.spent.costUsd.toFixed(2)} USD${estimatedPart(state.spent)}, ${state.spent.tokens} tokens, as of the last session that ended or stopped`,
    );
  if (state.ending) lines.push(`  ended ${iso(state.ending.at)}: ${describeEnding(state)}`);
  const unheld = whyUnheld(ref, state, store);
  if (unheld) lines.push(`  NOT BEING HELD: ${unheld}`);
  if (state.waiting) lines.push(`  since ${iso(state.waiting.since)}: ${describeWait(state)}`);
  lines.push(...phaseLine(ref, state, store));
  if (state.agents && state.agents.length > 0) lines.push(`  subagents: ${agentCounts(state.agents)}`);
  for (const gate of state.gates) lines.push(...gateLines(gate));
  return [...lines, ''];
}

/** Names the folder of a loop that works elsewhere: in a worktree, or in another project. */
function folderLine(ref: LoopRef, store: FileStore, project: string): string[] {
  try {
    const { frozen } = store.contract(ref);
    return frozen.project === project ? [] : [`  folder: ${frozen.project}`];
  } catch {
    return [];
  }
}

function phaseLine(ref: LoopRef, state: LoopState, store: FileStore): string[] {
  const phase = phaseAt(ref, state, store);
  return phase ? [`  phase: ${phase.name} (${phase.number} of ${phase.of})`] : [];
}

function phaseAt(ref: LoopRef, state: LoopState, store: FileStore): PhaseSituation | undefined {
  try {
    const { contract } = store.contract(ref);
    const phase = phaseOf(contract, state);
    return phase && phaseSituation(contract, phase);
  } catch {
    // The rest of the status is shown without a contract that is damaged.
    return undefined;
  }
}

function agentCounts(agents: readonly AgentLine[]): string {
  const byStatus = groupBy(agents, (agent) => agent.status);
  return [...byStatus].map(([status, each]) => `${each.length} ${status}`).join(', ');
}

function gateLines(gate: GateLine): string[] {
  const parts = (gate.parts ?? []).map((part) => `    ${part.name}: ${part.verdict} ${part.summary}`);
  return [`  ${gate.name}: ${gate.verdict} (${gate.class}) ${gate.summary}`, ...parts];
}

/** Shows the children of a run below it, the oldest first. */
function childLines(children: readonly Found[], store: FileStore, now: number): string[] {
  const lines = [...children].reverse().flatMap((found) => {
    if (!('state' in found)) return [`  child ${found.ref.loop}  UNREADABLE: ${found.problem}`];
    const { ref, state } = found;
    const task = oneLine(store.task(ref).split('\n', 1)[0] ?? '', 80);
    const asks = state.waiting?.why === 'approval' || state.waiting?.why === 'needs_person';
    return [
      `  child ${ref.loop}  ${state.status}  iteration ${state.iteration}  ${sayDuration(elapsedOf(state, now))}  ${task}`,
      ...(asks ? [`    ${describeWait(state)}`] : []),
    ];
  });
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Tells why an active loop cannot hold its session. */
function whyUnheld(ref: LoopRef, state: LoopState, store: FileStore): string | undefined {
  if (state.status !== 'active') return undefined;
  if (state.dialect !== 'native' && !store.claimedLoopsOf(state.session).some((own) => own.dir === ref.dir)) {
    return 'its start was cut off, and another loop stands for its state file; this one counts for nothing';
  }
  if (state.run) {
    return isLocked(driverLock(ref))
      ? undefined
      : `no process drives it; go on with: untildone run --resume ${ref.loop}`;
  }
  if (!store.isMarked(state.session)) return 'its marker in the untildone home was removed';
  if (!state.waiting && store.clientOf(state.session) === 'gone') {
    return `Claude Code has ended; resume its session with: claude --resume ${state.session}`;
  }
  return undefined;
}

function sayOthers(store: FileStore, here: readonly LoopRef[], out: (line: string) => void): void {
  const known = new Set(here.map((ref) => ref.dir));
  const others = readLoops(
    store,
    store.loops().filter((ref) => !known.has(ref.dir)),
  );
  const unended = others.filter((f) => 'state' in f && !hasEnded(f.state)).length;
  if (unended > 0) out(`${unended} more that have not ended, in other projects: untildone status --all`);
}

function elapsedOf(state: LoopState, now: number): number {
  return elapsedMs(state, state.ending?.at ?? now);
}

function preview(ref: LoopRef, store: FileStore): string {
  return oneLine(store.task(ref).slice(0, 1000), 200);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
