/** Puts other expected values into tests. A test that still passes proves nothing. Pure. */
import { formOf } from './test-forms.ts';

export interface SpoiledTests {
  text: string;
  /** The tests that expect something else now, each with a place where they do. */
  tests: ReadonlyMap<string, SpoiledPlace>;
}

export interface SpoiledPlace {
  /** Counts from 1. */
  line: number;
  was: string;
  is: string;
}

/** These fail, or look at what fails, on purpose, or only on some machines. */
const OTHERWISE = /throw|raises|reject|xfail|\bfails?\b|skip|platform|win32|GOOS|sys\.version/i;

/** Tests of these names in one file. Those that compare nothing with a plain value stay as they are. */
export function withOtherExpectations(
  path: string,
  text: string,
  names: readonly string[],
): SpoiledTests | undefined {
  const language = languageOf(path);
  if (language === undefined) return undefined;
  const lines = text.split('\n');
  const tests = new Map<string, SpoiledPlace>();
  for (const name of names) {
    const form = formOf(name, new Map([[path, text]]));
    if (!form || OTHERWISE.test(form.lines.join('\n'))) continue;
    form.lines.forEach((line, i) => {
      const at = form.line - 1 + i;
      const spoiled = spoiledLine(line, language);
      if (!spoiled || lines[at] !== line) return;
      lines[at] = spoiled.text;
      if (!tests.has(name)) tests.set(name, { line: at + 1, was: spoiled.was, is: spoiled.is });
    });
  }
  return tests.size === 0 ? undefined : { text: lines.join('\n'), tests };
}

type Language = 'script' | 'python' | 'go';

function languageOf(path: string): Language | undefined {
  if (/\.[cm]?[jt]sx?$/.test(path)) return 'script';
  if (path.endsWith('.py')) return 'python';
  return path.endsWith('.go') ? 'go' : undefined;
}

const NUMBER = String.raw`-?\d{1,12}(?:\.\d{1,12})?`;
const QUOTED = String.raw`'[^'\\\n]{0,300}'|"[^"\\\n]{0,300}"`;
const PLAIN: Record<Language, string> = {
  script: `${NUMBER}|${QUOTED}|true|false|null|\\[[^\\[\\]\\n]{0,300}\\]`,
  python: `${NUMBER}|${QUOTED}|True|False|None|\\[[^\\[\\]\\n]{0,300}\\]`,
  go: `${NUMBER}|"[^"\\\\\\n]{0,300}"|true|false`,
};

/** The value stands between the first part and the last. The first expression that fits a line counts. */
const COMPARES: Record<Language, readonly RegExp[]> = {
  script: [
    String.raw`(\)\.(?:toBe|toEqual|toStrictEqual)\(\s*)(VALUE)(\s*\))`,
    String.raw`(\.to\.(?:be\.)?(?:deep\.)?(?:equal|eql)\(\s*)(VALUE)(\s*\))`,
    String.raw`(\b(?:strictEqual|equal|deepEqual|deepStrictEqual)\(.{1,500},\s*)(VALUE)(\)+;?\s*)$`,
    String.raw`(\b(?:strictEqual|equal|deepEqual|deepStrictEqual)\(\s*)(VALUE)(\s*,)`,
  ].map((each) => withValue(each, 'script')),
  python: [
    String.raw`(^\s*assert\s.{1,500}[^=!<>]==\s*)(VALUE)(\s*(?:,\s*["'].*)?)$`,
    String.raw`(\bassertEqual\(.{1,500},\s*)(VALUE)(\)\s*)$`,
    String.raw`(\bassertEqual\(\s*)(VALUE)(\s*,)`,
  ].map((each) => withValue(each, 'python')),
  go: [
    String.raw`(\bif\b.{1,500}!=\s*)(VALUE)(\s*\{)`,
    String.raw`(\b(?:assert|require)\.Equal\(t,\s*)(VALUE)(\s*,)`,
  ].map((each) => withValue(each, 'go')),
};

function withValue(source: string, language: Language): RegExp {
  return new RegExp(source.replace('VALUE', () => PLAIN[language]));
}

const NEGATED = /\bnot\b|\bor\b|\|\|/;
const LONGEST_LINE = 1_000;

function spoiledLine(
  line: string,
  language: Language,
): { text: string; was: string; is: string } | undefined {
  if (line.length > LONGEST_LINE || NEGATED.test(line)) return undefined;
  for (const compares of COMPARES[language]) {
    const found = compares.exec(line);
    const [whole, before = '', was = '', after = ''] = found ?? [];
    if (!found || whole === undefined) continue;
    const is = otherThan(was);
    const text = `${line.slice(0, found.index)}${before}${is}${after}${line.slice(found.index + whole.length)}`;
    return { text, was, is };
  }
  return undefined;
}

const OTHERS: Record<string, string> = { true: 'false', false: 'true', True: 'False', False: 'True' };

function otherThan(value: string): string {
  const other = OTHERS[value];
  if (other !== undefined) return other;
  if (/^["']/.test(value)) return `${value.slice(0, -1)} or not${value.slice(-1)}`;
  if (/^-?\d/.test(value)) return value.includes('.') ? `${value}1` : String(Number(value) + 1);
  if (value.startsWith('[')) return "['something else']";
  return "'something else'";
}
