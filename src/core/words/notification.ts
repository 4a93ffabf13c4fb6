import type { Notification } from '../contract/contract.ts';
import type { LoopState } from '../loop/state.ts';
import { describeEnding, describeWait } from './endings.ts';

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
