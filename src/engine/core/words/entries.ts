import { questionWords } from '../loop/asked.ts';
import type { Entry, EntryOf, PersonCommand } from '../loop/entry.ts';
import { MISSED_STOP } from '../loop/missed-stop.ts';
import type { Children, ChildState, LoopState } from '../loop/state.ts';
import type { GuardedAgent } from '../loop/subagents.ts';
import type { Verdict } from '../loop/verdict.ts';
import type { ChildEntry } from '../run/children.ts';
import { oneLine } from '../text/clip.ts';
import { sayCount } from '../text/figures.ts';

/** Says one journal entry in words, for `untildone log`. */
export function describeEntry(entry: Entry, state: LoopState): string {
  return entryLines(entry, state).join('\n');
}

/** The words of an entry, and a line for each verdict. What others wrote may hold line breaks: these are no lines. */
export function entryLines(entry: Entry, state: LoopState): string[] {
  if (!isOwn(entry)) return [describeChildEntry(entry)];
  const describe = WORDS[entry.kind] as Describe<OwnKind>;
  const verdicts = entry.kind === 'stop' || entry.kind === 'guard' ? entry.verdicts : [];
  const said = entry.kind === 'guard' ? saidBy(entry.agent) : [];
  return [describe(entry, state), ...verdicts.map(verdictWords), ...said];
}

type OwnKind = Exclude<Entry['kind'], ChildEntry['kind']>;
type Describe<K extends OwnKind> = (entry: EntryOf<K>, state: LoopState) => string;

function isOwn(entry: Entry): entry is EntryOf<OwnKind> {
  return Object.hasOwn(WORDS, entry.kind);
}

/** The words for each kind of entry but those of a run's children. */
const WORDS: { readonly [K in OwnKind]: Describe<K> } = {
  started: ({ session, task }) => `started for session ${session}: ${task.preview}`,
  stop: (entry, state) => `stop: ${decisionWords(entry, state)}${phaseWords(entry)}`,
  event: ({ event, detail = {} }) => {
    if (event === 'PermissionDenied') return deniedWords(detail);
    if (event === MISSED_STOP)
      return `NOT JUDGED: a turn ended (${detail.ended}) and its Stop did not reach untildone`;
    return `${event}${detailWords(detail)}`;
  },
  guard: ({ event, subject, refused }) => `${event} of ${subject}: ${refused ? 'held' : 'allowed'}`,
  allowed: ({ exception, note }) => `you allowed ${exception}${noteWords(note)}`,
  asked: (entry) => `the agent asks: ${questionWords({ ...entry, at: 0 })}`,
  answered: answeredWords,
  contract: ({ contractSha256 }) => `you updated the contract (now ${contractSha256.slice(0, 12)})`,
  reopened: ({ limits }) => `you go on with it${limits ? `, with other limits: ${limits}` : ''}`,
  moved: ({ worker }) => `worker ${worker} goes on with it`,
  command: commandWords,
  synced: (entry) => `the state file says: ${syncedWords(entry)}`,
  withdrawn: ({ detail }, { status }) => `ended as ${status}: ${detail}`,
  closed: () => 'untildone wrote its state files for the last time',
  claimed: ({ session }) => `session ${session} goes on with this loop`,
  run_begun: () => 'goes on as a run, because its session is full',
  intent: ({ resume, session, why }) => `${resume ? 'going on in' : 'starting'} session ${session} (${why})`,
  result: ({ end }) => `session ended: ${end.kind} (${end.detail})`,
  ended: ({ status, cause, detail }) => `ended as ${status} (${cause}: ${detail})`,
  said: ({ output }) => Object.entries(output).map(saidWords).join('; '),
  foreign: describeForeign,
  error: ({ message }) => `ERROR: ${message}`,
};

function describeForeign({ lines, cut = 0 }: EntryOf<'foreign'>): string {
  const added = lines - cut;
  const found = [
    ...(added > 0 ? [`FOUND ${added} lines that untildone did not write; they count for nothing`] : []),
    ...(cut > 0
      ? [`FOUND ${cut} lines removed from the end of this journal; what they said still counts`]
      : []),
  ];
  return found.join('. ');
}

function answeredWords({ said, gate, note, option }: EntryOf<'answered'>): string {
  if (said === 'decided') return `the agent decided ${gate} itself${noteWords(note)}`;
  if (said === 'prompted') return `you answered ${gate} by a prompt in its session`;
  return `you ${said} ${gate}${option === undefined ? '' : ` with option ${option}`}${noteWords(note)}`;
}

function noteWords(note: string | undefined): string {
  return note ? `: ${note}` : '';
}

function commandWords({ command, note }: EntryOf<'command'>, { run }: LoopState): string {
  // A run pauses by itself, too; its note says why.
  if (command === 'pause' && run && note) return `paused: ${note}`;
  return `you ${COMMAND_DONE[command]} it${noteWords(note)}`;
}

const COMMAND_DONE: Record<PersonCommand, string> = {
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
  release: 'released',
};

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
      return `allowed to stop (${decision.cause}${decision.detail ? `: ${decision.detail}` : ''}), not counted`;
    case 'end':
      return `ended as ${decision.status} (${decision.cause}: ${decision.detail})`;
  }
}

function phaseWords({ seen: { phase } }: EntryOf<'stop'>): string {
  if (!phase || phase.passed.length === 0) return '';
  return `; phase ${phase.passed.join(', ')} is done; now: ${phase.name}`;
}

function verdictWords({ gate, outcome, class: evidence, summary }: Verdict): string {
  return `    ${gate}: ${outcome} (${evidence}) ${summary}`;
}

function saidBy(agent: GuardedAgent | undefined): string[] {
  return agent?.said === undefined ? [] : [`    said: ${oneLine(agent.said, SAID_LIMIT)}`];
}

const SAID_LIMIT = 300;

/** A tool call that Claude Code denied, and what would allow it. */
export function deniedWords({ tool = '', what = '', allow = '' }: Record<string, string>): string {
  const call = tool === 'Bash' || tool === what ? what : `${tool} ${what}`;
  return `denied: ${call}${allow === '' ? '' : ` (to allow it: ${allow})`}`;
}

/** Details that need no name: the name of the event explains them. */
const PLAIN = ['tool', 'source', 'reason', 'error', 'type', 'cutOff'];

function detailWords(detail: Record<string, string> | undefined): string {
  const words = Object.entries(detail ?? {})
    .filter(([, value]) => value !== '')
    .map(([name, value]) => (PLAIN.includes(name) ? value : `${name}: ${value}`));
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** Says an entry about a child of a run in words. */
export function describeChildEntry(entry: ChildEntry): string {
  switch (entry.kind) {
    case 'split':
      return `the work was divided into ${entry.pieces} pieces, ${entry.atOnce} at a time`;
    case 'child_begun':
      return `child ${entry.child} begins ${entry.piece}`;
    case 'child_spent':
      return `child ${entry.child} has spent ${entry.costUsd.toFixed(2)} USD, ${sayCount(entry.tokens)} tokens, ${entry.iterations} iterations in all`;
    case 'child_ended':
      return `child ${entry.child} ended as ${entry.status}${entry.detail ? ` (${entry.detail})` : ''}`;
    case 'merge_begun':
      return `merging ${entry.commit.slice(0, 10)} of child ${entry.child}`;
    case 'merge_ended':
      return `child ${entry.child}: ${mergeWords(entry.outcome, entry)}`;
    case 'children_waiting':
      return `all children wait: ${entry.why}`;
    case 'children_resumed':
      return 'the children go on';
    case 'children_over':
      return 'all children have ended: the run goes on by itself';
  }
}

export function mergeWords(
  outcome: NonNullable<ChildState['merge']>,
  { files, detail }: { files?: readonly string[] | undefined; detail?: string | undefined },
): string {
  switch (outcome) {
    case 'begun':
      return 'its merge was interrupted';
    case 'merged':
      return 'merged';
    case 'conflict':
      return `not merged: it conflicts in ${namesOf(files ?? [])}`;
    case 'regressed':
      return `not merged: with it, this no longer passes: ${detail ?? ''}`;
    case 'refused':
      return `not merged: ${detail ?? ''}`;
    case 'nothing':
      return 'there is no commit to merge';
  }
}

const NAMED = 8;

function namesOf(files: readonly string[]): string {
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : '';
  return oneLine(files.slice(0, NAMED).join(', '), 400) + more;
}

const TOLD = 12;

/** Tells the session that goes on which work of the children was not merged; empty when all was. */
export function followUpWords(children: Children | undefined): string {
  const left = (children?.list ?? []).filter(isLeftBehind);
  if (!children?.over || left.length === 0) return '';
  const lines = left.slice(0, TOLD).map((child) => `- ${lineFor(child)}`);
  return [
    `Others worked on parts of this task at the same time, each on a branch of its own. What of theirs was merged (${children.merged} of ${children.pieces} parts) is in your files. This is not:`,
    ...lines,
    ...(left.length > TOLD ? [`- and ${left.length - TOLD} more`] : []),
    'Look at what such a branch did with: git diff HEAD...BRANCH (or git show BRANCH:FILE). Bring what is good of it into the files here, so that it goes together with what is there, and do what is missing. Do not run git merge.',
  ].join('\n');
}

function isLeftBehind({ status, merge }: ChildState): boolean {
  return merge !== 'merged' && status !== 'nothing_to_do';
}

function lineFor({ piece, status, branch, merge, files, detail }: ChildState): string {
  const where = branch === undefined ? '' : ` (branch ${branch})`;
  const how =
    merge === undefined
      ? `not done: ${status}${detail ? `, ${detail}` : ''}`
      : mergeWords(merge, { files, detail });
  return oneLine(`${piece}${where}: ${how}`, 600);
}
