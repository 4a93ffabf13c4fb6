/** Text as a terminal would leave it on the screen. */
import stripSequences from 'strip-ansi';

/** What is left of a sequence that never ends, or of one that another sequence was put into. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const BEGINNINGS = /\u001b[ -/]*[0-~]/g;

/**
 * Removes terminal escape sequences: colours, cursor movements, titles, links. `stripVTControlCharacters` of Node 20
 * does not do: it leaves the text of a title and the rest of a colour that is written with colons.
 */
export function stripAnsi(text: string): string {
  return stripSequences(text).replace(BEGINNINGS, '');
}

/** The lines of an output without escapes and control characters; of a line that was drawn again its last state. */
export function plainLines(output: string): string[] {
  return stripAnsi(output).split('\n').map(lastState);
}

function lastState(line: string): string {
  const drawn = line.includes('\r') ? (line.split('\r').findLast((part) => part.trim() !== '') ?? '') : line;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  return drawn.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '').trimEnd();
}
