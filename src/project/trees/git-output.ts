/** What git prints, as values. Names of files are bytes to git; `decodeName` and `encodeName` keep every one of them. */

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

/** Bytes that are no UTF-8 become lone surrogates (U+DC80 to U+DCFF), so that the name can be turned back. */
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

/** `git diff-tree -r -z --raw`. */
export function parseRawDiff(output: Buffer): RawChange[] {
  const parts = splitNul(output);
  const changes: RawChange[] = [];
  for (let i = 0; i < parts.length; i++) {
    const letter = /^:.* ([A-Z])\d*$/.exec((parts[i] as Buffer).toString('latin1'))?.[1];
    const first = parts[++i];
    if (letter === undefined || first === undefined)
      throw new Error('git printed a change that cannot be read');
    const path = decodeName(first);
    if (letter === 'R' || letter === 'C') {
      const second = parts[++i];
      if (second === undefined) throw new Error('git printed a rename without a new name');
      const to = decodeName(second);
      changes.push(
        letter === 'R' ? { path: to, change: 'renamed', from: path } : { path: to, change: 'added' },
      );
    } else {
      changes.push({ path, change: letter === 'A' ? 'added' : letter === 'D' ? 'deleted' : 'modified' });
    }
  }
  return changes;
}

/** Longer than any line that is kept, and than any header: what comes after is dropped unseen. */
const LONGEST_KEPT = 64 * 1024;

/** Reads the added lines of a `-U0` patch as it comes; `push` answers false when it has enough. */
export function patchReader(limits: PatchLimits): { push(chunk: Buffer): boolean; end(): PatchLine[] } {
  const lines: PatchLine[] = [];
  let rest: Buffer[] = [];
  let restLength = 0;
  let path: string | undefined;
  let hunk = { removed: 0, added: 0, line: 0 };

  const takeLine = (bytes: Buffer, length: number): void => {
    const mark = bytes[0];
    if (hunk.removed > 0 && mark === 0x2d) hunk.removed--;
    else if (hunk.added > 0 && mark === 0x2b) {
      if (path !== undefined && length <= limits.maxLineLength * 4) keep(bytes.toString('utf8', 1));
      hunk.added--;
      hunk.line++;
    } else if (bytes.subarray(0, 4).toString('latin1') === '+++ ') {
      path = patchPath(bytes.subarray(4));
    } else {
      hunk = hunkOf(bytes) ?? hunk;
    }
  };
  const keep = (text: string): void => {
    const line = text.replace(/\r$/, '');
    if (line.length <= limits.maxLineLength)
      lines.push({ path: path as string, line: hunk.line, text: line });
  };
  const hold = (bytes: Buffer): void => {
    if (restLength < LONGEST_KEPT) rest.push(bytes.subarray(0, LONGEST_KEPT));
    restLength += bytes.length;
  };

  return {
    push(chunk) {
      for (let start = 0; start < chunk.length; ) {
        const end = chunk.indexOf(10, start);
        hold(chunk.subarray(start, end === -1 ? chunk.length : end));
        if (end === -1) break;
        takeLine(rest.length === 1 ? (rest[0] as Buffer) : Buffer.concat(rest), restLength);
        rest = [];
        restLength = 0;
        if (lines.length >= limits.maxLines) return false;
        start = end + 1;
      }
      return true;
    },
    end() {
      if (restLength > 0) takeLine(Buffer.concat(rest), restLength);
      return lines.slice(0, limits.maxLines);
    },
  };
}

function hunkOf(bytes: Buffer): { removed: number; added: number; line: number } | undefined {
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
