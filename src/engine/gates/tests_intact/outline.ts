/** What stands where in a test file: tests, groups, functions, calls, assertions, and code that cannot fail. */
import type { Match, Piece } from '../../ports/source.ts';
import { isIdle } from './idle.ts';
import type { CallKind, Language } from './languages/language.ts';
import { squeeze } from './model.ts';

/** A test, a group or another function. */
export interface Area extends Piece {
  kind: 'test' | 'group' | 'helper';
  name: string;
  /** Where the name stands. */
  named?: Piece;
  body?: Piece;
  /** The decorators before it, or the call with its options. */
  marks: string;
  /** Where those begin. */
  from: number;
  /** The class of a function, or the name of none; absent for calls. */
  owner?: string;
}

export interface Call extends Piece {
  fn: string;
  args: string;
  kind: CallKind | undefined;
}

export interface Outline {
  text: string;
  /** The text without comments, of the same length. */
  plain: string;
  areas: readonly Area[];
  calls: readonly Call[];
  asserts: readonly Piece[];
  /** Those that hold whatever the code does. */
  truisms: readonly Piece[];
  /** Code whose assertions cannot fail, and why. */
  idle: readonly (Piece & { why: string })[];
  /** Code that is expected to end the process. */
  expected: readonly Piece[];
  branches: readonly { condition: Piece; arm: Piece }[];
  /** Functions inside of others. */
  inner: readonly Piece[];
  /** What is said of the whole file. */
  file: readonly Piece[];
}

export function outlineOf(text: string, matches: readonly Match[], language: Language): Outline {
  const plain = withoutComments(text, matches);
  const at = ({ start, end }: Piece) => plain.slice(start, end);
  const found = callsIn(plain, matches, language);
  const branches = matches.flatMap(({ condition, arm }) => (condition && arm ? [{ condition, arm }] : []));
  const asserts = [
    ...matches.flatMap(({ assert }) => (assert ? [{ piece: assert, text: at(assert) }] : [])),
    ...found.calls.flatMap((call) =>
      call.kind === 'assert' ? [{ piece: call, text: plain.slice(call.start, call.end + 80) }] : [],
    ),
  ];
  return {
    text,
    plain,
    areas: sorted([...found.areas, ...definitionsIn(text, plain, matches, language)]),
    calls: sorted(found.calls),
    asserts: sorted(asserts.flatMap(({ piece, text: said }) => (isIdle(said) ? [] : [piece]))),
    truisms: sorted(asserts.flatMap(({ piece, text: said }) => (isIdle(said) ? [piece] : []))),
    idle: sorted([
      ...matches.flatMap(({ tried, handler }) =>
        tried && handler && hides(at(handler), language) ? [{ ...tried, why: CAUGHT }] : [],
      ),
      ...found.calls.flatMap((call) => (isEmptyCatch(call) ? [{ ...call, why: CAUGHT }] : [])),
      ...matches.flatMap(({ block, leave }) =>
        block && leave ? [{ ...block, start: leave.end, why: 'ends before its assertions' }] : [],
      ),
      ...branches.flatMap(({ condition, arm }) =>
        NEVER.test(at(condition))
          ? [{ ...arm, why: 'has its assertions behind a condition that never holds' }]
          : [],
      ),
    ]),
    expected: matches.flatMap(({ tried, handler }) =>
      tried && handler && /SystemExit/.test(at(handler)) ? [tried] : [],
    ),
    branches,
    inner: sorted(matches.flatMap(({ inner, define, body }) => inner ?? (define && body) ?? [])),
    file: matches.flatMap(({ file }) => file ?? []),
  };
}

const CAUGHT = 'catches what its assertions say';
/** What a handler does so that the test fails all the same. */
const TELLS =
  /\b(?:throw|raise|fail|failed|done|reject|assert\w*|expect|panic|flunk|next|cb|callback|should)\b|\b(?:t|self)\.\w+\(/;
const NEVER = /^\(?\s*(?:false|False|0|nil|None|!1|!true|not True)\s*\)?$/;

function hides(handler: string, { swallows }: Language): boolean {
  return swallows.test(handler) && !TELLS.test(handler.replace(swallows, ''));
}

function isEmptyCatch({ fn, args }: Call): boolean {
  return /\.catch$/.test(fn) && /^\(\s*(?:\(\w*\)|\w+)\s*=>\s*(?:\{\s*\}|undefined|null)\s*\)$/.test(args);
}

function callsIn(
  plain: string,
  matches: readonly Match[],
  language: Language,
): { areas: Area[]; calls: Call[] } {
  const aliases = aliasesIn(plain, matches, language);
  const key = ({ start, end }: Piece) => `${start} ${end}`;
  const bodies = new Map(
    matches.flatMap(({ callback, body }) => (callback && body ? [[key(callback), body]] : [])),
  );
  const found: { areas: Area[]; calls: Call[] } = { areas: [], calls: [] };
  for (const { call, args: given, title, body: block } of matches) {
    if (!call) continue;
    const body = block ?? bodies.get(key(call));
    const fn = resolved(squeeze(plain.slice(call.start, given?.start ?? block?.start ?? call.end)), aliases);
    const args = given ? plain.slice(given.start, given.end) : '';
    const kind = language.call({ fn, args, hasBody: body !== undefined });
    if (kind !== 'test' && kind !== 'group') found.calls.push({ ...call, fn, args, kind });
    else {
      const named = title?.start === body?.start ? undefined : title;
      const until = Math.max(title?.end ?? 0, body?.start ?? call.end);
      const marks = `${fn}${plain.slice(title?.end ?? call.start, until)}`;
      const name = named ? titleOf(plain.slice(named.start, named.end)) : '';
      found.areas.push({ ...call, kind, name, named, body, marks, from: call.start });
    }
  }
  return found;
}

function aliasesIn(
  plain: string,
  matches: readonly Match[],
  language: Language,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const at = ({ start, end }: Piece) => plain.slice(start, end);
  for (const { alias, value, key } of matches) {
    if (!alias || !value) continue;
    const known = language.alias?.(resolved(squeeze(at(value)), found), key && at(key));
    if (known !== undefined) found.set(at(alias), known);
  }
  return found;
}

function resolved(fn: string, aliases: ReadonlyMap<string, string>): string {
  const [first = ''] = /^[\w$]+/.exec(fn) ?? [];
  const known = aliases.get(first);
  return known === undefined ? fn : `${known}${fn.slice(first.length)}`;
}

function titleOf(text: string): string {
  return squeeze(text.replace(/^(?:[a-z]{0,2}"([\s\S]*)"|'([\s\S]*)'|`([\s\S]*)`)$/, '$1$2$3'));
}

function definitionsIn(text: string, plain: string, matches: readonly Match[], language: Language): Area[] {
  const at = ({ start, end }: Piece) => plain.slice(start, end);
  const marks = sorted(matches.flatMap(({ mark }) => mark ?? []));
  const classes = matches.flatMap(({ class: whole, name, bases }) =>
    whole && name ? [{ whole, name, bases }] : [],
  );
  const groups = classes.map(({ whole, name }): Area => {
    const from = beginning(whole, marks, plain);
    return {
      ...whole,
      kind: 'group',
      name: at(name),
      named: name,
      marks: plain.slice(from, name.start),
      from,
    };
  });
  const functions = matches.flatMap(({ define, name, body }): Area[] => {
    if (!define || !name) return [];
    const own = classes.findLast(({ whole }) => contains(whole, define));
    const owner = own && { name: at(own.name), bases: own.bases ? at(own.bases) : '' };
    const from = beginning(define, marks, plain);
    const before = plain.slice(from, name.start);
    const isTest = language.isTest(at(name), before, owner, at(define));
    // What an example has to print stands in a comment at its end.
    const after = within(marks, define).filter(({ start }) => start > name.start);
    const said = [before, ...after.map(({ start, end }) => text.slice(start, end))].join('\n');
    return [
      {
        ...define,
        kind: isTest ? 'test' : 'helper',
        name: at(name),
        named: name,
        body,
        marks: said,
        from,
        owner: owner?.name ?? '',
      },
    ];
  });
  return [...groups, ...functions];
}

/** Where the decorators, attributes and annotations of a definition begin. Only white space is between them. */
function beginning(define: Piece, marks: readonly Piece[], plain: string): number {
  let from = define.start;
  for (const mark of marks.filter(({ end }) => end <= define.start).reverse()) {
    if (plain.slice(mark.end, from).trim() !== '') break;
    from = mark.start;
  }
  return from;
}

function withoutComments(text: string, matches: readonly Match[]): string {
  let plain = '';
  let from = 0;
  for (const { start, end } of sorted(matches.flatMap(({ comment }) => comment ?? []))) {
    if (start < from) continue;
    plain += text.slice(from, start) + text.slice(start, end).replace(/[^\n]/g, ' ');
    from = end;
  }
  return plain + text.slice(from);
}

/** By their beginnings, the outer ones first. */
function sorted<P extends Piece>(pieces: readonly P[]): P[] {
  return [...pieces].sort((a, b) => a.start - b.start || b.end - a.end);
}

export function contains(outer: Piece, inner: Piece): boolean {
  return outer.start <= inner.start && inner.end <= outer.end && outer !== inner;
}

/** Those of the sorted pieces that lie in another. */
export function within<P extends Piece>(pieces: readonly P[], outer: Piece): P[] {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.start ?? 0) < outer.start) low = middle + 1;
    else high = middle;
  }
  const found: P[] = [];
  for (let i = low; i < pieces.length; i++) {
    const piece = pieces[i];
    if (!piece || piece.start >= outer.end) break;
    if (contains(outer, piece)) found.push(piece);
  }
  return found;
}
