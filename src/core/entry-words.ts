import type { Entry } from './entry.ts';
import type { LoopState } from './loop.ts';
import { describeChildEntry } from './run-children-words.ts';
import type { Verdict } from './verdict.ts';

/** One journal entry in words, for people who read `untildone log`. */
export function describeEntry(entry: Entry, state: LoopState): string {
  switch (entry.kind) {
    case 'started':
      return `started for session ${entry.session}: ${entry.task.preview}`;
    case 'stop':
      return `stop: ${decisionWords(entry, state)}${phaseWords(entry)}${verdictWords(entry.verdicts)}`;
    case 'event':
      return `${entry.event}${detailWords(entry.detail)}`;
    case 'guard':
      return `${entry.event} of ${entry.subject}: ${entry.refused ? 'held' : 'let through'}${verdictWords(entry.verdicts)}`;
    case 'allowed':
      return `a person allowed ${entry.exception}${entry.note ? `: ${entry.note}` : ''}`;
    case 'answered':
      return `a person ${entry.said} ${entry.gate}${entry.note ? `: ${entry.note}` : ''}`;
    case 'contract':
      return `a person updated the contract (now ${entry.contractSha256.slice(0, 12)})`;
    case 'command':
      // A run pauses by itself, too; its note says why.
      if (entry.command === 'pause' && state.run && entry.note) return `paused: ${entry.note}`;
      return `${entry.command} by a person${entry.note ? `: ${entry.note}` : ''}`;
    case 'synced':
      return `the state file says: ${syncedWords(entry)}`;
    case 'withdrawn':
      return `ended as ${state.status}: ${entry.detail}`;
    case 'closed':
      return 'its state files were closed';
    case 'claimed':
      return `session ${entry.session} goes on with it`;
    case 'run_begun':
      return 'goes on as a run: its session is full';
    case 'intent':
      return `${entry.resume ? 'going on in' : 'starting'} session ${entry.session} (${entry.why})`;
    case 'result':
      return `session ended: ${entry.end.kind} (${entry.end.detail})`;
    case 'ended':
      return `ended as ${entry.status} (${entry.cause}: ${entry.detail})`;
    case 'said':
      return Object.entries(entry.output)
        .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`)
        .join('; ');
    case 'foreign':
      return `FOUND ${entry.lines} lines that untildone did not write; they count for nothing`;
    case 'error':
      return `ERROR: ${entry.message}`;
    default:
      return describeChildEntry(entry);
  }
}

function syncedWords({ iteration, maxIterations, says }: Extract<Entry, { kind: 'synced' }>): string {
  const parts = [
    ...(iteration === undefined && says === undefined ? [] : [`iteration ${iteration ?? says}`]),
    ...(maxIterations === undefined ? [] : [`at most ${maxIterations}`]),
  ];
  return parts.join(', ') || 'nothing new';
}

function decisionWords({ decision }: Extract<Entry, { kind: 'stop' }>, state: LoopState): string {
  switch (decision.kind) {
    case 'block': {
      if (decision.instruction === 'hand_over') return 'held, asked for a hand-over note';
      const other = decision.instruction === 'different_approach' ? ', asked for a different approach' : '';
      return `held, iteration ${state.iteration} begins${other}`;
    }
    case 'allow':
      return `let through (${decision.cause}${decision.detail ? `: ${decision.detail}` : ''}), not counted`;
    case 'end':
      return `ended as ${decision.status} (${decision.cause}: ${decision.detail})`;
  }
}

function phaseWords({ seen: { phase } }: Extract<Entry, { kind: 'stop' }>): string {
  if (!phase || phase.passed.length === 0) return '';
  return `; left behind: phase ${phase.passed.join(', ')}; now: ${phase.name}`;
}

function verdictWords(verdicts: readonly Verdict[]): string {
  return verdicts.map((v) => `\n    ${v.gate}: ${v.outcome} (${v.class}) ${v.summary}`).join('');
}

/** What these say is plain beside the name of the event. */
const PLAIN = ['tool', 'source', 'reason', 'error', 'type', 'cutOff'];

function detailWords(detail: Record<string, string> | undefined): string {
  const words = Object.entries(detail ?? {})
    .filter(([, value]) => value !== '')
    .map(([name, value]) => (PLAIN.includes(name) ? value : `${name}: ${value}`));
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}
