/** The status line of untildone in the text of a settings file. A status line of yours is never replaced. */
import { isOurStatusline, STATUSLINE_LINE } from '../../home/statusline-line.ts';
import { appendMember, memberOf, membersOf, parseStrict, removeChild, replaceValue } from './json-text.ts';

const KEY = 'statusLine';

/** The command of the status line that is not ours; undefined when there is none. Throws `JsonRefused`. */
export function otherStatusline(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  const command = commandIn(text);
  return command === undefined || isOurStatusline(command) ? undefined : command;
}

/** Undefined when there is no status line, empty when it has no command. */
function commandIn(text: string): string | undefined {
  const root = parseStrict(text);
  const line = root.type === 'object' ? memberOf(text, root, KEY) : undefined;
  if (line === undefined) return undefined;
  const command: unknown = line.type === 'object' ? memberOf(text, line, 'command')?.value : undefined;
  return typeof command === 'string' ? command : '';
}

/** Adds our status line. Doing so twice is the same as once. */
export function addStatusline(text: string): string {
  const wanted = { type: 'command', command: STATUSLINE_LINE };
  const root = parseStrict(text);
  const line = memberOf(text, root, KEY);
  if (line === undefined) return appendMember(text, root, KEY, wanted);
  return commandIn(text) === STATUSLINE_LINE ? text : replaceValue(text, line, wanted);
}

/** Removes our status line. One that is not ours stays. */
export function removeStatusline(text: string): string {
  if (text.trim() === '') return text;
  const command = commandIn(text);
  if (command === undefined || !isOurStatusline(command)) return text;
  const root = parseStrict(text);
  const member = membersOf(text, root).find(({ key }) => key === KEY);
  return member ? removeChild(text, root, member.node) : text;
}
