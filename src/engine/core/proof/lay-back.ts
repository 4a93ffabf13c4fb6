/**
 * Files that hold settings of tests beside other things: of each, the part about tests is laid back as it was at the start,
 * and the rest, dependencies above all, stays as it is now.
 */

/** The file with its part about tests as it was; undefined when it has none that can be told apart. */
export function laidBack(path: string, then: string, now: string): string | undefined {
  if (then === now) return undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const merge = MERGES.find(([pattern]) => pattern.test(name))?.[1];
  const merged = merge?.(then, now);
  return merged === now ? undefined : merged;
}

/** The file as it was, with everything in it that tests of now need: what runs them, and their dependencies. */
export function laidForward(path: string, then: string, now: string): string | undefined {
  if (then === now || !/(?:^|\/)package\.json$/.test(path)) return undefined;
  const [old, fresh] = [jsonMap(then), jsonMap(now)];
  if (!old || !fresh) return undefined;
  return render({ ...fresh, ...pickKeys(old, OF_CODE), ...absent(OF_CODE, old) });
}

type Merge = (then: string, now: string) => string | undefined;
type Fields = Record<string, unknown>;

const MERGES: readonly (readonly [RegExp, Merge])[] = [
  [/^package\.json$/, packageJson],
  [/^tsconfig(?:\.[\w-]+)?\.json$|^jsconfig\.json$/, tsconfig],
  [
    /^pyproject\.toml$/,
    sections(/^\[+tool\.(?:pytest|coverage|tox|nox|hatch\.envs|pdm\.scripts|poe|taskipy|doit)\b/),
  ],
  [/^setup\.cfg$/, sections(/^\[(?:tool:pytest|pytest|coverage:|aliases|tox)/)],
  [/^Cargo\.toml$/, cargoToml],
  [/^pom\.xml$/, pomXml],
  [/^build\.gradle(?:\.kts)?$/, gradle],
  [/^composer\.json$/, composerJson],
];

/** Keys of package.json that settle how the package itself is loaded. */
const OF_CODE = ['type', 'main', 'module', 'exports', 'imports', 'bin', 'browser'];
/** Keys in which runners and their helpers look for settings. */
const OF_RUNNERS = [
  'jest',
  'mocha',
  'ava',
  'vitest',
  'c8',
  'nyc',
  'tap',
  'jasmine',
  'babel',
  'standard',
  'config',
  'wireit',
  'nx',
  'lage',
];

function packageJson(then: string, now: string): string | undefined {
  const [old, fresh] = [jsonMap(then), jsonMap(now)];
  if (!old || !fresh) return undefined;
  const [before, after] = [withoutPlaceholder(mapOf(old.scripts)), mapOf(fresh.scripts)];
  // Without tests at the start there are no settings of tests to go back to.
  const hadTests = Object.keys(before).some((name) => /test|spec|check/.test(name));
  const runners = hadTests ? { ...pickKeys(old, OF_RUNNERS), ...absent(OF_RUNNERS, old) } : {};
  const merged = defined({ ...fresh, ...runners, scripts: scriptsOf(before, after) });
  return isSame(merged, { scripts: {}, ...fresh }) ? now : render(merged);
}

/** The script that `npm init` writes only says that there is no test. */
function withoutPlaceholder({ test, ...rest }: Fields): Fields {
  const isNone = test === undefined || /no test specified/.test(String(test));
  return isNone ? rest : { test, ...rest };
}

/** The scripts of the start, and new ones that do not run before or after one of them. */
function scriptsOf(then: Fields, now: Fields): Fields {
  const added = Object.entries(now).filter(
    ([name]) => !(name in then) && !(name.replace(/^(?:pre|post)/, '') in then),
  );
  return { ...then, ...Object.fromEntries(added) };
}

function composerJson(then: string, now: string): string | undefined {
  const [old, fresh] = [jsonMap(then), jsonMap(now)];
  if (!old || !fresh) return undefined;
  const keys = ['scripts', 'autoload-dev'];
  const merged = defined({ ...fresh, ...pickKeys(old, keys), ...absent(keys, old) });
  return isSame(merged, fresh) ? now : render(merged);
}

/** New settings of a compiler stay; those that were there are as they were. */
function tsconfig(then: string, now: string): string | undefined {
  const [old, fresh] = [jsonMap(then), jsonMap(now)];
  if (!old || !fresh) return undefined;
  const compiler = { ...mapOf(fresh.compilerOptions), ...mapOf(old.compilerOptions) };
  const paths = {
    ...mapOf(mapOf(fresh.compilerOptions).paths),
    ...mapOf(mapOf(old.compilerOptions).paths),
  };
  if (Object.keys(paths).length > 0) compiler.paths = paths;
  const merged = { ...fresh, ...old, compilerOptions: compiler };
  return isSame(merged, { compilerOptions: {}, ...fresh }) ? now : render(merged);
}

/** The sections of TOML or of an INI file. The lines before the first head are a section without a head. */
interface Section {
  head: string;
  lines: string[];
}

function sectionsOf(text: string): Section[] {
  const found: Section[] = [{ head: '', lines: [] }];
  for (const line of text.split('\n')) {
    if (/^\[/.test(line)) found.push({ head: line.trim(), lines: [line] });
    else found.at(-1)?.lines.push(line);
  }
  return found;
}

function textOf(all: readonly Section[]): string {
  return all.flatMap(({ lines }) => lines).join('\n');
}

/** Sections of this head are those of the start; all others are those of now. */
function sections(ofTests: RegExp): Merge {
  return (then, now) => {
    const isOfTests = ({ head }: Section) => ofTests.test(head);
    const [old, fresh] = [sectionsOf(then).filter(isOfTests), sectionsOf(now)];
    if (textOf(old).trim() === textOf(fresh.filter(isOfTests)).trim()) return now;
    return withEnd(
      fresh.filter((section) => !isOfTests(section)),
      old,
    );
  };
}

function withEnd(rest: readonly Section[], more: readonly Section[]): string {
  const text = textOf(rest);
  return more.length === 0 ? text : `${text.trimEnd()}\n\n${textOf(more)}`;
}

const CARGO_OF_TESTS = /^\[\[(?:test|bench)\]\]|^\[profile\.test\b|^\[alias\b/;
const CARGO_KEYS = /^\s*(?:autotests|autobenches|test|doctest|harness)\s*=/;

function cargoToml(then: string, now: string): string {
  const old = sectionsOf(then);
  const keysOf = (head: string, nth: number) =>
    old.filter((section) => section.head === head)[nth]?.lines.filter((line) => CARGO_KEYS.test(line)) ?? [];
  const seen = new Map<string, number>();
  const rest = sectionsOf(now)
    .filter(({ head }) => !CARGO_OF_TESTS.test(head))
    .map(({ head, lines }) => {
      const nth = seen.get(head) ?? 0;
      seen.set(head, nth + 1);
      if (!/^\[\[?(?:package|lib|bin|example)\]\]?/.test(head)) return { head, lines };
      const [first = '', ...others] = lines.filter((line) => !CARGO_KEYS.test(line));
      return { head, lines: [first, ...keysOf(head, nth), ...others] };
    });
  const back = old.filter(({ head }) => CARGO_OF_TESTS.test(head));
  const isOfTests = (line: string) => CARGO_KEYS.test(line);
  const testsIn = (all: readonly Section[]) =>
    all
      .flatMap(({ head, lines }) => (CARGO_OF_TESTS.test(head) ? lines : lines.filter(isOfTests)))
      .join('\n')
      .trim();
  return testsIn(old) === testsIn(sectionsOf(now)) ? now : withEnd(rest, back);
}

/** Parts of a pom that say what the project is and needs. Everything else says how it is built and tested. */
const POM_OF_CODE =
  /^(?:modelVersion|parent|groupId|artifactId|version|name|description|url|packaging|dependencies|dependencyManagement|modules|repositories|pluginRepositories|licenses|developers|scm)$/;

function pomXml(then: string, now: string): string | undefined {
  const [old, fresh] = [childrenOf(then), childrenOf(now)];
  if (!old || !fresh) return undefined;
  const isOfBuild = ({ name }: { name: string }) => !POM_OF_CODE.test(name);
  const kept = fresh.parts.filter((part) => !isOfBuild(part));
  const back = old.parts.filter(isOfBuild);
  if (isSame(back, fresh.parts.filter(isOfBuild))) return now;
  return `${fresh.before}\n${[...kept, ...back].map(({ text }) => `  ${text}`).join('\n')}\n${fresh.after}`;
}

interface XmlParts {
  before: string;
  parts: { name: string; text: string }[];
  after: string;
}

/** The elements directly below the root, comments aside. Undefined when the text cannot be read that far. */
function childrenOf(text: string): XmlParts | undefined {
  let depth = 0;
  let [bodyFrom, bodyTo] = [-1, -1];
  let open = { name: '', from: 0 };
  const parts: XmlParts['parts'] = [];
  for (const { name, from, to, closing, alone } of tagsIn(text)) {
    if (closing) depth -= 1;
    if (depth === 0 && bodyFrom < 0) bodyFrom = to;
    else if (depth === 0 && closing) bodyTo = from;
    else if (depth === 1 && !closing) open = { name, from };
    if (depth === 1 && (closing || alone)) parts.push({ name: open.name, text: text.slice(open.from, to) });
    if (!closing && !alone) depth += 1;
  }
  if (depth !== 0 || bodyFrom < 0 || bodyTo < bodyFrom) return undefined;
  return { before: text.slice(0, bodyFrom), parts, after: text.slice(bodyTo) };
}

interface Tag {
  name: string;
  from: number;
  to: number;
  closing: boolean;
  /** `<name/>`. */
  alone: boolean;
}

/** What is no tag, by its beginning and its end. */
const NO_TAGS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
] as const;

function* tagsIn(text: string): Generator<Tag> {
  for (let from = text.indexOf('<'); from >= 0; ) {
    const other = NO_TAGS.find(([begin]) => text.startsWith(begin, from));
    const end = other?.[1] ?? '>';
    const at = text.indexOf(end, from);
    if (at < 0) return;
    const to = at + end.length;
    if (!other) {
      const inside = text.slice(from + 1, at);
      const closing = inside.startsWith('/');
      const name = /^[\w:.-]+/.exec(closing ? inside.slice(1) : inside)?.[0] ?? '';
      yield { name, from, to, closing, alone: inside.endsWith('/') };
    }
    from = text.indexOf('<', to);
  }
}

const GRADLE_OF_TESTS =
  /^\s*(?:test|check|testing|sourceSets|integrationTest|tasks\.(?:test|check|integrationTest)\b|tasks\.(?:named|withType|register|getByName)\s*[(<][^{]*[tT]est)[^{\n]*\{/;

/** Blocks on the outermost level whose head is about tests are those of the start. */
function gradle(then: string, now: string): string | undefined {
  const [old, fresh] = [blocksOf(then), blocksOf(now)];
  if (!old || !fresh) return undefined;
  const isOfTests = (block: string) => GRADLE_OF_TESTS.test(block);
  if (isSame(old.filter(isOfTests), fresh.filter(isOfTests))) return now;
  return [...fresh.filter((block) => !isOfTests(block)), ...old.filter(isOfTests)].join('\n');
}

/** Lines on the outermost level, with the blocks that they open. Braces in strings and comments count, too: rarely odd. */
function blocksOf(text: string): string[] | undefined {
  const blocks: string[] = [];
  let depth = 0;
  for (const line of text.split('\n')) {
    if (depth === 0) blocks.push(line);
    else blocks[blocks.length - 1] += `\n${line}`;
    depth += (line.match(/\{/g)?.length ?? 0) - (line.match(/\}/g)?.length ?? 0);
    if (depth < 0) return undefined;
  }
  return depth === 0 ? blocks : undefined;
}

function jsonMap(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

function mapOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function pickKeys(from: Fields, keys: readonly string[]): Fields {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(from, key)).map((key) => [key, from[key]]));
}

/** Keys that the other text does not have, as undefined: JSON leaves them out. */
function absent(keys: readonly string[], other: Fields): Fields {
  return Object.fromEntries(keys.filter((key) => !Object.hasOwn(other, key)).map((key) => [key, undefined]));
}

/** Whether two values are the same but for the order of their keys. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function render(fields: Fields): string {
  return `${JSON.stringify(fields, null, 2)}\n`;
}

/** Dependencies of package.json that came from a registry and now come from elsewhere: a folder, another name, a repository. */
export function redirectedDependencies(then: string, now: string): string[] {
  const [old, fresh] = [jsonMap(then), jsonMap(now)];
  if (!old || !fresh) return [];
  const all = (from: Fields) =>
    Object.assign(
      {},
      ...['dependencies', 'devDependencies', 'optionalDependencies'].map((key) => mapOf(from[key])),
    ) as Fields;
  const [before, after] = [all(old), all(fresh)];
  return Object.keys(before).filter((name) => {
    const [was, is] = [String(before[name]), String(after[name] ?? before[name])];
    return was !== is && !ELSEWHERE.test(was) && ELSEWHERE.test(is);
  });
}

const ELSEWHERE =
  /^(?:file|link|portal|npm|git|github|https?|patch|workspace)\b[:+]|^[./~]|^[\w-]+\/[\w.-]+$/;
