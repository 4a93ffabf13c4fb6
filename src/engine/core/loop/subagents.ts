import { keepShort, oneLine } from '../text/clip.ts';
import { redact } from '../text/redact.ts';
import type { StopSeen } from './count-stop.ts';
import type { AgentLine, LoopState } from './state.ts';
import { blocks, sumUp, type Verdict } from './verdict.ts';

/** The subagent that a `guard` entry of a SubagentStop is about. */
export interface GuardedAgent {
  id: string;
  type: string;
  /** Why its gates were not judged. */
  unjudged?: string;
  /** What it said last, when it was allowed to stop; without secrets. */
  said?: string;
}

const REMEMBERED = 100;
const WORD_LIMIT = 100;
const FAILED_LIMIT = 200;
const FOLDER_LIMIT = 1000;
const SAID_LIMIT = 4000;
/** Secrets are looked for in so much of it: a message may have megabytes. */
const REDACTED = 50_000;
/** Every line of the journal holds what these subagents said, so it is kept short there. */
const SAID_SHORT = 300;
const SAID_KEPT = 20;

/** What the journal keeps of the start of a subagent. */
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

/** Cuts both texts to size, because they come from outside. */
export function agentWords({ id, type }: { id: string; type: string }): { type: string; id: string } {
  return { type: oneLine(type, WORD_LIMIT), id: oneLine(id, WORD_LIMIT) };
}

/** What the journal keeps of the last words of a subagent. */
export function lastWords(message: string | undefined): string | undefined {
  const said = keepShort(redact((message ?? '').slice(0, REDACTED)).trim(), SAID_LIMIT);
  return said === '' ? undefined : said;
}

/** Which subagent an event comes from, for the details of its entry. */
export function agentDetail({ agentId = '', agentType = '' }: { agentId?: string; agentType?: string }): {
  agent?: string;
} {
  return agentId === '' ? {} : { agent: oneLine(`${agentType} ${agentId}`.trim(), WORD_LIMIT * 2) };
}

/** Notes a SubagentStart. A subagent that is woken up again keeps its line. */
export function agentBegun(state: LoopState, detail: Record<string, string>, at: number): LoopState {
  const { id, type, worktree, commit } = detail;
  // A compaction is a subagent without a type, and is not judged.
  if (!id || !type) return state;
  const known = lineOf(state, id);
  const place = worktree ? { worktree: { folder: worktree, commit: commit || undefined } } : {};
  // Only a tool call starts a subagent; while the session waits, it is one of another subagent.
  const begun = state.waiting ? state : { ...state, toolSeen: true };
  return withLine(begun, {
    ...place,
    ...(known ? begunAgain(known) : { id, type, begunAt: at }),
    status: 'working',
  });
}

/** Notes a SubagentStop, held or allowed. */
export function agentGuarded(
  state: LoopState,
  entry: { agent?: GuardedAgent; verdicts: readonly Verdict[]; refused: boolean },
  at: number,
): LoopState {
  const { agent, verdicts, refused } = entry;
  if (!agent?.id || !agent.type) return state;
  const begun = begunAgain(lineOf(state, agent.id) ?? { id: agent.id, type: agent.type, begunAt: at });
  if (refused) return withLine(state, { ...begun, status: 'working' });
  const said = agent.said === undefined ? {} : { said: oneLine(agent.said, SAID_SHORT) };
  const known = { ...begun, ...said };
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

/** Forgets a subagent that stopped while its loop was paused: it was not judged. */
export function agentLeft(state: LoopState, detail: Record<string, string>): LoopState {
  const { agents } = state;
  return agents ? { ...state, agents: agents.filter(({ id }) => id !== detail.id) } : state;
}

/** Marks subagents as lost that no longer run at a Stop of the session although no event told that they ended. */
export function agentsAtStop(state: LoopState, seen: StopSeen, at: number): LoopState {
  if (!state.agents?.some((agent) => isLost(agent, seen.background))) return state;
  const agents = state.agents.map(
    (agent): AgentLine =>
      isLost(agent, seen.background) ? { ...agent, status: 'lost', endedAt: at } : agent,
  );
  return { ...state, agents };
}

/** Marks what subagents said as told: the session that is held reads it. */
export function agentsTold(state: LoopState): LoopState {
  if (!state.agents?.some(isUntold)) return state;
  return {
    ...state,
    agents: state.agents.map((agent) => (isUntold(agent) ? { ...agent, told: true } : agent)),
  };
}

/** Whether a subagent has ended with an answer that the session was not told in a hold. */
export function isUntold({ status, said, told }: AgentLine): boolean {
  return status !== 'working' && said !== undefined && !told;
}

/** Claude Code does not list a subagent that another one waits for: while any is listed, none counts as lost. */
export function isLost(agent: AgentLine, background: readonly { type: string }[]): boolean {
  return agent.status === 'working' && !background.some(({ type }) => type === 'subagent');
}

/** Subagents may take so many times longer than other background tasks. */
const LONGER = 12;

/** How long a background task excuses an unfinished Stop; a known subagent longer, for it is no server that runs for ever. */
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
  return { ...state, agents: withNewestWords(all.length <= REMEMBERED ? all : withoutOldest(all)) };
}

function withNewestWords(agents: readonly AgentLine[]): AgentLine[] {
  const left = agents.filter(({ said }) => said !== undefined).length - SAID_KEPT;
  if (left <= 0) return [...agents];
  const oldest = new Set(agents.filter(({ said }) => said !== undefined).slice(0, left));
  return agents.map((agent) => (oldest.has(agent) ? { ...agent, said: undefined } : agent));
}

function withoutOldest(agents: readonly AgentLine[]): AgentLine[] {
  const finished = agents.findIndex(({ status }) => status !== 'working');
  return agents.toSpliced(Math.max(0, finished), 1);
}
