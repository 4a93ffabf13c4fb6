/** Why a test of the start is no longer there, where the rest of the change tells. */
import type { FilePair, MatchedFile } from './match-tests.ts';
import type { TestCase } from './model.ts';
import { coverage, tokensOf } from './tokens.ts';

/** A changed file that is no test. */
export interface SourceChange {
  from?: string;
  to?: string;
  before?: string;
  after?: string;
}

/** elsewhere: another test says it. scattered: the words are new somewhere in the tests. subject: what it is about is gone. */
export type Explanation = { why: 'elsewhere' | 'scattered' } | { why: 'subject'; name: string };

/** So much of a test has to be elsewhere now. */
const MOSTLY = 0.75;
/** So much of what only this test said. */
const GAINED = 0.6;

export class Explanations {
  /** Names that the source defined at the start and no longer defines. */
  private readonly gone: ReadonlySet<string>;
  /** Tests of now, with the words that each had at the start. */
  private readonly places: { test: TestCase; old: ReadonlySet<string>; now: ReadonlySet<string> }[];
  /** The words of all lines that test files have gained. */
  private readonly fresh: ReadonlySet<string>;

  constructor(files: readonly MatchedFile[], sources: readonly SourceChange[]) {
    const own = new Set(
      files.flatMap(({ pair }) =>
        (pair.before?.facts.tests ?? []).flatMap(({ name, suites }) => [name, ...suites]),
      ),
    );
    this.gone = new Set(goneNames(sources).filter((name) => !own.has(name)));
    this.places = files.flatMap(({ matched, added }) => [
      ...matched.map(({ before, after }) => ({
        test: after,
        old: tokensOf(before.text),
        now: tokensOf(after.text),
      })),
      ...added.map((test) => ({ test, old: new Set<string>(), now: tokensOf(test.text) })),
    ]);
    this.fresh = tokensOf(files.flatMap(({ pair }) => freshLines(pair)).join('\n'));
  }

  /** Why a test is gone, or, where it is there in a weaker form, why that is weaker. */
  of(test: TestCase, now?: TestCase): Explanation | undefined {
    const left = tokensOf(now?.text ?? '');
    const words = new Set([...tokensOf(test.text)].filter((word) => !left.has(word)));
    if (words.size > 0 && this.isElsewhere(words, now)) return { why: 'elsewhere' };
    if (coverage(words, this.fresh) >= MOSTLY) return { why: 'scattered' };
    const named = [
      ...words,
      ...(test.text.match(/--[a-z][\w-]{2,40}/g) ?? []),
      ...tokensOf([test.name, ...test.suites].join(' ').replace(/[^\w$]+|_|(?<=[a-z])(?=[A-Z])/g, ' ')),
    ];
    const name = named.find((word) => this.gone.has(word));
    return name === undefined ? undefined : { why: 'subject', name };
  }

  /** Whether another test took it in, or already said the same. */
  private isElsewhere(words: ReadonlySet<string>, own: TestCase | undefined): boolean {
    return this.places.some(({ test, old, now }) => {
      if (test === own || coverage(words, now) < MOSTLY) return false;
      const gained = new Set([...words].filter((word) => !old.has(word)));
      // Of a test that is still there, what it lost has to be new in another.
      return gained.size === 0 ? own === undefined : coverage(gained, now) >= GAINED;
    });
  }
}

/** A function that nothing calls says nothing. */
function freshLines({ before, after }: FilePair): string[] {
  const { code = '', helpers = [] } = after?.facts ?? {};
  const words = code.match(/[\w$]+/g) ?? [];
  const idle = helpers.filter(({ name }) => words.filter((word) => word === name).length < 2);
  const known = new Set(
    [...(before?.facts.code ?? '').split('\n'), ...idle.flatMap(({ lines }) => lines)].map((line) =>
      line.trim(),
    ),
  );
  return code.split('\n').filter((line) => !known.has(line.trim()));
}

function goneNames(sources: readonly SourceChange[]): string[] {
  const all = (side: 'before' | 'after', of: readonly RegExp[]) =>
    sources.flatMap((source) => definedIn(source[side] ?? '', of));
  const files = sources.flatMap(({ from, to }) =>
    from !== undefined && to === undefined ? [stemOf(from)] : [],
  );
  const functions = new Set(all('after', DEFINITIONS));
  const properties = new Set(all('after', PROPERTIES));
  const texts = new Set(all('after', TEXTS));
  const gone = [
    ...[...all('before', DEFINITIONS), ...files].filter((name) => !functions.has(name)),
    ...all('before', PROPERTIES).filter((name) => !functions.has(name) && !properties.has(name)),
    ...all('before', TEXTS).filter((text) => !texts.has(text)),
  ];
  return gone.filter((name) => name.length > 2);
}

/** Whether a file is source code whose definitions are looked for. */
export function definesNames(path: string): boolean {
  return SOURCES.test(path) && !/(^|\/)(?:node_modules|vendor|dist|build)\//.test(path);
}

const SOURCES =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|swift|c|cc|cpp|h|hpp|ex|exs|dart|sh|bash|scala)$/;

function stemOf(path: string): string {
  return (path.split('/').at(-1) ?? '').replace(/\..*$/, '');
}

const DEFINITIONS: readonly RegExp[] = [
  // A word of the language before the name: functions, classes, types, modules.
  /\b(?:def|function\*?|func|fn|class|interface|trait|struct|enum|union|module|mod|macro_rules!|attr_\w+|type|record)[ \t]+(?:\([^()\n]*\)[ \t]*)?(?:self\.|:)?([A-Za-z_$][\w$]*)/g,
  // Values of a whole file, not of a function, and not of another module.
  /^(?:export\s+)?(?:(?:const|let|var|static|final|pub(?:\([^)]*\))?)\s+){1,3}(?:mut\s+)?([A-Za-z_$][\w$]*)\b(?!\s*=\s*require\b)/gm,
  /^([A-Za-z_]\w*)(?:\s*:\s*[^=\n]+)?\s*=(?!=)/gm,
  // Members: `name(...) {`, `exports.name =`, `name: function`, `public int name(`.
  /^[ \t]*(?:(?:public|private|protected|static|async|get|set|final|abstract|override)\s+)*(?:\*\s*)?([A-Za-z_$][\w$]*)\s*(?:<[^>\n]*>)?\([^;\n]*\)\s*(?::[^{;\n]+)?\{\s*$/gm,
  /(?:\bexports|\bprototype|\bmodule\.exports|^[A-Za-z_$][\w$]*)\.([A-Za-z_$][\w$]*)\s*=(?!=)/gm,
  // Constants of a class.
  /^[ \t]+([A-Z_][A-Z0-9_]{2,})\s*=(?!=)/gm,
  /^[ \t]*(?:public|protected|private|static|final)\b[^=;(\n]*?\b(\w+)\s*\(/gm,
];
const PROPERTIES: readonly RegExp[] = [
  /^[ \t]*["']?([A-Za-z_$][\w$]*)["']?\s*:\s*(?:async\s+)?(?:function\b|\([^()\n]*\)\s*=>|[\w$]+\s*=>)/gm,
];
/** Options, and texts that a program says or asks for. */
const TEXTS: readonly RegExp[] = [
  /(--[a-z][\w-]{2,40})/g,
  /"([^"\\\n]{5,80})"/g,
  /'([^'\\\n]{5,80})'/g,
  /`([^`\\\n]{5,80})`/g,
];
const NO_NAMES = new Set(
  'if for while switch catch return function constructor with else elsif unless do try'.split(' '),
);

/** The names that a source text defines, as far as patterns tell. */
function definedIn(text: string, definitions: readonly RegExp[]): string[] {
  return definitions
    .flatMap((expression) => [...text.matchAll(expression)].map((match) => match[1] ?? ''))
    .filter((name) => !NO_NAMES.has(name));
}
