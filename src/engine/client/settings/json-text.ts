/**
 * Edits the text of a JSON document and leaves every byte outside of the edit as it is. `modify` of jsonc-parser does not: it
 * formats the lines around the edit, or writes additions on one line.
 */

import { applyEdits, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { defined } from '../../core/text/defined.ts';

export class JsonRefused extends Error {
  override name = 'JsonRefused';
  readonly line: number;
  readonly column: number;

  /** `message` says what is wrong and what to do; the caller adds the file. */
  constructor(message: string, text: string, offset: number) {
    super(message);
    const before = text.slice(0, offset).split(/\r\n|\r|\n/);
    this.line = before.length;
    this.column = (before.at(-1) ?? '').replace(/^\uFEFF/, '').length + 1;
  }
}

export interface Member {
  readonly key: string;
  /** From the key to the end of the value. */
  readonly node: Node;
  readonly value: Node;
}

const BOM = '\uFEFF';

/** Parses strict JSON, with or without a byte order mark. Offsets count in the given text. */
export function parseStrict(text: string): Node {
  const errors: ParseError[] = [];
  const mark = text.startsWith(BOM);
  // The parser does not accept a byte order mark; a space in its place keeps the offsets.
  const source = mark ? ` ${text.slice(1)}` : text;
  const root = parseTree(source, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  if (first !== undefined) throw new JsonRefused(syntaxMessage(source, first), text, first.offset);
  if (root === undefined) throw new JsonRefused('not JSON: the text is empty', text, 0);
  try {
    JSON.parse(source);
  } catch (cause) {
    throw new JsonRefused(`not JSON: ${cause instanceof Error ? cause.message : cause}`, text, 0);
  }
  return root;
}

function syntaxMessage(source: string, error: ParseError): string {
  const comment = /^\/[/*]/.test(source.slice(error.offset));
  if (comment) return 'not JSON: a comment; remove it and run this again';
  if (/^\s*[}\]]/.test(source.slice(error.offset)) && /,\s*$/.test(source.slice(0, error.offset))) {
    return 'not JSON: a comma with nothing after it; remove it and run this again';
  }
  const fault = FAULTS[printParseErrorCode(error.error)] ?? 'something that JSON does not know';
  return `not JSON: ${fault}; correct it and run this again`;
}

/** The parser's error codes in words. */
const FAULTS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a word or sign that JSON does not know; texts stand in double quotes',
  InvalidNumberFormat: 'a number that is not written as JSON writes it',
  PropertyNameExpected: 'a key in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing after the key',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing } is missing',
  CloseBracketExpected: 'a closing ] is missing',
  EndOfFileExpected: 'something follows after the end',
  UnexpectedEndOfString: 'a text without its closing quote',
  UnexpectedEndOfNumber: 'a number without its end',
  InvalidUnicode: 'a \\u that four hexadecimal digits do not follow',
  InvalidEscapeCharacter: 'a backslash before a sign that it does not go with',
  InvalidCharacter: 'a control character in a text; write a tab as \\t',
};

/** The members of an object. Refuses a key that stands twice, because readers disagree about which one counts. */
export function membersOf(text: string, object: Node): Member[] {
  const members: Member[] = [];
  const seen = new Set<string>();
  for (const node of object.children ?? []) {
    const [keyNode, value] = node.children ?? [];
    if (keyNode === undefined || value === undefined) continue;
    const key = String(keyNode.value);
    if (seen.has(key)) {
      throw new JsonRefused(
        `the key ${JSON.stringify(key)} stands twice; remove one of them`,
        text,
        node.offset,
      );
    }
    seen.add(key);
    members.push({ key, node, value });
  }
  return members;
}

export function memberOf(text: string, object: Node, key: string): Node | undefined {
  return membersOf(text, object).find((member) => member.key === key)?.value;
}

export function replaceValue(text: string, node: Node, value: unknown): string {
  return splice(text, node.offset, node.length, JSON.stringify(value));
}

export function appendMember(text: string, object: Node, key: string, value: unknown): string {
  return append(text, object, (write) => `${JSON.stringify(key)}${write.colon}${write.value(value)}`);
}

export function appendElement(text: string, array: Node, value: unknown): string {
  return append(text, array, (write) => write.value(value));
}

/** Removes a member or an element, with its comma and the white space around it. */
export function removeChild(text: string, container: Node, child: Node): string {
  const children = container.children ?? [];
  const index = children.indexOf(child);
  const previous = children[index - 1];
  const next = children[index + 1];
  const end = child.offset + child.length;
  if (previous !== undefined) {
    const start = previous.offset + previous.length;
    return splice(text, start, end - start, '');
  }
  if (next !== undefined) return splice(text, child.offset, next.offset - child.offset, '');
  return splice(text, container.offset + 1, container.length - 2, '');
}

interface Writer {
  colon: string;
  value(value: unknown): string;
}

/** Adds a last child in the style of the document: on a line of its own if the others are, else beside them. */
function append(text: string, container: Node, render: (write: Writer) => string): string {
  const manner = mannerOf(text);
  const last = container.children?.at(-1);
  if (manner.oneLine) {
    const spaced = /":[ \t]/.test(text);
    const comma = last === undefined ? '' : spaced ? ', ' : ',';
    return insert(text, container, last, comma + render(oneLineWriter(spaced)), '');
  }
  if (last === undefined) {
    const outer = indentAt(text, container.offset);
    const inner = outer + manner.unit;
    return insert(
      text,
      container,
      last,
      manner.eol + inner + render(linesWriter(inner, manner)),
      manner.eol + outer,
    );
  }
  const indent = indentAt(text, last.offset);
  const ownLine = isFirstOnLine(text, last.offset);
  const containerText = text.slice(container.offset, container.offset + container.length);
  if (!ownLine && !/[\r\n]/.test(containerText)) {
    return insert(text, container, last, `, ${render(oneLineWriter(true))}`, '');
  }
  return insert(
    text,
    container,
    last,
    `,${ownLine ? manner.eol + indent : ' '}${render(linesWriter(indent, manner))}`,
    '',
  );
}

function insert(
  text: string,
  container: Node,
  last: Node | undefined,
  content: string,
  tail: string,
): string {
  if (last === undefined) return splice(text, container.offset + 1, container.length - 2, content + tail);
  return splice(text, last.offset + last.length, 0, content);
}

function splice(text: string, offset: number, length: number, content: string): string {
  return applyEdits(text, [{ offset, length, content }]);
}

interface Manner {
  eol: string;
  unit: string;
  /** True when the document has content on one line only: additions stay on that line. */
  oneLine: boolean;
}

function mannerOf(text: string): Manner {
  const trimmed = text.trim(); // takes a byte order mark away, too
  const eol = /\r\n|\r|\n/.exec(text)?.[0] ?? '\n';
  const unit = /^\{\s*[\r\n]([ \t]+)\S/.exec(trimmed)?.[1] ?? '  ';
  return { eol, unit, oneLine: !/^\{\s*\}$/.test(trimmed) && !/[\r\n]/.test(trimmed) };
}

function linesWriter(indent: string, manner: Manner): Writer {
  return {
    colon: ': ',
    value: (value) =>
      JSON.stringify(value, null, '\t').replace(/\n(\t*)/g, (_line, tabs: string) => {
        return manner.eol + indent + manner.unit.repeat(tabs.length);
      }),
  };
}

function oneLineWriter(spaced: boolean): Writer {
  const gap = spaced ? ' ' : '';
  const write = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(write).join(`,${gap}`)}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const members = Object.entries(defined(value)).map(
      ([key, inner]) => `${JSON.stringify(key)}:${gap}${write(inner)}`,
    );
    return `{${members.join(`,${gap}`)}}`;
  };
  return { colon: `:${gap}`, value: write };
}

function lineStart(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start--;
  return start;
}

function indentAt(text: string, offset: number): string {
  return /^\uFEFF?([ \t]*)/.exec(text.slice(lineStart(text, offset)))?.[1] ?? '';
}

function isFirstOnLine(text: string, offset: number): boolean {
  const start = lineStart(text, offset);
  return start > 0 && /^[ \t]*$/.test(text.slice(start, offset));
}
