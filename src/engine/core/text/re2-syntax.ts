/**
 * Writes a JavaScript regular expression in the syntax of RE2, with the same meaning. The two differ in small things:
 * what `.` and `\s` match, `[[:alpha:]]`, `\a`, `[^]`. Lookaround and backreferences cannot be matched in linear time, and
 * RE2 has none.
 */

export type Re2Source =
  | { kind: 'source'; source: string }
  | { kind: 'lacking'; construct: string; instead: string };

/** Signals a construct that RE2 does not have. */
class Lacking extends Error {
  readonly construct: string;
  readonly instead: string;

  constructor(construct: string, instead: string) {
    super(construct);
    this.construct = construct;
    this.instead = instead;
  }
}

/** The source must be a valid regular expression, written without flags. */
export function re2Source(source: string): Re2Source {
  try {
    return { kind: 'source', source: new Translation(source).whole() };
  } catch (error) {
    if (!(error instanceof Lacking)) throw error;
    return { kind: 'lacking', construct: error.construct, instead: error.instead };
  }
}

const LOOKAROUND: [opening: string, construct: string, instead: string][] = [
  ['(?=', 'lookahead "(?=...)"', 'let the pattern match what follows as well'],
  ['(?!', 'lookahead "(?!...)"', 'say what may follow, such as ([^x]|$)'],
  ['(?<=', 'lookbehind "(?<=...)"', 'let the pattern match what comes before as well'],
  ['(?<!', 'lookbehind "(?<!...)"', 'say what may come before, such as (^|[^x])'],
];
const REFERENCE = 'write out what is repeated';

const LAST = 0x10ffff;
/** What `\s` means in JavaScript; in RE2 it is only a part of this. */
const SPACES: readonly Range[] = [
  ...[[0x9, 0xd] as const, [0x20, 0x20] as const, [0xa0, 0xa0] as const, [0x1680, 0x1680] as const],
  ...[[0x2000, 0x200a] as const, [0x2028, 0x2029] as const, [0x202f, 0x202f] as const],
  ...[[0x205f, 0x205f] as const, [0x3000, 0x3000] as const, [0xfeff, 0xfeff] as const],
];
const NO_SPACES: readonly Range[] = [-1, ...SPACES.map(([, to]) => to)].map((before, i) => [
  before + 1,
  (SPACES[i]?.[0] ?? LAST + 1) - 1,
]);
/** `.` stops at every end of a line that JavaScript knows. */
const DOT = '[^\\n\\r\\x{2028}\\x{2029}]';
const EVERYTHING = `\\x{0}-\\x{${LAST.toString(16)}}`;
const CONTROLS: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

type Range = readonly [from: number, to: number];
/** One member of a class: a character, or a set of them as RE2 writes it. */
type Member = number | string;

function written(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

function writtenRanges(ranges: readonly Range[]): string {
  return ranges.map(([from, to]) => `${written(from)}-${written(to)}`).join('');
}

class Translation {
  private readonly source: string;
  private readonly groups: number;
  private readonly hasNames: boolean;
  private at = 0;

  constructor(source: string) {
    this.source = source;
    const openings = source.match(/\\.|\[(?:\\.|[^\]\\])*\]?|\((?:\?<[^=!]|\?)?/gs) ?? [];
    this.groups = openings.filter((token) => token === '(' || token.startsWith('(?<')).length;
    this.hasNames = openings.some((token) => token.startsWith('(?<'));
  }

  whole(): string {
    let translated = '';
    while (this.at < this.source.length) translated += this.next();
    return translated;
  }

  private next(): string {
    const rest = this.source.slice(this.at);
    const [one = ''] = rest;
    if (one === '\\') return this.escape();
    if (one === '[') return this.characterClass();
    if (one === '(') return this.opening(rest);
    const [repeat = one] = /^\{\d+(?:,\d*)?\}/.exec(rest) ?? [];
    this.at += repeat.length;
    if (repeat.length > 1 || /[*+?^$|)]/.test(one)) return repeat;
    return one === '.' ? DOT : written(one.codePointAt(0) ?? 0);
  }

  private opening(rest: string): string {
    for (const [opening, construct, instead] of LOOKAROUND)
      if (rest.startsWith(opening)) throw new Lacking(construct, instead);
    // Groups are counted: their names are not needed.
    const [found = '('] = /^\(\?(?::|<[^>]*>)/.exec(rest) ?? [];
    if (found === '(' && rest[1] === '?')
      throw new Lacking('flags "(?i)"', 'name both letters, such as [Tt]odo');
    this.at += found.length;
    return found === '(?:' ? found : '(';
  }

  private escape(): string {
    const letter = this.source[this.at + 1] ?? '';
    if (/[dDwWbB]/.test(letter)) return this.taken(2, `\\${letter}`);
    if (letter === 's') return this.taken(2, `[${writtenRanges(SPACES)}]`);
    if (letter === 'S') return this.taken(2, `[^${writtenRanges(SPACES)}]`);
    const [, number] = /^\\([1-9]\d*)/.exec(this.source.slice(this.at, this.at + 12)) ?? [];
    const refersBack = number !== undefined ? Number(number) <= this.groups : letter === 'k' && this.hasNames;
    if (refersBack) throw new Lacking(`backreference "\\${number ?? 'k'}"`, REFERENCE);
    return written(this.character('outside'));
  }

  private taken<Value>(length: number, value: Value): Value {
    this.at += length;
    return value;
  }

  /** A character, escaped or not. */
  private character(where: 'outside' | 'in a class'): number {
    const rest = this.source.slice(this.at, this.at + 12);
    const plain = rest.codePointAt(0) ?? 0;
    if (rest[0] !== '\\') return this.taken(String.fromCodePoint(plain).length, plain);
    const [pair, high = '', low = ''] = /^\\u(d[89ab]..)\\u(d[c-f]..)/i.exec(rest) ?? [];
    if (pair !== undefined) {
      const units = [high, low].map((unit) => Number.parseInt(unit, 16));
      return this.taken(pair.length, String.fromCharCode(...units).codePointAt(0) ?? 0);
    }
    const [, hex = ''] = /^\\(?:x([\da-f]{2})|u([\da-f]{4}))/i.exec(rest)?.filter(Boolean) ?? [];
    if (hex !== '') return this.taken(2 + hex.length, Number.parseInt(hex, 16));
    const [octal] = /^\\(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/.exec(rest) ?? [];
    if (octal !== undefined) return this.taken(octal.length, Number.parseInt(octal.slice(1), 8));
    const control = (where === 'outside' ? /^\\c([a-z])/i : /^\\c([a-z\d_])/i).exec(rest)?.[1];
    if (control !== undefined) return this.taken(3, control.charCodeAt(0) % 32);
    // A backslash before a "c" that names no control character means itself.
    if (rest[1] === 'c') return this.taken(1, plain);
    if (where === 'in a class' && rest[1] === 'b') return this.taken(2, 8);
    const named = CONTROLS[rest[1] ?? ''];
    if (named !== undefined) return this.taken(2, named);
    const escaped = rest.codePointAt(1) ?? 0;
    return this.taken(1 + String.fromCodePoint(escaped).length, escaped);
  }

  private characterClass(): string {
    const negated = this.source[this.at + 1] === '^';
    this.at += negated ? 2 : 1;
    let members = '';
    while (this.at < this.source.length && this.source[this.at] !== ']') members += this.members();
    this.at++;
    if (members === '') return negated ? `[${EVERYTHING}]` : `[^${EVERYTHING}]`;
    return `[${negated ? '^' : ''}${members}]`;
  }

  /** The next member of a class, or the next range. */
  private members(): string {
    const from = this.member();
    const isRange = this.source[this.at] === '-' && ![']', undefined].includes(this.source[this.at + 1]);
    if (!isRange) return asMember(from);
    this.at++;
    const to = this.member();
    if (typeof from === 'number' && typeof to === 'number') return `${written(from)}-${written(to)}`;
    // Where one side is a set, the dash means itself.
    return `${asMember(from)}${written(0x2d)}${asMember(to)}`;
  }

  private member(): Member {
    const set = /^\\([dDwWsS])/.exec(this.source.slice(this.at, this.at + 2))?.[1];
    if (set === undefined) return this.character('in a class');
    this.at += 2;
    if (set === 's') return writtenRanges(SPACES);
    return set === 'S' ? writtenRanges(NO_SPACES) : `\\${set}`;
  }
}

function asMember(member: Member): string {
  return typeof member === 'number' ? written(member) : member;
}
