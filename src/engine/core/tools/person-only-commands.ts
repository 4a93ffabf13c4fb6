/** Commands of untildone that only a person may give, found in a shell line of the agent. */
import { isUntildone, type ShellCall, shellCalls } from '../shell/calls.ts';
import { firstFound } from '../text/lists.ts';
import { INTERPRETERS } from './protect.ts';

const PERSON_ONLY = new Set([
  ...['trust', 'setup', 'approve', 'reject', 'answer', 'cancel', 'release', 'pause', 'dashboard'],
  ...['uninstall', 'allow', 'claim', 'import', 'prune', 'holdout', 'slash'],
]);
const PERSON_ONLY_WITH_ARGUMENT = new Set(['contract update', 'lock off', 'lessons drop', 'lessons pin']);

/** The first such command in a line; undefined when there is none. */
export function personOnlyCommand(line: string): string | undefined {
  return firstFound(shellCalls(line), (call) => {
    const words = wordsForUntildone(call);
    return words && commandIn(words);
  });
}

/** The words behind `untildone`, called by itself or as a script; undefined for other programs. */
function wordsForUntildone({ program, args }: ShellCall): string[] | undefined {
  const script = INTERPRETERS.test(program) ? args.findIndex(isUntildone) : -1;
  return script >= 0 || isUntildone(program) ? args.slice(script + 1) : undefined;
}

function commandIn(words: readonly string[]): string | undefined {
  const [command = '', argument] = words.filter((word) => !word.startsWith('-') && !isUntildone(word));
  if (PERSON_ONLY.has(command)) return isOnlyLooking(command, words) ? undefined : command;
  const withArgument = `${command} ${argument}`;
  return PERSON_ONLY_WITH_ARGUMENT.has(withArgument) ? withArgument : undefined;
}

/** Everyone may look at what a command would trust, import or remove. */
function isOnlyLooking(command: string, words: readonly string[]): boolean {
  switch (command) {
    case 'trust':
      return words.includes('--show');
    case 'import':
      return words.includes('--dry-run') || !words.some((word) => /^--(?:from|undo)\b/.test(word));
    case 'prune':
      return words.includes('--dry-run');
    default:
      return false;
  }
}
