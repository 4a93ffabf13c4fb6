/** Output of programs as plain text. */
import stripSequences from 'strip-ansi';

/** Rests of sequences that never end, or that hold another sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const BEGINNINGS = /\u001b[ -/]*[0-~]/g;

/**
 * Removes terminal escape sequences: colours, cursor movements, titles, links. `stripVTControlCharacters` of Node 20 is
 * not enough: it leaves the text of titles, and parts of colours that are written with colons.
 */
export function stripAnsi(text: string): string {
  return stripSequences(text).replace(BEGINNINGS, '');
}

/** The lines of an output without control characters; a line that was overwritten has its last state. */
export function plainLines(output: string): string[] {
  return stripAnsi(output).split('\n').map(lastState);
}

function lastState(line: string): string {
  const drawn = line.includes('\r') ? (line.split('\r').findLast((part) => part.trim() !== '') ?? '') : line;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  return drawn.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '').trimEnd();
}
