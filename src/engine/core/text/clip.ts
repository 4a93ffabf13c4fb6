/** Cuts a text to at most `limit` characters, never inside a character, and says how much is missing. */
export function keepShort(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const note = (cut: number) => `\n[... ${cut} characters more]`;
  const room = Math.max(0, limit - note(text.length).length);
  const head = wholeCharacters(text.slice(0, room));
  return head + note(text.length - head.length);
}

/** The last whole lines of a text that fit into `limit` characters; of a longer last line, its end. */
export function lastLines(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.slice(text.length - limit);
  const firstBreak = end.indexOf('\n');
  return firstBreak < 0 ? end : end.slice(firstBreak + 1);
}

/** One line for a list or a journal: control characters and line breaks become spaces. */
export function oneLine(text: string, limit: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  const flat = text.replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, ' ').trim();
  return flat.length <= limit ? flat : `${wholeCharacters(flat.slice(0, Math.max(0, limit - 1)))}…`;
}

function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
