import type { HooksState } from '../../engine/client/settings/would-run.ts';
import { answerTo, questionWords } from '../../engine/core/loop/asked.ts';
import { elapsedMs } from '../../engine/core/loop/limits.ts';
import { MISSED_WORDS } from '../../engine/core/loop/missed-stop.ts';
import {
  type AgentLine,
  asksPerson,
  type GateLine,
  hasEnded,
  type LoopState,
} from '../../engine/core/loop/state.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { sayDuration } from '../../engine/core/text/duration.ts';
import { sayCount } from '../../engine/core/text/figures.ts';
import { groupBy } from '../../engine/core/text/lists.ts';
import { whenOf } from '../../engine/core/text/moment.ts';
import { jsonLines } from '../../engine/core/text/visible.ts';
import { describeEnding, describeWait } from '../../engine/core/words/endings.ts';
import { resultLine } from '../../engine/core/words/subagent-results.ts';
import type { FileStore } from '../../engine/home/store.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import {
  type Found,
  loopsAround,
  parentOf,
  readLoops,
  withoutChildren,
} from '../../engine/run/person/find-loop.ts';
import { estimatedPart } from '../../engine/run/view/format-figures.ts';
import { paint, paintStatus, VERDICT_STYLES } from '../../engine/terminal/style.ts';
import { lookAtLoop, type ViewingPorts } from '../../read/loop/look-at-loop.ts';
import type { LoopView } from '../../read/loop/loop-view.ts';
import type { ForeignStatus } from './foreign-status.ts';
import { statusJson } from './status-json.ts';

export interface StatusOptions {
  json: boolean;
  all: boolean;
  /** Every loop that has ended, not only the newest. */
  ended?: boolean;
  project: string;
  foreign: readonly ForeignStatus[];
  /** What there is to know of the program that the hooks run. */
  program?: readonly string[];
  /** Whether the hooks of a project would run. */
  hooksAt?(project: string): HooksState;
  wallsHere?: ViewingPorts['wallsHere'];
  turnEndOf?: ViewingPorts['turnEndOf'];
}

export function status(
  options: StatusOptions,
  store: FileStore,
  now: number,
  out: (line: string) => void,
): void {
  const { project, foreign, hooksAt = () => ({ held: true }), wallsHere, turnEndOf } = options;
  const world: ViewingPorts = { store, now, hooksAt, wallsHere, turnEndOf };
  const here = loopsAround(store, project);
  const everywhere = options.all || here.length === 0;
  const found = readLoops(store, everywhere ? store.loops() : here);
  const hooks = hooksAt(project);
  if (options.json) {
    for (const line of jsonLines(statusJson(found, foreign, hooks, world))) out(line);
    return;
  }
  const first = hooksLines(hooks, found);
  const { program = [] } = options;
  for (const line of [
    ...first,
    ...(program.length > 0 ? [...program, ''] : []),
    ...foreign.flatMap(foreignLines),
  ])
    out(line);
  if (found.length === 0) {
    out('No loops yet. Start one inside Claude Code: untildone start "what is to be done"');
    return;
  }
  if (everywhere && !options.all) for (const line of ['No loops in this project. In others:', '']) out(line);
  const { shown, hidden } = options.ended ? { shown: found, hidden: 0 } : newestEnded(found);
  for (const f of withoutChildren(shown)) {
    const children = found.filter((other) => parentOf(other) === f.ref.loop);
    for (const line of [...textOf(f, world, project), ...childLines(children, world)]) out(line);
  }
  if (hidden > 0)
    out(`${hidden} more that ended earlier: untildone status --ended; remove old ones: untildone prune`);
  if (!hooks.held && first.length === 0)
    out(`Only the sessions of runs are held in this project: ${hooks.why}`);
  if (!everywhere) sayOthers(store, here, out);
}

/** Comes first: a loop that is called active holds nobody without hooks. A run holds its sessions itself. */
function hooksLines(hooks: HooksState, found: readonly Found[]): string[] {
  if (hooks.held) return [];
  const unended = found.flatMap((f) => ('state' in f && !hasEnded(f.state) ? [f.state] : []));
  const onlyRuns = unended.length > 0 && unended.every(({ run }) => run !== undefined);
  return onlyRuns ? [] : [`${paint('bad', 'NOBODY IS HELD in this project:')} ${hooks.why}`, ''];
}

function foreignLines({ dialect, path, text }: ForeignStatus): string[] {
  return [`${dialect}  ${path}`, `  ${text}`, ''];
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

function textOf(found: Found, world: ViewingPorts, project: string): string[] {
  if (!('state' in found)) return [unreadable(found.ref.loop, found.problem), ''];
  const { ref, state } = found;
  const view = lookAtLoop(ref, state, world);
  const of = state.maxIterations === 'unlimited' ? '' : ` of ${state.maxIterations}`;
  const dialect = state.dialect === 'native' ? '' : `  ${state.dialect}`;
  return [
    `${paint('bold', ref.loop)}  ${paintStatus(state.status)}${dialect}  iteration ${state.iteration}${of}  ${sayDuration(view.elapsedMs)}`,
    `  task: ${view.task}`,
    `  session: ${state.session}${state.run ? ` (number ${state.run.sessions} of this run)` : ''}`,
    ...(view.folder === undefined || view.folder === project ? [] : [`  folder: ${view.folder}`]),
    ...situationLines(view, world.now),
    ...(view.walls === undefined ? [] : [`  walls: ${view.walls}`]),
    ...state.gates.flatMap(gateLines),
    '',
  ];
}

function unreadable(loop: string, problem: string): string {
  return `${loop}  ${paint('bad', 'UNREADABLE:')} ${problem}`;
}

/** What was spent, how the loop ended, why nobody is held, and what it waits for. */
function situationLines({ state, unheld, phase, missedAt, untrusted }: LoopView, now: number): string[] {
  const { run, spent, ending, waiting, agents = [] } = state;
  const lines: string[] = [];
  if (run)
    lines.push(
      `  spent: ${spent.costUsd.toFixed(2)} USD${estimatedPart(spent)}, ${sayCount(spent.tokens)} tokens, as of the last session that ended or stopped`,
    );
  else if (state.spentBySubagents)
    lines.push(
      `  spent: ${sayCount(spent.tokens)} tokens, of these ${sayCount(state.spentBySubagents)} by subagents`,
    );
  if (ending) lines.push(`  ended ${whenOf(ending.at, now)}: ${describeEnding(state)}`);
  if (unheld) lines.push(`  ${paint('bad', 'NOT BEING HELD:')} ${unheld}`);
  if (untrusted) lines.push(`  ${paint('bad', 'NOT TRUSTED:')} ${untrusted}`);
  if (missedAt !== undefined)
    lines.push(`  ${paint('bad', 'NOT JUDGED:')} since ${whenOf(missedAt, now)}: ${MISSED_WORDS}`);
  if (waiting)
    lines.push(`  ${paint('open', `since ${whenOf(waiting.since, now)}:`)} ${describeWait(state)}`);
  lines.push(...questionLines(state));
  if (phase) lines.push(`  phase: ${phase.name} (${phase.number} of ${phase.of})`);
  if (agents.length > 0) lines.push(...agentLines(agents));
  return lines;
}

const QUESTIONS_SHOWN = 5;
const QUESTION_LIMIT = 300;

/** What the agent asked last, and what became of it. */
function questionLines(state: LoopState): string[] {
  return (state.questions ?? []).slice(-QUESTIONS_SHOWN).map((question) => {
    const answered = answerTo(state, question);
    const said = answered ? `${answered.said}${answered.note ? `: ${answered.note}` : ''}` : 'open';
    return `  ${oneLine(`${questionWords(question)} - ${said}`, QUESTION_LIMIT)}`;
  });
}

/** How many subagents there are, and what the newest of them said last. */
function agentLines(agents: readonly AgentLine[]): string[] {
  const said = agents.filter((agent) => agent.said !== undefined).slice(-AGENTS_SHOWN);
  return [
    `  subagents: ${agentCounts(agents)}`,
    ...said.map((agent) => `    ${oneLine(resultLine(agent), AGENT_LIMIT)}`),
  ];
}

const AGENTS_SHOWN = 5;
const AGENT_LIMIT = 160;

function agentCounts(agents: readonly AgentLine[]): string {
  const byStatus = groupBy(agents, (agent) => agent.status);
  return [...byStatus].map(([status, each]) => `${each.length} ${status}`).join(', ');
}

function gateLines(gate: GateLine): string[] {
  const painted = (verdict: GateLine['verdict']) => paint(VERDICT_STYLES[verdict], verdict);
  const parts = (gate.parts ?? []).map(
    (part) => `    ${part.name}: ${painted(part.verdict)} ${part.summary}`,
  );
  return [`  ${gate.name}: ${painted(gate.verdict)} (${gate.class}) ${gate.summary}`, ...parts];
}

/** Shows the children of a run below it, the oldest first. */
function childLines(children: readonly Found[], world: ViewingPorts): string[] {
  const lines = [...children].reverse().flatMap((found) => {
    if (!('state' in found)) return [`  child ${unreadable(found.ref.loop, found.problem)}`];
    const { ref, state } = found;
    const task = oneLine(world.store.task(ref).split('\n', 1)[0] ?? '', 80);
    const worked = elapsedMs(state, state.ending?.at ?? world.now);
    return [
      `  child ${ref.loop}  ${paintStatus(state.status)}  iteration ${state.iteration}  ${sayDuration(worked)}  ${task}`,
      ...(asksPerson(state) ? [`    ${describeWait(state)}`] : []),
    ];
  });
  return lines.length === 0 ? [] : [...lines, ''];
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
