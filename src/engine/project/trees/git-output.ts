/** Parsers of what git prints. A file name is bytes to git; `decodeName` and `encodeName` lose none of them. */

export interface RawChange {
  path: string;
  change: 'added' | 'modified' | 'deleted' | 'renamed';
  from?: string;
}

export interface PatchLine {
  path: string;
  line: number;
  text: string;
}

export interface PatchLimits {
  /** Longer lines are left out. */
  maxLineLength: number;
  maxLines: number;
}

/** Bytes that are not UTF-8 become lone surrogates (U+DC80 to U+DCFF), so that `encodeName` can turn the name back. */
export function decodeName(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd') || Buffer.from(text, 'utf8').equals(bytes)) return text;
  let name = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    name +=
      length > 0
        ? bytes.toString('utf8', at, at + length)
        : String.fromCharCode(0xdc00 + (bytes[at] as number));
    at += Math.max(length, 1);
  }
  return name;
}

export function encodeName(name: string): Buffer {
  if (!/[\udc80-\udcff]/.test(name)) return Buffer.from(name, 'utf8');
  const parts = [...name].map((character) => {
    const unit = character.charCodeAt(0);
    return character.length === 1 && unit >= 0xdc80 && unit <= 0xdcff
      ? Buffer.from([unit - 0xdc00])
      : Buffer.from(character, 'utf8');
  });
  return Buffer.concat(parts);
}

/** The length of the valid UTF-8 sequence that starts here; 0 when there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    const part = bytes.subarray(at, at + length);
    const text = part.toString('utf8');
    if (!text.includes('\ufffd') || Buffer.from(text, 'utf8').equals(part)) return length;
  }
  return 0;
}

/** The names of a `-z` listing. */
export function parseNames(output: Buffer): string[] {
  return splitNul(output).map(decodeName);
}

function splitNul(output: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    const stop = end === -1 ? output.length : end;
    parts.push(output.subarray(start, stop));
    start = stop + 1;
  }
  return parts;
}

/** `git ls-files -s -z`: the paths that are recorded as other repositories. */
export function parseGitlinks(output: Buffer): string[] {
  const GITLINK = Buffer.from('160000 ');
  return splitNul(output)
    .filter((entry) => entry.subarray(0, GITLINK.length).equals(GITLINK))
    .map((entry) => decodeName(entry.subarray(entry.indexOf(9) + 1)));
}

/** The changes that `git diff-tree -r -z --raw` prints: a letter and a name each, for renames and copies a second name. */
export function parseRawDiff(output: Buffer): RawChange[] {
  const parts = splitNul(output)[Symbol.iterator]();
  const changes: RawChange[] = [];
  for (const entry of parts) {
    const letter = /^:.* ([A-Z])\d*$/.exec(entry.toString('latin1'))?.[1];
    const nextName = (what: string) => decodeName(parts.next().value ?? refuse(`${what} without a name`));
    changes.push(changeOf(letter ?? refuse('a change that cannot be read'), nextName));
  }
  return changes;
}

/** One side of a difference: the mode and the object that a name has in a tree. */
export interface RawSide {
  mode: string;
  id: string;
}

/** What two trees have under one name. */
export interface RawEntry {
  path: string;
  letter: string;
  before: RawSide;
  after: RawSide;
}

/** What `git diff-tree -t -z --raw --no-renames` prints, folders among it. */
export function parseRawEntries(output: Buffer): RawEntry[] {
  const parts = splitNul(output)[Symbol.iterator]();
  const entries: RawEntry[] = [];
  for (const entry of parts) {
    const read = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])$/.exec(entry.toString('latin1'));
    const [, was = '', is = '', old = '', now = '', letter = ''] =
      read ?? refuse('a change that cannot be read');
    const path = decodeName(parts.next().value ?? refuse('a change without a name'));
    entries.push({ path, letter, before: { mode: was, id: old }, after: { mode: is, id: now } });
  }
  return entries;
}

/** The changes of files, when none of them can be a rename: something was added and something deleted. */
export function changesWithoutRenames(entries: readonly RawEntry[]): RawChange[] | undefined {
  const files = entries.filter(({ before, after }) => before.mode !== FOLDER && after.mode !== FOLDER);
  const has = (letter: string) => files.some((entry) => entry.letter === letter);
  if (has('A') && has('D')) return undefined;
  return files.map(({ path, letter }) => changeOf(letter, () => path));
}

const FOLDER = '040000';

function changeOf(letter: string, nextName: (what: string) => string): RawChange {
  const path = nextName('a change');
  switch (letter) {
    case 'R':
      return { path: nextName('the target of a rename'), change: 'renamed', from: path };
    case 'C':
      return { path: nextName('the target of a copy'), change: 'added' };
    case 'A':
      return { path, change: 'added' };
    case 'D':
      return { path, change: 'deleted' };
    default:
      return { path, change: 'modified' };
  }
}

function refuse(what: string): never {
  throw new Error(`git diff-tree printed ${what}`);
}

/** Longer than any line that is kept, and than any header: the rest of such a line is dropped. */
const LONGEST_KEPT = 64 * 1024;
const NEWLINE = 0x0a;
const PLUS = 0x2b;
const MINUS = 0x2d;

/** Reads the added lines of a `-U0` patch, chunk by chunk. */
export class PatchReader {
  readonly #limits: PatchLimits;
  readonly #lines: PatchLine[] = [];
  #rest: Buffer[] = [];
  #restLength = 0;
  #path: string | undefined;
  #hunk: Hunk = { removed: 0, added: 0, line: 0 };

  constructor(limits: PatchLimits) {
    this.#limits = limits;
  }

  /** Returns false when there are enough lines. */
  push(chunk: Buffer): boolean {
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf(NEWLINE, start);
      this.#hold(chunk.subarray(start, end === -1 ? chunk.length : end));
      if (end === -1) break;
      this.#finishLine();
      if (this.#lines.length >= this.#limits.maxLines) return false;
      start = end + 1;
    }
    return true;
  }

  end(): PatchLine[] {
    if (this.#restLength > 0) this.#finishLine();
    return this.#lines.slice(0, this.#limits.maxLines);
  }

  #hold(bytes: Buffer): void {
    if (this.#restLength < LONGEST_KEPT) this.#rest.push(bytes.subarray(0, LONGEST_KEPT));
    this.#restLength += bytes.length;
  }

  #finishLine(): void {
    const [only] = this.#rest;
    this.#take(this.#rest.length === 1 && only ? only : Buffer.concat(this.#rest), this.#restLength);
    this.#rest = [];
    this.#restLength = 0;
  }

  /** A header counts only outside of a hunk: inside, `+++ ` may be the text of an added line. */
  #take(bytes: Buffer, length: number): void {
    const hunk = this.#hunk;
    if (hunk.removed > 0 && bytes[0] === MINUS) {
      hunk.removed--;
    } else if (hunk.added > 0 && bytes[0] === PLUS) {
      this.#keep(bytes, length);
      hunk.added--;
      hunk.line++;
    } else if (bytes.subarray(0, 4).toString('latin1') === '+++ ') {
      this.#path = patchPath(bytes.subarray(4));
    } else {
      this.#hunk = hunkOf(bytes) ?? hunk;
    }
  }

  #keep(bytes: Buffer, length: number): void {
    const { maxLineLength } = this.#limits;
    if (this.#path === undefined || length > maxLineLength * 4) return;
    const text = bytes.toString('utf8', 1).replace(/\r$/, '');
    if (text.length <= maxLineLength) this.#lines.push({ path: this.#path, line: this.#hunk.line, text });
  }
}

/** How many lines of a hunk are still to come, and the number of the next added one. */
interface Hunk {
  removed: number;
  added: number;
  line: number;
}

function hunkOf(bytes: Buffer): Hunk | undefined {
  const match = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(bytes.toString('latin1', 0, 100));
  if (!match) return undefined;
  return { removed: Number(match[1] ?? 1), line: Number(match[2]), added: Number(match[3] ?? 1) };
}

/** `b/src/a.ts`, with a tab at its end when the name holds spaces, or `"b/a\tb"`; undefined for /dev/null. */
function patchPath(bytes: Buffer): string | undefined {
  if (bytes[0] === 0x22) return decodeName(unquote(bytes.toString('latin1'))).replace(/^b\//, '');
  const plain = bytes[bytes.length - 1] === 9 ? bytes.subarray(0, -1) : bytes;
  const name = decodeName(plain);
  return name === '/dev/null' ? undefined : name.replace(/^b\//, '');
}

const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

function unquote(quoted: string): Buffer {
  const bytes: number[] = [];
  for (const [, plain, octal, letter] of quoted.slice(1).matchAll(/([^\\"])|\\([0-7]{3})|\\(.)/g)) {
    if (plain !== undefined) bytes.push(plain.charCodeAt(0));
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(ESCAPES[letter as string] ?? 63);
  }
  return Buffer.from(bytes);
}
