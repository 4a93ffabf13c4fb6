import type { Notification } from '../contract/contract.ts';
import type { LoopState, RunState } from '../loop/state.ts';

/** What an ending means, in words for a person who was not there. */
export function describeEnding(state: LoopState): string {
  const ending = state.ending;
  if (!ending) return '';
  const { cause, detail } = ending;
  switch (state.status) {
    case 'verified_done':
      return `done, and verified: every gate passed (${detail})`;
    case 'claimed_done':
      return claimWords(cause, detail);
    case 'reached_limit':
      if (cause === 'expired') return `NOT done: ${detail}`;
      return `NOT done: the limit of ${limitName(cause)} was reached (${detail})`;
    case 'stalled':
      return `NOT done: no progress; ${stallWords(cause)} ${detail} in a row`;
    case 'idle':
      return `NOT done: the agent had nothing more to say (${detail})`;
    case 'capped':
      return `NOT done: let go at the client's own limit (${detail}); run \`untildone install\` to raise it`;
    case 'cancelled':
      return cause === 'person' ? `cancelled ${byWhom(detail)}` : `cancelled: ${detail}`;
    case 'released':
      return cause === 'person'
        ? `NOT done: released ${byWhom(detail)}`
        : `NOT done: let go without proof (${detail})`;
    case 'failed':
      return `NOT done: ${detail}`;
    default:
      return detail;
  }
}

/** What the person in front of the session is shown when a loop ends. */
export function endingMessage(state: LoopState): string {
  return `untildone: loop ${state.loop} ${describeEnding(state)}. Iteration ${state.iteration}. Details: untildone log ${state.loop}`;
}

/** What the person in front of the session is shown when the loop waits for their answer. */
export function questionMessage(asked: string): string {
  return `untildone: your answer is wanted: ${asked}. In a terminal: untildone approve, or untildone reject --note "what has to change". Then send any prompt here.`;
}

function claimWords(cause: string, detail: string): string {
  switch (cause) {
    case 'nothing_changed':
      return `ended without proof: ${detail} passed, but nothing was changed since the beginning, when all that can be measured passed already`;
    case 'approved_only':
      return `ended on a person's word: ${detail} passed, nothing was measured`;
    case 'judged_only':
      return `ended on a model's judgement: ${detail} passed, nothing was measured`;
    default:
      return `ended on the agent's word alone: ${detail} passed, nothing was measured`;
  }
}

function byWhom(detail: string): string {
  return detail === 'by a person' ? detail : `by a person: ${detail}`;
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

/** Why a living loop is not being pursued right now. */
export function describeWait(state: LoopState): string {
  const waiting = state.waiting;
  if (!waiting) return '';
  const detail = waiting.detail ? ` (${waiting.detail})` : '';
  switch (waiting.why) {
    case 'paused':
      return `paused${detail}; go on with: untildone ${state.run ? 'run --resume' : 'resume'} ${state.run?.parent ?? state.loop}`;
    case 'needs_person':
      return `waiting for a person${detail}`;
    case 'approval':
      return `waiting for a person's answer${detail}; untildone approve, or untildone reject --note "why"`;
    case 'background':
      return `waiting for background work${detail}`;
    case 'wake_up':
      return `waiting for a wake-up${detail}`;
    case 'context_full':
      if (state.run) return `the context of its session is full${detail}; the run goes on in a fresh one`;
      return `let go for now: the context is full${detail}; /compact in that session, then go on`;
    case 'api_error':
      if (state.run?.children && !state.run.children.over) return `all its children wait${detail}`;
      if (state.run)
        return `interrupted by an API error${detail}; the run tries again by itself${againAt(state.run)}`;
      return `interrupted by an API error${detail}; send any prompt in that session to go on`;
    case 'session_ended':
      if (state.run) return `its session has ended${detail}; the run goes on by itself`;
      return `its session has ended${detail}; resume it with: claude --resume ${state.session}`;
  }
}

/** A limit of the account that says when it ends. */
function againAt({ lastEnd }: RunState): string {
  if (lastEnd?.kind !== 'rate_limited' || lastEnd.until === undefined) return '';
  return `, at ${new Date(lastEnd.until).toISOString()}`;
}

/** What a person far away is told. Names no path, no prompt beyond the task's first words, no output. */
export interface Message {
  event: string;
  loop: string;
  title: string;
  text: string;
}

/** Which of a contract's notifications this ending concerns. `done` stands for both ways of being done. */
export function notificationsFor(event: string, notify: readonly Notification[]): Notification[] {
  const names = [event, ...(event === 'verified_done' || event === 'claimed_done' ? ['done'] : [])];
  return notify.filter(({ on }) => on.some((wanted) => names.includes(wanted)));
}

export function endingNotice(state: LoopState, task: string): Message {
  const event = state.status;
  const done = event === 'verified_done' ? 'done' : event.replace('_', ' ');
  return { event, loop: state.loop, title: `untildone: ${done}: ${task}`, text: describeEnding(state) };
}

export function questionNotice(state: LoopState, task: string): Message {
  const text = describeWait(state);
  return { event: 'needs_person', loop: state.loop, title: `untildone: needs you: ${task}`, text };
}

/** The JSON that a webhook gets: the shape its service understands, else our own. */
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
