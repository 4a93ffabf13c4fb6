/** What keeps tests from running, or lets them fail: words beside them, calls, conditions, early returns. */
import type { Piece } from '../../ports/source.ts';
import type { Language } from './languages/language.ts';
import { type Mark, squeeze } from './model.ts';
import { type Area, type Call, contains, type Outline, within } from './outline.ts';

const ALWAYS =
  /^\(*\s*(?:(?:true|True|1|!0|!false|not False|any\(\)|ignore|never)\s*(?:[),}\]]|$)|["'\x60]|(?:reason|strict|raises|run)\s*=|\)|$)/;
const NEVER = /^\(*\s*(?:false|False|0|nil|null|undefined|!1|!true|"")\s*(?:[),}]|$)/;

/** Everything that keeps tests of a file from running, or lets them fail. */
export function marksOf(outline: Outline, language: Language): Mark[] {
  const { areas, calls, file, text } = outline;
  const tests = areas.filter(({ kind }) => kind === 'test');
  const isOfTests = (area: Area) => area.kind === 'test' || tests.some((test) => contains(area, test));
  return [
    ...areas
      .filter((area) => area.kind !== 'helper' && isOfTests(area))
      .flatMap((area) => [
        ...marksIn(area.marks, area.name, area.line, language),
        ...onCondition(area, outline),
      ]),
    ...file.flatMap(({ start, end, line }) => marksOfFile(squeeze(text.slice(start, end)), line, language)),
    ...calls.flatMap((call) => leaving(call, outline)),
    ...tests.flatMap((area) => earlyReturn(area, outline)),
  ];
}

/** What is said of a whole file is known by all of its words. */
function marksOfFile(text: string, line: number, language: Language): Mark[] {
  return marksIn(text, '', line, language).map((mark) => ({ ...mark, word: text.slice(0, 60) }));
}

/** A test, or a group of tests, that is there only on a condition. */
function onCondition(area: Area, { areas, branches, plain }: Outline): Mark[] {
  const branch = branches.findLast(({ arm }) => contains(arm, area));
  const isInTest = areas.some((one) => one.kind === 'test' && contains(one, area));
  if (!branch || isInTest) return [];
  const { start, end } = branch.condition;
  const said = squeeze(plain.slice(start, end));
  if (ALWAYS.test(said)) return [];
  return [
    {
      kind: 'skip',
      word: 'a condition',
      name: area.name,
      line: area.line,
      ...(NEVER.test(said) ? {} : { condition: said }),
    },
  ];
}

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
      .replace(/[({,: ]{1,9}$/, '')
      .slice(0, 60);
    const said = squeeze(text.slice(found.index + found[0].length)).slice(0, 200);
    const isSure = depends === undefined || (depends === 'unless' && NEVER.test(said));
    return [{ kind, word, name, line, ...on(isSure ? undefined : said) }];
  });
}

/** A call that skips, in a test or outside of all of them. */
function leaving(call: Call, outline: Outline): Mark[] {
  const { areas, branches, plain } = outline;
  const { kind, fn, args, line } = call;
  if (kind !== 'skip' && kind !== 'xfail') return [];
  const around = areas.filter((area) => area.kind !== 'group' && contains(area, call));
  const area = around.find((one) => one.kind === 'test') ?? around[0];
  if (isOrdinary(call, area, outline)) return [];
  const branch = branches.findLast(({ arm }) => contains(arm, call) && (!area || contains(area, arm)));
  const said = branch && squeeze(plain.slice(branch.condition.start, branch.condition.end));
  // Short runs skip on demand only.
  if (said && (area?.name === 'TestMain' || /\btesting\.Short\(\)/.test(said))) return [];
  const word = `${fn}${/[!?]$/.test(fn) ? '' : '()'}`.slice(0, 60);
  const condition = said ?? (/assum|importorskip/.test(fn) ? squeeze(args) : undefined);
  return [{ kind, word, name: area?.name ?? '', line, ...on(condition) }];
}

/** Programs end. In a file without tests that is no matter, nor in a function that is no test, nor where it is expected. */
function isOrdinary(call: Call, area: Area | undefined, { areas, expected }: Outline): boolean {
  if (!/exit|halt|abort/i.test(call.fn) || area?.name === 'TestMain') return false;
  if (area?.kind === 'helper' || !areas.some(({ kind }) => kind === 'test')) return true;
  return expected.some((one) => contains(one, call));
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
