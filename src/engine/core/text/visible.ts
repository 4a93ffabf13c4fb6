/**
 * Text from outside as it may be shown. Names, messages and files of others can hold characters that steer a terminal, turn
 * the direction of writing, or hide what is there. Each of them is spelled out: escape is `\u{1b}`.
 */

/** Control and format characters, line and paragraph separators, halves of characters, and what is drawn as nothing. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Scripts that write with joiners between their letters. */
const JOINED = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Khmer', 'Sinhala', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati'],
  ...['Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');

/** Invisible characters where writing needs them: inside of an emoji, of joined letters, and after a Han character. */
const NEEDED = [
  String.raw`(?<=[\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}\ufe0f])\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=[${JOINED}])[\u200c\u200d](?=[${JOINED}])`,
  String.raw`(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
];

let compiled: RegExp | undefined;

/** Compiled when a text needs it: that takes longer than most answers of the hook. */
function hiddenOrNeeded(): RegExp {
  compiled ??= new RegExp(`(${NEEDED.join('|')})|${UNSEEN.source}`, 'gu');
  return compiled;
}

/** Most texts are like this, and need no closer look. */
const PLAIN_LINE = /^[ -~]*$/;
const PLAIN_TEXT = /^[\n\t -~]*$/;

function withoutHidden(text: string, plain: RegExp, spell: (hidden: string) => string): string {
  if (plain.test(text)) return text;
  return text.replace(hiddenOrNeeded(), (found, needed?: string) => needed ?? spell(found));
}

const TAB = '    ';

/** One line: a line break in it is spelled out, too, so that it cannot pose as a line of ours. Tabs become spaces. */
export function visible(line: string): string {
  return withoutHidden(line.replaceAll('\t', TAB), PLAIN_LINE, spelled);
}

/** A text of several lines, whose line breaks and tabs stay. */
export function visibleText(text: string): string {
  return withoutHidden(text.replaceAll('\r\n', '\n'), PLAIN_TEXT, (hidden) =>
    hidden === '\n' || hidden === '\t' ? hidden : spelled(hidden),
  );
}

function spelled(hidden: string): string {
  return `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A value as JSON in which the same characters are escaped as `\u001b`: it means the same, and steers no terminal. */
export function jsonText(value: unknown, indent?: number): string {
  return escapedJson(JSON.stringify(value, null, indent));
}

/** The lines of a value as JSON for people and programs. */
export function jsonLines(value: unknown): string[] {
  return jsonText(value, 2).split('\n');
}

/** JSON of others, such as a line of a journal, with these characters escaped. */
export function escapedJson(json: string): string {
  return withoutHidden(json, PLAIN_TEXT, (hidden) =>
    // Between values there are only line breaks and tabs, and inside of a text JSON allows neither.
    hidden === '\n' || hidden === '\t' ? hidden : hidden.split('').map(escapedUnit).join(''),
  );
}

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
