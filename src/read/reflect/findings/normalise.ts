/** Makes the same of what differs only by chance: so that repetitions are seen as such. */

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** Digests and ids: seven hexadecimal digits or more, with a digit and a letter among them. */
const HEX = /\b(?=[0-9a-f]{0,64}\d)(?=[0-9a-f]{0,64}[a-f])[0-9a-f]{7,64}\b/gi;
const TIME = /\b\d{4}-\d\d-\d\d[T_ ]\d\d[:_]\d\d(?:[:_]\d\d)?(?:[._]\d+)?Z?\b/g;
/** Names that are made anew each time: `/tmp/tmp.Xa3`, `/var/folders/...`. */
const SCRATCH = /(?:\/private)?\/(?:tmp|var\/tmp|var\/folders)\/[^\s'":;,)|&]+/g;

const LONGEST = 4_000;

/** What is done with the output, and where it is called from, makes no other command of it. */
const FROM_FOLDER = /^\s*(?:cd|pushd)\s+(?:"[^"]*"|'[^']*'|[^\s;&|]+)\s*(?:&&|;)\s*/;
const ONLY_SHOWN =
  / ?(?:\d?> ?& ?\d|&?\d?>>? ?\/dev\/null|\|&? ?(?:cat|head|tail|less|more)(?: -{1,2}[\w=]{1,40}| \d{1,9}){0,6}(?= ?(?:$|[|;&)])))/g;

/** A command without its folder, scratch names, ids, and what only cuts or shows its output. */
export function normalCommand(command: string): string {
  let text = command.slice(0, LONGEST).replace(/\s+/g, ' ').trim();
  while (FROM_FOLDER.test(text)) text = text.replace(FROM_FOLDER, '');
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(ONLY_SHOWN, '').trim();
  }
  return withoutIds(withoutEnd(text).replace(SCRATCH, '<scratch>'));
}

/** Without what only ends a command, or sends it to the background. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ';& '.includes(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
}

const WRAPPED = /<\/?(?:tool_use_error|error|system-reminder)>/g;
/** What stands at the beginning of what a shell says: `/bin/bash: line 1: `. */
const SHELL = /^(?:\/[\w./-]*\/)?(?:ba|z|da|k)?sh: (?:line \d+: |\d+: )?/;
/** It begins where no such character stands before it: looking inside of a long word again and again would take long. */
const PATH = /(?<![\w.@~+-])[\w.@~+-]*(?:[/\\][\w.@~+-]*)+/g;
const ERROR_LINES = 3;
const ERROR_LENGTH = 300;

/** The first lines of an error without paths, numbers and ids; quoted names stay. */
export function normalError(text: string): string {
  const lines = text
    .slice(0, LONGEST)
    .replace(WRAPPED, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [first = '', ...rest] = lines;
  // `Exit code 1` alone says nothing: what follows does.
  const telling = /^(?:Error: )?Exit code \d+$/i.test(first) && rest.length > 0 ? rest : lines;
  return withoutIds(
    telling
      .slice(0, ERROR_LINES)
      .map((line) => line.replace(SHELL, ''))
      .join(' / ')
      .slice(0, ERROR_LENGTH)
      .replace(PATH, '<path>'),
  )
    .replace(/\d+/g, 'N')
    .replace(/\s+/g, ' ')
    .trim();
}

function withoutIds(text: string): string {
  return text.replace(UUID, '<id>').replace(TIME, '<time>').replace(HEX, '<id>');
}
