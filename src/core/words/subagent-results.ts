import type { AgentLine, LoopState } from '../loop/state.ts';
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

/** One subagent in a line: which it is, how it ended, what it said last. */
export function resultLine({ type, id, status, said }: AgentLine): string {
  return `${type} (${id}) ${STATUS[status]}${said === undefined ? '' : `: ${said}`}`;
}
