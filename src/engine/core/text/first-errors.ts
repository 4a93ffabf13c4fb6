/** What of an output says why a command failed. */
import { oneLine } from './clip.ts';
import { redact } from './redact.ts';

const LINE = 300;
const LAST_LINES = 12;

/** Lines in which package managers, compilers and shells say what went wrong. */
const ERROR =
  /(?:^|\s|\[|!)(?:npm (?:ERR!|error)(?! (?:A complete log|code (?:\d|ELIFECYCLE)|path |command sh|errno|syscall|\s*$))|error(?:\[\w+\])?:|ERR_\w+|(?:\w+)?Error:|fatal:|ERROR:|YN0\d+:.*(?:can't|couldn't|error|would have been)|.*: (?:command )?not found$|.*No such file or directory|.*Permission denied)/;

/** The first lines that name an error. */
export function firstErrors(output: string, most = 3): string[] {
  const lines = linesOf(output).filter((line) => ERROR.test(line));
  return lines.slice(0, most);
}

/** The first errors, then the end of an output, where programs say the rest. */
export function saidLines(output: string): string[] {
  const last = linesOf(output).slice(-LAST_LINES);
  const first = firstErrors(output).filter((line) => !last.includes(line));
  return [...first, ...last];
}

function linesOf(output: string): string[] {
  return redact(output)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => oneLine(line, LINE));
}
