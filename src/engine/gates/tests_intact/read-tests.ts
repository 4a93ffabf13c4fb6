/** Reads the tests of one file from the pieces that the query of its language finds. */
import type { Match, Piece } from '../../ports/source.ts';
import type { Language } from './languages/language.ts';
import { type Mark, squeeze, type TestCase, type TestFacts } from './model.ts';
import { type Area, type Call, contains, type Outline, outlineOf, within } from './outline.ts';

export function readTests(text: string, matches: readonly Match[], language: Language): TestFacts {
  const outline = outlineOf(text, matches, language);
  const { areas, asserts, plain } = outline;
  const ofKind = (kind: Area['kind']) => areas.filter((area) => area.kind === kind);
  const helpers = ofKind('helper').map((area) => testIn(area, outline, language, new Set()));
  const asserting = new Set(helpers.filter((helper) => helper.asserts > 0).map(({ name }) => name));
  const own = new Set(areas.filter(({ kind }) => kind !== 'group').flatMap((area) => within(asserts, area)));
  return {
    code: plain,
    tests: ofKind('test').map((area) => testIn(area, outline, language, asserting)),
    marks: [
      ...areas.flatMap((area) =>
        area.kind === 'helper' ? [] : marksIn(area.marks, area.name, area.line, language),
      ),
      ...outline.file.flatMap(({ start, end, line }) =>
        marksIn(squeeze(text.slice(start, end)), '', line, language),
      ),
      ...outline.calls.flatMap((call) => leaving(call, outline)),
      ...ofKind('test').flatMap((area) => earlyReturn(area, outline)),
    ],
    shared: asserts.filter((one) => !own.has(one)).length,
    helpers,
  };
}

/** `helpers`: names of functions that assert. */
function testIn(area: Area, outline: Outline, language: Language, helpers: ReadonlySet<string>): TestCase {
  const { areas, plain, text } = outline;
  const { named = { start: area.from, end: area.from } } = area;
  const [calls, idle] = [within(outline.calls, area), within(outline.idle, area)];
  const called = calls.filter(
    ({ kind, fn }) => kind === undefined && helpers.has(fn.split(/[.:]+/).at(-1) ?? ''),
  );
  const asserting: Piece[] = [...within(outline.asserts, area), ...called];
  const reasons = asserting.map((one) => idle.find((code) => contains(code, one))?.why);
  const isAlwaysTrue = calls.filter(({ kind }) => kind === 'assert').length > asserting.length;
  const why =
    reasons.find((one) => one !== undefined) ?? (isAlwaysTrue ? 'asserts what is always true' : undefined);
  const said = language.assertingMarks?.test(area.marks) ? 1 : 0;
  return {
    name: area.name,
    suites: areas.filter((one) => one.kind !== 'helper' && contains(one, area)).map(({ name }) => name),
    line: area.line,
    text: squeeze(`${plain.slice(area.from, named.start)} ${plain.slice(named.end, area.end)}`),
    lines: text.slice(area.from, area.end).split('\n'),
    asserts: reasons.filter((one) => one === undefined).length + said,
    calls: calls.flatMap(({ kind, fn }) => (kind === undefined ? [fn] : [])),
    ...(why === undefined ? {} : { idle: why }),
  };
}

const ALWAYS =
  /^\(*\s*(?:(?:true|True|1|!0|!false|not False|any\(\)|ignore|never)\s*(?:[),}\]]|$)|["'\x60]|(?:reason|strict|raises|run)\s*=|\)|$)/;
const NEVER = /^\(*\s*(?:false|False|0|nil|null|undefined|!1|!true|"")\s*(?:[),}]|$)/;

/** A condition that always holds is none. */
function on(condition: string | undefined): Pick<Mark, 'condition'> {
  return condition === undefined || ALWAYS.test(condition) ? {} : { condition };
}

/** The words that mark a test, in what stands before it or beside its title. */
function marksIn(text: string, name: string, line: number, { marks }: Language): Mark[] {
  return marks.flatMap(([words, kind, depends]): Mark[] => {
    const found = words.exec(text);
    if (!found) return [];
    const word = squeeze(found[0])
      .replace(/[({,:\s]+$/, '')
      .slice(0, 60);
    const said = squeeze(text.slice(found.index + found[0].length)).slice(0, 200);
    const isSure = depends === undefined || (depends === 'unless' && NEVER.test(said));
    return [{ kind, word, name, line, ...on(isSure ? undefined : said) }];
  });
}

/** A call that skips, in a test or outside of all of them. */
function leaving(call: Call, { areas, branches, plain }: Outline): Mark[] {
  const { kind, fn, args, line } = call;
  if (kind !== 'skip' && kind !== 'xfail') return [];
  const around = areas.filter((area) => area.kind !== 'group' && contains(area, call));
  const area = around.find((one) => one.kind === 'test') ?? around[0];
  if (area?.kind === 'helper' && /^(?:main|TestMain)$/.test(area.name)) return [];
  const branch = branches.findLast(({ arm }) => contains(arm, call) && (!area || contains(area, arm)));
  const said = branch && squeeze(plain.slice(branch.condition.start, branch.condition.end));
  // Short runs skip on demand only.
  if (said && /\btesting\.Short\(\)/.test(said)) return [];
  const word = `${fn}${/[!?]$/.test(fn) ? '' : '()'}`.slice(0, 60);
  const condition = said ?? (/assum|importorskip/.test(fn) ? squeeze(args) : undefined);
  return [{ kind, word, name: area?.name ?? '', line, ...on(condition) }];
}

const RETURNS = /^\{?\s*(?:return|next)\b[^;\n]*;?\s*\}?$/;

/** `if (...) return` before the first assertion of a test. */
function earlyReturn(area: Area, { asserts, branches, inner, plain }: Outline): Mark[] {
  const [first] = within(asserts, area);
  if (!first) return [];
  const isOwn = (piece: Piece) =>
    contains(area, piece) &&
    !within(inner, area).some((one) => one.start !== area.body?.start && contains(one, piece));
  const early = branches.find(
    ({ arm }) => arm.end <= first.start && RETURNS.test(plain.slice(arm.start, arm.end)) && isOwn(arm),
  );
  if (!early) return [];
  const { start, end, line } = early.condition;
  return [
    { kind: 'skip', word: 'an early return', name: area.name, line, ...on(squeeze(plain.slice(start, end))) },
  ];
}
