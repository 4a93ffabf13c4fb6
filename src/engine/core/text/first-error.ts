/** What a command says first of what is wrong: package managers and compilers go on for pages after it. */
import { plainLines } from './ansi.ts';

const NAMES_ERROR =
  /\b(?:errors?|fatal|fail(?:s|ed|ure)?|cannot|can't|can only|could not|unable|not found|no such|missing|unsupported|unknown|invalid|denied|refused|ERR_\w+|E[A-Z]{4,})\b/i;
/** A count of none is good news. */
const NO_ERROR = /\b(?:0|no) (?:errors?|failures?|failed)\b|\b(?:errors?|failed|failures?): 0\b/i;
/** Lines that package managers add to every failure: they say nothing of this one. */
const ALWAYS_THERE =
  /^(?:npm (?:warn|notice)\b|(?:code E\w+|errno|syscall|path|command|A complete log of|Lifecycle script|workspace|location) ?)/i;
const OF_NPM = /^npm (?:ERR!|error)\s?/i;

/** The first line that names an error, and what follows it, at most so many lines. Empty where no line names one. */
export function firstErrorLines(output: string, most: number): string[] {
  const lines = plainLines(output)
    .map((line) => line.trim().replace(OF_NPM, '').trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line) && !ALWAYS_THERE.test(line));
  const first = lines.findIndex((line) => NAMES_ERROR.test(line) && !NO_ERROR.test(line));
  return first < 0 ? [] : lines.slice(first, first + most);
}
