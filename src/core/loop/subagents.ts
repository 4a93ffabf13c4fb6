import { oneLine } from '../text/clip.ts';
import type { StopSeen } from './count-stop.ts';
import type { AgentLine, LoopState } from './state.ts';
import { blocks, sumUp, type Verdict } from './verdict.ts';

/** Who a `guard` entry of a SubagentStop is about. */
export interface GuardedAgent {
  id: string;
  type: string;
  /** Gates guard its type, but they were not judged: why. */
  unjudged?: string;
}

const REMEMBERED = 100;
const WORD_LIMIT = 100;
const FAILED_LIMIT = 200;
const FOLDER_LIMIT = 1000;

/** What the journal keeps of an agent's beginning. */
export function beginningOf(
  agent: { id: string; type: string },
  worktree: AgentLine['worktree'],
): Record<string, string> {
  const fits = worktree !== undefined && worktree.folder.length <= FOLDER_LIMIT;
  return {
    ...agentWords(agent),
    ...(fits ? { worktree: worktree.folder } : {}),
    ...(fits && worktree.commit !== undefined ? { commit: worktree.commit } : {}),
  };
}

/** Cut to size: both come from outside. */
export function agentWords({ id, type }: { id: string; type: string }): { type: string; id: string } {
  return { type: oneLine(type, WORD_LIMIT), id: oneLine(id, WORD_LIMIT) };
}

/** SubagentStart. An agent that is woken up again is the same one. */
export function agentBegun(state: LoopState, detail: Record<string, string>, at: number): LoopState {
  const { id, type, worktree, commit } = detail;
  // The client's own compaction has no type, and is nobody's work.
  if (!id || !type) return state;
  const known = lineOf(state, id);
  const place = worktree ? { worktree: { folder: worktree, commit: commit || undefined } } : {};
  return withLine(state, {
    ...place,
    ...(known ? begunAgain(known) : { id, type, begunAt: at }),
    status: 'working',
  });
}

/** SubagentStop, held or let through. */
export function agentGuarded(
  state: LoopState,
  entry: { agent?: GuardedAgent; verdicts: readonly Verdict[]; refused: boolean },
  at: number,
): LoopState {
  const { agent, verdicts, refused } = entry;
  if (!agent?.id || !agent.type) return state;
  const known = begunAgain(lineOf(state, agent.id) ?? { id: agent.id, type: agent.type, begunAt: at });
  if (refused) return withLine(state, { ...known, status: 'working' });
  const failed = failureIn(verdicts, agent.unjudged);
  if (failed !== undefined) return withLine(state, { ...known, status: 'failed', endedAt: at, failed });
  const measured = sumUp(verdicts).result === 'verified' ? { measured: true as const } : {};
  return withLine(state, { ...known, status: 'passed', endedAt: at, ...measured });
}

function failureIn(verdicts: readonly Verdict[], unjudged: string | undefined): string | undefined {
  const failing = verdicts.filter(blocks).map((v) => `${v.gate} (${v.summary})`);
  if (failing.length > 0) return oneLine(failing.join(', '), FAILED_LIMIT);
  return unjudged === undefined ? undefined : oneLine(`not judged: ${unjudged}`, FAILED_LIMIT);
}

/** The end of an agent that nobody judged, because its loop is paused: it is no longer one of the loop's. */
export function agentLeft(state: LoopState, detail: Record<string, string>): LoopState {
  const { agents } = state;
  return agents ? { ...state, agents: agents.filter(({ id }) => id !== detail.id) } : state;
}

/** A Stop of the session: agents that should be at work, and are not any more, ended without a word. */
export function agentsAtStop(state: LoopState, seen: StopSeen, at: number): LoopState {
  if (!state.agents?.some((agent) => isLost(agent, seen.background))) return state;
  const agents = state.agents.map(
    (agent): AgentLine =>
      isLost(agent, seen.background) ? { ...agent, status: 'lost', endedAt: at } : agent,
  );
  return { ...state, agents };
}

/** The client does not list an agent that another one waits for: as long as any is listed, nothing is known. */
export function isLost(agent: AgentLine, background: readonly { type: string }[]): boolean {
  return agent.status === 'working' && !background.some(({ type }) => type === 'subagent');
}

/** A piece of work takes longer than what is only waited for. */
const LONGER = 12;

/** How long a background task excuses a session from going on; an agent whose beginning was seen is no dev server. */
export function patienceWith(task: string, state: LoopState, ms: number): number {
  return lineOf(state, task)?.status === 'working' ? LONGER * ms : ms;
}

export function lineOf({ agents }: Pick<LoopState, 'agents'>, id: string): AgentLine | undefined {
  return agents?.find((agent) => agent.id === oneLine(id, WORD_LIMIT));
}

function begunAgain({ id, type, begunAt, worktree }: Omit<AgentLine, 'status'>): Omit<AgentLine, 'status'> {
  return { id, type, begunAt, worktree };
}

function withLine(state: LoopState, line: AgentLine): LoopState {
  const agents = state.agents ?? [];
  const known = agents.some(({ id }) => id === line.id);
  const all = known ? agents.map((agent) => (agent.id === line.id ? line : agent)) : [...agents, line];
  return { ...state, agents: all.length <= REMEMBERED ? all : withoutOldest(all) };
}

function withoutOldest(agents: readonly AgentLine[]): AgentLine[] {
  const finished = agents.findIndex(({ status }) => status !== 'working');
  return agents.toSpliced(Math.max(0, finished), 1);
}
