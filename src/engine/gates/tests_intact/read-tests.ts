/** Reads the tests of one file from the pieces that the query of its language finds. */
import type { Match, Piece } from '../../ports/source.ts';
import type { Language } from './languages/language.ts';
import { marksOf } from './marks.ts';
import { squeeze, type TestCase, type TestFacts } from './model.ts';
import { type Area, contains, type Outline, outlineOf, within } from './outline.ts';

export function readTests(text: string, matches: readonly Match[], language: Language): TestFacts {
  const outline = outlineOf(text, matches, language);
  const { areas, asserts, plain } = outline;
  const ofKind = (kind: Area['kind']) => areas.filter((area) => area.kind === kind);
  const helpers = ofKind('helper').map((area) => testIn(area, outline, language, new Set()));
  const asserting = new Set(helpers.filter((helper) => helper.asserts > 0).map(({ name }) => name));
  const own = new Set(areas.filter(({ kind }) => kind !== 'group').flatMap((area) => within(asserts, area)));
  return {
    code: plain,
    tests: lastOfEach(ofKind('test')).map((area) => testIn(area, outline, language, asserting)),
    marks: marksOf(outline, language),
    shared: asserts.filter((one) => !own.has(one)).length,
    helpers,
  };
}

/** A later function takes the place of an earlier one of its name. */
function lastOfEach(areas: readonly Area[]): Area[] {
  const isAgain = (area: Area, at: number) =>
    areas.some(
      (one, i) => i > at && one.owner === area.owner && one.name === area.name && !contains(area, one),
    );
  return areas.filter((area, at) => area.owner === undefined || !isAgain(area, at));
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
  const why =
    reasons.find((one) => one !== undefined) ??
    (within(outline.truisms, area).length > 0 ? 'asserts what is always true' : undefined);
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
