import type { Entry, EntryOf } from '../loop/entry.ts';
import type { LoopState } from '../loop/state.ts';
import type { Verdict } from '../loop/verdict.ts';
import type { ChildEntry } from '../run/children.ts';
import { describeChildEntry } from './run-children-words.ts';

/** One journal entry in words, for people who read `untildone log`. */
export function describeEntry(entry: Entry, state: LoopState): string {
  if (!isOwn(entry)) return describeChildEntry(entry);
  const describe = WORDS[entry.kind] as Describe<OwnKind>;
  return describe(entry, state);
}

type OwnKind = Exclude<Entry['kind'], ChildEntry['kind']>;
type Describe<K extends OwnKind> = (entry: EntryOf<K>, state: LoopState) => string;

function isOwn(entry: Entry): entry is EntryOf<OwnKind> {
  return Object.hasOwn(WORDS, entry.kind);
}

/** The words for each kind of entry; those of a run's children are in a file of their own. */
const WORDS: { readonly [K in OwnKind]: Describe<K> } = {
  started: ({ session, task }) => `started for session ${session}: ${task.preview}`,
  stop: (entry, state) =>
    `stop: ${decisionWords(entry, state)}${phaseWords(entry)}${verdictWords(entry.verdicts)}`,
  event: ({ event, detail }) => `${event}${detailWords(detail)}`,
  guard: ({ event, subject, refused, verdicts }) =>
    `${event} of ${subject}: ${refused ? 'held' : 'let through'}${verdictWords(verdicts)}`,
  allowed: ({ exception, note }) => `a person allowed ${exception}${noteWords(note)}`,
  answered: ({ said, gate, note }) => `a person ${said} ${gate}${noteWords(note)}`,
  contract: ({ contractSha256 }) => `a person updated the contract (now ${contractSha256.slice(0, 12)})`,
  command: commandWords,
  synced: (entry) => `the state file says: ${syncedWords(entry)}`,
  withdrawn: ({ detail }, { status }) => `ended as ${status}: ${detail}`,
  closed: () => 'its state files were closed',
  claimed: ({ session }) => `session ${session} goes on with it`,
  run_begun: () => 'goes on as a run: its session is full',
  intent: ({ resume, session, why }) => `${resume ? 'going on in' : 'starting'} session ${session} (${why})`,
  result: ({ end }) => `session ended: ${end.kind} (${end.detail})`,
  ended: ({ status, cause, detail }) => `ended as ${status} (${cause}: ${detail})`,
  said: ({ output }) => Object.entries(output).map(saidWords).join('; '),
  foreign: ({ lines }) => `FOUND ${lines} lines that untildone did not write; they count for nothing`,
  error: ({ message }) => `ERROR: ${message}`,
};

function noteWords(note: string | undefined): string {
  return note ? `: ${note}` : '';
}

function commandWords({ command, note }: EntryOf<'command'>, { run }: LoopState): string {
  // A run pauses by itself, too; its note says why.
  if (command === 'pause' && run && note) return `paused: ${note}`;
  return `${command} by a person${noteWords(note)}`;
}

function saidWords([name, value]: [string, string | string[]]): string {
  return `${name}: ${Array.isArray(value) ? value.join(', ') : value}`;
}

function syncedWords({ iteration, maxIterations, says }: EntryOf<'synced'>): string {
  const parts = [
    ...(iteration === undefined && says === undefined ? [] : [`iteration ${iteration ?? says}`]),
    ...(maxIterations === undefined ? [] : [`at most ${maxIterations}`]),
  ];
  return parts.join(', ') || 'nothing new';
}

function decisionWords({ decision }: EntryOf<'stop'>, state: LoopState): string {
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

function phaseWords({ seen: { phase } }: EntryOf<'stop'>): string {
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
