import type { AgentLine, LoopState } from '../loop/state.ts';
import { isUntold } from '../loop/subagents.ts';
import { keepShort } from '../text/clip.ts';

/** Room for all results together. */
const RESULTS_LIMIT = 2500;

const STATUS: Record<AgentLine['status'], string> = {
  working: 'still works',
  passed: 'ended',
  failed: 'ended although its gates fail',
  lost: 'ended without being checked',
};

/**
 * What the subagents of a loop came to, for the session that started them: after a compaction their answers are gone.
 * Empty when none of them has answered.
 */
export function subagentResults({ agents = [], loop }: Pick<LoopState, 'agents' | 'loop'>): string {
  if (!agents.some(({ said }) => said !== undefined)) return '';
  // The newest first, so that they are there when not all fit.
  const lines = [...agents].reverse().map((agent) => `- ${resultLine(agent)}`);
  return [
    `The subagents of this loop so far (what each said last, in whole: untildone log ${loop} --subagents):`,
    keepShort(lines.join('\n'), RESULTS_LIMIT),
  ].join('\n');
}

/** Room in a hold, which has more to say. */
const HOLD_LIMIT = 1500;

/**
 * What subagents said that ended since the session was last held, gathered: one that gave work to several decides by all
 * of their answers what comes next. Each is told once.
 */
export function newSubagentResults({ agents = [] }: Pick<LoopState, 'agents'>): string[] {
  const ended = agents.filter(isUntold);
  if (ended.length === 0) return [];
  const lines = ended.map((agent) => `- ${resultLine(agent)}`);
  return [`Subagents that ended since the last hold:\n${keepShort(lines.join('\n'), HOLD_LIMIT)}`];
}

/** One subagent in a line: which it is, how it ended, what it said last. */
export function resultLine({ type, id, status, said }: AgentLine): string {
  return `${type} (${id}) ${STATUS[status]}${said === undefined ? '' : `: ${said}`}`;
}
