/** Text as a terminal would leave it on the screen. */

// Colours and cursor movements; strings (titles, links) up to their end; everything else that an escape begins.
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]/g;

/** Removes terminal escape sequences: colours, cursor movements, titles, links. */
export function stripAnsi(text: string): string {
  // Most texts hold none, and the pattern is dear.
  return text.includes('\u001b') || text.includes('\u009b') ? text.replace(ESCAPES, '') : text;
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
