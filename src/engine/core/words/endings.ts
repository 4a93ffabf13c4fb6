import type { Notification } from '../contract/contract.ts';
import { questionsForYou } from '../loop/asked.ts';
import { changedTestsBefore } from '../loop/started-with.ts';
import { type Ending, isDone, type LoopState, type RunState } from '../loop/state.ts';
import type { Verdict } from '../loop/verdict.ts';
import { oneLine } from '../text/clip.ts';
import { dateOf } from '../text/moment.ts';
import { visible } from '../text/visible.ts';

/** Says how a loop ended, in words that explain themselves to someone who was not there. */
export function describeEnding(state: LoopState): string {
  const ending = state.ending;
  if (!ending) return '';
  const { cause, detail } = ending;
  switch (state.status) {
    case 'verified_done':
      return `done, and verified: every gate passed (${detail})${ending.rests === undefined ? '' : `; rung: ${ending.rests}`}`;
    case 'claimed_done':
      return claimWords(cause, detail);
    case 'reached_limit':
      if (cause === 'expired') return `NOT done: ${detail}`;
      return `NOT done: the limit of ${limitName(cause)} was reached (${detail})`;
    case 'stalled':
      if (cause === 'no_tool_call') return `NOT done: no progress; ${detail} in a row without a tool call`;
      return `NOT done: no progress; ${stallWords(cause)} ${detail} in a row`;
    case 'idle':
      return `NOT done: the agent had nothing more to say (${detail})`;
    case 'capped':
      return `NOT done: let go at Claude Code's own limit (${detail})`;
    case 'cancelled':
      return cause === 'person' ? `cancelled ${byHand(detail)}` : `cancelled: ${detail}`;
    case 'released':
      if (cause === NEEDS_PERSON)
        return `NOT done: it needs you, because the agent cannot go on without an answer (${detail})`;
      return cause === 'person'
        ? `NOT done: released ${byHand(detail)}`
        : `NOT done: let go without proof (${detail})`;
    case 'failed':
      return `NOT done: ${detail}`;
    default:
      return detail;
  }
}

/** The cause of a loop that ended because the agent asked something, and its contract says so (`ask: end`). */
export const NEEDS_PERSON = 'needs_person';

/** The message in the session when a loop ends: how, what is still open, and what to do next. */
export function endingMessage(state: LoopState): string {
  const { loop, iteration, gates, run } = state;
  const isOpen = UNDONE.has(state.status);
  const open = isOpen ? openNames(gates) : '';
  const again = isOpen && !run ? ' The session is held no longer; to hold it again: untildone start.' : '';
  const before = changedTestsBefore(state.startedWith);
  return `untildone: loop ${loop} ${describeEnding(state)}.${open === '' ? '' : ` Open: ${open}.`}${before ? ` ${before}.` : ''} Iteration ${iteration}.${again} Details: untildone log ${loop}`;
}

/** Endings that nobody asked for, without the work being done. */
const UNDONE = new Set<string>(['reached_limit', 'stalled', 'idle', 'capped', 'failed'] satisfies Ending[]);

function openNames(gates: LoopState['gates']): string {
  const open = gates.filter(({ verdict }) => verdict === 'fail' || verdict === 'unproven');
  return oneLine(open.map(({ name }) => name).join(', '), NAMES_LIMIT);
}

/** The message in the session when it is held: what is open, and how you stop it. The agent does not read it. */
export function holdMessage({ loop, base, iteration, maxIterations, gates }: LoopState): string {
  const of = maxIterations === 'unlimited' ? '' : ` of ${maxIterations}`;
  const open = openNames(gates);
  const held = `untildone: held, iteration ${iteration}${of}`;
  if (open !== '' && open === base.changeGate)
    return `${held}: nothing was changed yet. If the task needs no change, type in another terminal: untildone release ${loop}`;
  return `${held}${open === '' ? '' : `; open: ${open}`}. To stop it, type in another terminal: untildone cancel ${loop}`;
}

const NAMES_LIMIT = 200;

/** The message when standing gates hold a session without a loop. */
export function standingHeld(failing: readonly Verdict[], time: number, most: number): string {
  const open = oneLine(failing.map(({ gate }) => gate).join(', '), NAMES_LIMIT);
  return `untildone: held by every_stop of untildone.yaml, ${time} of at most ${most} times for this prompt; open: ${open}. After that it may stop.`;
}

/** The message in the session when the loop waits for your answer. */
export function questionMessage(asked: string, state: LoopState): string {
  if (questionsForYou(state).length > 0)
    return `untildone: the agent asks you: ${asked}. Answer here with your next prompt, or in a terminal: ${answerCommand(state)}; then send any prompt here. Nothing is counted until then.`;
  return `untildone: a question for you: ${asked}. Answer in a terminal: untildone approve, or untildone reject --note "what has to change". Then send any prompt here.`;
}

/** How you answer the questions of the agent. */
export function answerCommand(state: LoopState): string {
  const hasOptions = questionsForYou(state).some(({ options = [] }) => options.length > 0);
  return `untildone answer ${state.loop} "your words"${hasOptions ? ', or with --option 1' : ''}`;
}

function claimWords(cause: string, detail: string): string {
  switch (cause) {
    case 'nothing_changed':
      return `ended without proof: ${detail} passed, but nothing was changed since the start`;
    case 'claims_moved':
      return `ended on the agent's word: only ${detail} came to pass since the start, and that is claimed; what was measured passed all along`;
    case 'nothing_to_miss':
      return `ended on the agent's word: ${detail} passed, but they passed at the start, too, and nothing was changed since that tests could miss`;
    case 'approved_only':
      return `ended on an approval alone: ${detail} passed, nothing was measured`;
    case 'judged_only':
      return `ended on a model's judgement alone: ${detail} passed, nothing was measured`;
    default:
      return `ended on the agent's word alone: ${detail} passed, nothing was measured`;
  }
}

/** The journal says `by a person` where you gave no reason. */
function byHand(detail: string): string {
  return detail === 'by a person' ? 'by hand' : `by hand: ${detail}`;
}

function limitName(cause: string): string {
  const names: Record<string, string> = {
    iterations: 'iterations',
    duration: 'working time',
    cost: 'cost',
    tokens: 'tokens',
    phase_iterations: 'iterations of a phase',
    phase_duration: 'working time of a phase',
  };
  return names[cause] ?? cause;
}

function stallWords(cause: string): string {
  const words: Record<string, string> = {
    same_failure: 'the same failure with an unchanged tree',
    same_failure_changing: 'the same failure although the tree changed',
    same_message: 'the same final message',
  };
  return words[cause] ?? cause;
}

/** Says why a loop that has not ended waits, and what to do about it. */
export function describeWait(state: LoopState): string {
  const waiting = state.waiting;
  if (!waiting) return '';
  const detail = waiting.detail ? ` (${waiting.detail})` : '';
  switch (waiting.why) {
    case 'paused':
      return `paused${detail}; go on with: untildone ${state.run ? 'run --resume' : 'resume'} ${state.run?.parent ?? state.loop}`;
    case 'needs_person':
      return `waiting for you${detail}`;
    case 'approval':
      if (questionsForYou(state).length > 0)
        return `waiting for your answer${detail}; ${answerCommand(state)}`;
      return `waiting for your answer${detail}; untildone approve, or untildone reject --note "why"`;
    case 'background':
      return `waiting for background work${detail}`;
    case 'wake_up':
      return `waiting for a wake-up${detail}`;
    case 'context_full':
      if (state.run) return `the context of its session is full${detail}; the run goes on in a fresh one`;
      return `allowed to stop: the context is full${detail}; /compact in that session, then go on`;
    case 'api_error':
      if (state.run?.children && !state.run.children.over) return `all its children wait${detail}`;
      if (state.run)
        return `interrupted by an API error${detail}; the run tries again by itself${againAt(state.run, state.lastAt)}`;
      return `interrupted by an API error${detail}; send any prompt in that session to go on`;
    case 'session_ended':
      if (state.run) return `its session has ended${detail}; the run goes on by itself`;
      return `its session has ended${detail}; resume it with: claude --resume ${state.session}`;
  }
}

/** When the run tries again, for a limit of the account that says when it ends. */
function againAt({ lastEnd }: RunState, now: number): string {
  if (lastEnd?.kind !== 'rate_limited' || lastEnd.until === undefined) return '';
  return `, at ${dateOf(lastEnd.until, now)}`;
}

/** A notification. It holds no path, no output, and of the prompt only the first words of the task. */
export interface Message {
  event: string;
  loop: string;
  title: string;
  text: string;
}

/** The notifications of a contract for this event. `done` stands for both `verified_done` and `claimed_done`. */
export function notificationsFor(event: string, notify: readonly Notification[]): Notification[] {
  const names = [event, ...(isDone(event) ? ['done'] : [])];
  return notify.filter(({ on }) => on.some((wanted) => names.includes(wanted)));
}

export function endingNotice(state: LoopState, task: string): Message {
  const event = state.status;
  const done = event === 'verified_done' ? 'done' : event.replace('_', ' ');
  return {
    event,
    loop: state.loop,
    title: visible(`untildone: ${done}: ${task}`),
    text: visible(describeEnding(state)),
  };
}

export function questionNotice(state: LoopState, task: string): Message {
  const text = visible(describeWait(state));
  return { event: 'needs_person', loop: state.loop, title: visible(`untildone: needs you: ${task}`), text };
}

/** The body for a webhook, in the shape that its service understands; others get the message as JSON. */
export function webhookBody(
  url: string,
  message: Message,
): { body: string; headers: Record<string, string> } {
  const json = { 'content-type': 'application/json' };
  const said = `${message.title}\n${message.text} (loop ${message.loop})`;
  const host = /^https?:\/\/([^/:?#]+)/.exec(url)?.[1] ?? '';
  if (host === 'hooks.slack.com') return { body: JSON.stringify({ text: said }), headers: json };
  if (/(^|\.)discord(app)?\.com$/.test(host))
    return { body: JSON.stringify({ content: said.slice(0, 1900) }), headers: json };
  if (host === 'ntfy.sh') return { body: said, headers: { 'content-type': 'text/plain; charset=utf-8' } };
  return { body: JSON.stringify(message), headers: json };
}
