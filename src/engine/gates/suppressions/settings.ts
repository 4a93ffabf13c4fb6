import type { Finding } from './find.ts';

/** Settings of linters, compilers and coverage: where they apply, and what they leave out. */

interface Tool {
  name: string;
  /** Names of its settings files. */
  files: RegExp;
  /** Those that may already be there at the root. */
  usual: readonly string[];
}

const TOOLS: readonly Tool[] = [
  {
    name: 'eslint',
    files: /^(\.eslintrc(\.\w+)?|eslint\.config\.\w+|\.eslintignore)$/,
    usual: [
      ...['.eslintrc', '.eslintrc.json', '.eslintrc.js', '.eslintrc.cjs', '.eslintrc.yml', '.eslintrc.yaml'],
      ...['eslint.config.js', 'eslint.config.mjs', 'eslint.config.cjs', 'eslint.config.ts'],
    ],
  },
  { name: 'biome', files: /^biome\.jsonc?$/, usual: ['biome.json', 'biome.jsonc'] },
  { name: 'oxlint', files: /^\.?oxlintrc\.json$/, usual: ['.oxlintrc.json'] },
  {
    name: 'stylelint',
    files: /^(\.stylelintrc(\.\w+)?|stylelint\.config\.\w+|\.stylelintignore)$/,
    usual: ['.stylelintrc.json', '.stylelintrc'],
  },
  { name: 'typescript', files: /^(ts|js)config\.json$/, usual: ['tsconfig.json', 'jsconfig.json'] },
  { name: 'ruff', files: /^\.?ruff\.toml$/, usual: ['ruff.toml', '.ruff.toml'] },
  { name: 'flake8', files: /^\.flake8$/, usual: ['.flake8'] },
  { name: 'pylint', files: /^\.?pylintrc(\.toml)?$/, usual: ['.pylintrc', 'pylintrc'] },
  { name: 'mypy', files: /^\.?mypy\.ini$/, usual: ['mypy.ini', '.mypy.ini'] },
  { name: 'pyright', files: /^pyrightconfig\.json$/, usual: ['pyrightconfig.json'] },
  {
    name: 'golangci',
    files: /^\.golangci\.(ya?ml|toml|json)$/,
    usual: ['.golangci.yml', '.golangci.yaml', '.golangci.toml'],
  },
  { name: 'clippy', files: /^\.?clippy\.toml$/, usual: ['clippy.toml', '.clippy.toml'] },
  { name: 'rubocop', files: /^\.rubocop(_todo)?\.yml$/, usual: ['.rubocop.yml'] },
  {
    name: 'phpstan',
    files: /^phpstan(\.dist)?\.neon(\.dist)?$|^phpstan-baseline\.(neon|php)$/,
    usual: ['phpstan.neon', 'phpstan.neon.dist'],
  },
  { name: 'psalm', files: /^psalm(-baseline)?\.xml(\.dist)?$/, usual: ['psalm.xml', 'psalm.xml.dist'] },
  { name: 'phpcs', files: /^\.?phpcs\.xml(\.dist)?$/, usual: ['phpcs.xml', '.phpcs.xml', 'phpcs.xml.dist'] },
  { name: 'swiftlint', files: /^\.swiftlint\.yml$/, usual: ['.swiftlint.yml'] },
  {
    name: 'detekt',
    files: /^detekt(-baseline)?\.(yml|xml)$/,
    usual: ['detekt.yml', 'config/detekt/detekt.yml'],
  },
  {
    name: 'checkstyle',
    files: /^checkstyle(-suppressions)?\.xml$/,
    usual: ['checkstyle.xml', 'config/checkstyle/checkstyle.xml'],
  },
  { name: 'clang-tidy', files: /^\.clang-tidy$/, usual: ['.clang-tidy'] },
  { name: 'shellcheck', files: /^\.?shellcheckrc$/, usual: ['.shellcheckrc'] },
  { name: 'dart', files: /^analysis_options\.yaml$/, usual: ['analysis_options.yaml'] },
  { name: 'credo', files: /^\.credo\.exs$/, usual: ['.credo.exs'] },
  { name: 'luacheck', files: /^\.luacheckrc$/, usual: ['.luacheckrc'] },
  {
    name: 'coverage',
    files: /^(\.coveragerc|\.nycrc(\.\w+)?|\.c8rc(\.\w+)?)$/,
    usual: ['.coveragerc', '.nycrc', '.nycrc.json', '.c8rc', '.c8rc.json'],
  },
];

/** A settings file that was added, and where the same tool may have had others. */
export interface NewSettings {
  path: string;
  tool: string;
  /** The folder; empty at the root. */
  folder: string;
  /** Files at the root which show that the tool was set up before. */
  usual: readonly string[];
}

export function newSettings(path: string): NewSettings | undefined {
  const cut = path.lastIndexOf('/') + 1;
  const tool = TOOLS.find(({ files }) => files.test(path.slice(cut)));
  return tool && { path, tool: tool.name, folder: path.slice(0, Math.max(0, cut - 1)), usual: tool.usual };
}

/**
 * Whether settings that appear beside those of the start say less than these: a line of them is gone, or something is left
 * out or switched off. Settings that are programs say less when they name no rules at all. `before`: what was said at the start.
 */
export function saysLess(path: string, text: string, before: readonly string[]): boolean {
  if (loosened(path, '', text).length > 0) return true;
  if (OBJECTS.test(path)) return !/\b(?:rules|extends|recommended|presets?|configs?|plugins)\b/.test(text);
  const said = new Set(saidIn(text));
  return before.flatMap(saidIn).some((line) => !said.has(line));
}

function saidIn(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/(^|\s)[#;].*$/, '').replace(/\s+/g, ''));
  return lines.filter((line) => line !== '' && !line.startsWith('['));
}

/** What a file that several tools share says of one of them. */
export function sectionOf(tool: string, text: string): string {
  const lines = text.split('\n');
  const heads = [`[${tool}]`, `[${tool}:`, `[${tool}-`, `[tool.${tool}]`, `[tool.${tool}.`];
  let isIn = false;
  const own = lines.filter((line) => {
    if (line.startsWith('[')) isIn = heads.some((head) => line.startsWith(head));
    return isIn;
  });
  return own.join('\n');
}

export function settingsFinding({ path, tool, folder }: NewSettings): Finding {
  const where = folder === '' ? 'beside those that are there' : 'for this folder alone';
  const text = `new settings of ${tool}, ${where}`;
  return { id: `settings:${path}`, path, line: 1, group: 'settings', name: 'settings', text };
}

/** Settings that no compiler has, whose lists say what is not looked at. Others are compared by `tests_intact`. */
const COMPARED =
  /(^|\/)(\.?ruff\.toml|\.flake8|setup\.cfg|tox\.ini|pyproject\.toml|\.?pylintrc|\.?mypy\.ini|pyrightconfig\.json|\.golangci\.(ya?ml|toml|json)|\.rubocop(_todo)?\.yml|Cargo\.toml|\.?clippy\.toml|\.swiftlint\.yml|detekt\.yml|phpstan\.neon|\.coveragerc|analysis_options\.yaml)$/;
/** Settings as objects, whose lists of files may leave some out. What their rules say is compared by `tests_intact`. */
const OBJECTS =
  /(^|\/)(biome\.jsonc?|\.?oxlintrc\.json|eslint\.config\.\w+|\.eslintrc(\.\w+)?|\.stylelintrc(\.\w+)?|stylelint\.config\.\w+)$/;
const IGNORE_FILE = /(^|\/)\.(eslint|stylelint|biome|semgrep|oxlint)ignore$/;

export function isCompared(path: string): boolean {
  return COMPARED.test(path) || OBJECTS.test(path) || IGNORE_FILE.test(path);
}

const KEY =
  /^\s{0,40}["']?(?:lint\.)?(ignore|extend-ignore|per-file-ignores|extend-per-file-ignores|exclude|extend-exclude|exclude-rules|exclude-dirs|exclude-files|skip-dirs|skip-files|disable|disabled_rules|disable_error_code|excluded|omit|exclude_lines|exclude_also|ignore-patterns|ignore-paths|ignoreErrors|excludePaths|skips|errors)["']?\s{0,5}[:=]\s{0,5}(.*)$/i;
const SECTION = /^\s{0,10}\[{1,2}([^\]]{1,200})\]/;
const LINTED_SECTION = /ruff|flake8|pylint|mypy|pyright|coverage|lints|clippy|MESSAGES CONTROL|run|report/i;
const SWITCHED_OFF =
  /^\s{0,40}(?:Enabled:\s{0,5}false\b|enabled\s{0,5}[:=]\s{0,5}false\b|["']?typeCheckingMode["']?\s{0,5}[:=]\s{0,5}["'](?:off|basic)["']|["']?report\w{1,60}["']?\s{0,5}[:=]\s{0,5}(?:false\b|["'](?:none|warning)["'])|ignore_errors\s{0,5}=\s{0,5}true\b|follow_imports\s{0,5}=\s{0,5}["']?skip\b|disable-all\s{0,5}:\s{0,5}true\b|[\w:-]{1,60}\s{0,5}=\s{0,5}(?:["']allow["']|\{\s{0,5}level\s{0,5}=\s{0,5}["']allow["']))/i;
const NEVER_LOOKED_AT =
  /node_modules|\b(dist|build|out|coverage|vendor|target|migrations|generated|__pycache__|site-packages|venv|proto)\b|^\.|_pb2|\.git\b/;

/** Finds what a settings file leaves out or switches off, and did not before. Pure. */
export function loosened(path: string, before: string, after: string): Finding[] {
  const known = new Map<string, number>();
  for (const { text } of entriesIn(path, before)) known.set(text, (known.get(text) ?? 0) + 1);
  return entriesIn(path, after).flatMap(({ text, line }): Finding[] => {
    const times = known.get(text) ?? 0;
    if (times > 0) known.set(text, times - 1);
    if (times > 0) return [];
    return [{ id: `settings:${path}`, path, line, group: 'settings', name: 'settings', text }];
  });
}

interface Entry {
  text: string;
  line: number;
}

const LONGEST_LINE = 1_000;

function entriesIn(path: string, text: string): Entry[] {
  const lines = text.split('\n').map((line) => line.slice(0, LONGEST_LINE));
  if (IGNORE_FILE.test(path))
    return lines.flatMap((line, i) =>
      /^\s{0,40}(#|$)/.test(line) || NEVER_LOOKED_AT.test(line)
        ? []
        : [{ text: `leaves out ${line.trim()}`, line: i + 1 }],
    );
  if (OBJECTS.test(path)) return leftOutIn(text);
  const many = /(pyproject|Cargo)\.toml$|(setup\.cfg|tox\.ini)$/.test(path);
  const found: Entry[] = [];
  let section = '';
  let list: { key: string; bracket: boolean; indent: number } | undefined;
  lines.forEach((raw, i) => {
    const line = raw.replace(/(^|\s)[#;].*$/, '$1');
    const head = SECTION.exec(line);
    if (head && !list?.bracket) {
      section = head[1] ?? '';
      list = undefined;
      return;
    }
    if (many && !LINTED_SECTION.test(section)) return;
    const key = KEY.exec(line);
    if (key) {
      const [, name = '', rest = ''] = key;
      list = { key: name, bracket: rest.includes('[') && !rest.includes(']'), indent: indentOf(line) };
      found.push(...valuesIn(name, rest, i + 1));
    } else if (list && (list.bracket || indentOf(line) > list.indent || /^\s*-\s/.test(line))) {
      found.push(...valuesIn(list.key, line, i + 1));
      if (line.includes(']')) list = undefined;
    } else if (line.trim() !== '') list = undefined;
    const off = SWITCHED_OFF.exec(line);
    if (off) found.push({ text: `says ${off[0].trim()} (${section || parentOf(lines, i)})`, line: i + 1 });
  });
  return found;
}

const FILE_LIST =
  /\b(includes?|files|ignores?|ignorePatterns|ignoreFiles|exclude[sd]?)\b["']?\s{0,20}:\s{0,20}\[([^\]]{0,4000})\]/g;

/** What lists of files leave out: everything in a list of exceptions, and what begins with `!` in any other. */
function leftOutIn(text: string): Entry[] {
  return [...text.matchAll(FILE_LIST)].flatMap(({ 0: all, 1: key = '', 2: list = '', index }) => {
    const line = text.slice(0, index + all.length - list.length).split('\n').length;
    const isOfExceptions = /^(?:ignore|exclude)/.test(key);
    const quoted = [...list.matchAll(/["'`]([^"'`\n]{1,300})["'`]/g)].map(([, value = '']) => value);
    return quoted
      .filter(
        (value) =>
          isOfExceptions !== value.startsWith('!') && !NEVER_LOOKED_AT.test(value.replace(/^!+/, '')),
      )
      .map((value) => ({ text: `leaves out ${value.replace(/^!+/, '')}`, line }));
  });
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The line above with less indentation, which names what is switched off in YAML. */
function parentOf(lines: readonly string[], at: number): string {
  const indent = indentOf(lines[at] ?? '');
  const above = lines.slice(Math.max(0, at - 20), at).reverse();
  return (above.find((line) => line.trim() !== '' && indentOf(line) < indent) ?? '').trim().slice(0, 80);
}

function valuesIn(key: string, text: string, line: number): Entry[] {
  const words = text.match(/[\w*@.][\w*@./:-]*/g) ?? [];
  return words
    .filter((word) => !NEVER_LOOKED_AT.test(word))
    .map((word) => ({ text: `${key}: ${word}`, line }));
}
