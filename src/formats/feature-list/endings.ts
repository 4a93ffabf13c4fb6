import type { LoopState } from '../../core/loop/state.ts';
import { COMPLETE } from './progress.ts';
import { openFeatures, type State, stillOpen } from './words.ts';

const IDS_SHOWN = 100;

/** What the document's own hook would have put out: its words where they are true. */
export function outputOf(state: State, ended: LoopState): Record<string, string | string[]> {
  const open = openFeatures(state).map(({ id }) => id);
  const shown = open.slice(0, IDS_SHOWN);
  if (open.length > IDS_SHOWN) shown.push(`and ${open.length - IDS_SHOWN} more`);
  return {
    status: statusWord(ended),
    message: sentence(state, ended),
    ...(open.length > 0 ? { remaining_features: shown } : {}),
  };
}

/** The line that stays in progress.txt. It holds none of the keys that are read from there. */
export function logLine(state: State, ended: LoopState): string {
  const at = new Date(ended.ending?.at ?? ended.lastAt).toISOString();
  const cause = ended.ending?.cause ?? 'unknown';
  return `- [${at}] untildone: ${ended.status} (${cause}): ${sentence(state, ended)}`;
}

export function statusWord({ status }: LoopState): string {
  return isDone(status) ? COMPLETE : status.toUpperCase();
}

function isDone(status: LoopState['status']): boolean {
  return status === 'verified_done' || status === 'claimed_done';
}

function sentence(state: State, ended: LoopState): string {
  const open = openFeatures(state).length;
  if (!isDone(ended.status)) return `${why(ended)} ${open} features remaining.`;
  const { features, otherTotal } = state.list;
  if (open > 0) {
    const proof = ended.status === 'verified_done' ? 'the checks that were run pass' : 'not verified';
    return `Claimed complete (${proof}), although ${stillOpen(open, features.length)}.`;
  }
  const all = `All ${features.length} features`;
  const hint = otherTotal === undefined ? '' : ` (total_features says ${otherTotal})`;
  return ended.status === 'verified_done'
    ? `${all} verified${hint}. Loop complete.`
    : `${all} claimed, not verified${hint}. Loop complete.`;
}

function why({ status, maxIterations, ending }: LoopState): string {
  switch (status) {
    case 'reached_limit':
      return ending?.cause === 'iterations'
        ? `Max iterations (${maxIterations}) reached.`
        : `The limit of ${LIMITS[ending?.cause ?? ''] ?? 'this loop'} was reached.`;
    case 'stalled':
      return 'No progress.';
    case 'idle':
      return 'The agent had nothing more to say.';
    case 'capped':
      return "Let go at the client's own limit.";
    case 'cancelled':
      return 'Cancelled.';
    case 'released':
      return ending?.cause === 'person' ? 'Released by a person.' : 'Let go without proof.';
    default:
      return 'The loop failed.';
  }
}

const LIMITS: Record<string, string> = { duration: 'working time', cost: 'cost', tokens: 'tokens' };
