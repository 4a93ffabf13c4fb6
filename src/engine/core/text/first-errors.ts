/** What of an output says why a command failed. */
import { oneLine } from './clip.ts';
import { redact } from './redact.ts';

const LINE = 300;
const LAST_LINES = 12;

/** Words by which package managers, compilers and shells say what went wrong. */
const ERRORS = [
  /\bnpm (?:ERR!|error) /,
  /\berror(?:\[\w{1,12}\])?:/i,
  /Error: /,
  /\bERR_\w/,
  /\bfatal: /,
  /\bYN0(?:001|018|028|080|081|082)\b/,
  / not found$/,
  /No such file or directory/,
  /Permission denied/,
];
/** Lines of npm about itself. */
const NO_ERROR = /\bnpm (?:ERR!|error) (?:A complete log|code |path |command|errno|syscall|$)/;

/** The first lines that name an error. */
export function firstErrors(output: string, most = 3): string[] {
  const lines = linesOf(output).filter(
    (line) => ERRORS.some((one) => one.test(line)) && !NO_ERROR.test(line),
  );
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
