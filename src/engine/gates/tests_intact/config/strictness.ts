import { maskSource } from '../../../core/source/mask.ts';
import { type ConfigReader, type Guard, type Loosening, lineOf, listAfter, matchesOf } from './config.ts';

const TSCONFIG = /(^|\/)(ts|js)config(\.[\w.-]+)?\.json$/;
const ESLINT = /(^|\/)(\.eslintrc(\.\w+)?|eslint\.config\.\w+)$/;
const BIOME = /(^|\/)biome\.jsonc?$/;
const PYTHON = /(^|\/)(pyproject\.toml|setup\.cfg|mypy\.ini|\.mypy\.ini|pyrightconfig\.json)$/;

const TS_FLAGS =
  'strict noImplicitAny strictNullChecks strictFunctionTypes strictBindCallApply strictPropertyInitialization noImplicitThis useUnknownInCatchVariables alwaysStrict noUncheckedIndexedAccess exactOptionalPropertyTypes noImplicitReturns noFallthroughCasesInSwitch noImplicitOverride noUnusedLocals noUnusedParameters noPropertyAccessFromIndexSignature';
const MYPY_FLAGS =
  'strict disallow_untyped_defs disallow_any_generics disallow_incomplete_defs check_untyped_defs no_implicit_optional warn_return_any warn_unused_ignores strict_equality';

/** How strict compilers and linters are. */
export const strictness: ConfigReader = {
  id: 'strict',
  reads: (path) => [TSCONFIG, ESLINT, BIOME, PYTHON].some((files) => files.test(path)),
  loosenings(text, path) {
    const plain = maskSource(text, PYTHON.test(path) ? 'settings' : 'javascript').uncommented;
    if (TSCONFIG.test(path)) return tsLoosenings(plain);
    if (PYTHON.test(path))
      return matchesOf(plain, /\b(ignore_errors\s*=\s*[Tt]rue)/g, (found) => `now says ${found}`);
    return [...rulesOff(plain), ...notLinted(plain), ...(BIOME.test(path) ? linterOff(plain) : [])];
  },
  guards(text, path) {
    const plain = maskSource(text, PYTHON.test(path) ? 'settings' : 'javascript').uncommented;
    if (TSCONFIG.test(path)) return flags(plain, TS_FLAGS);
    return PYTHON.test(path) ? flags(plain, MYPY_FLAGS) : [];
  },
};

function flags(text: string, names: string): Guard[] {
  return names
    .split(' ')
    .filter((name) => new RegExp(`(?<![\\w-])["']?${name}["']?\\s*[:=]\\s*[Tt]rue\\b`).test(text))
    .map((name) => ({ key: name, text: `"${name}": true` }));
}

function tsLoosenings(text: string): Loosening[] {
  const off = new RegExp(`["'](${TS_FLAGS.split(' ').join('|')})["']\\s*:\\s*false`, 'g');
  return [
    ...matchesOf(text, off, (name) => `switched "${name}" off`),
    ...matchesOf(text, /["'](noCheck)["']\s*:\s*true/g, (name) => `switched "${name}" on`),
    ...listAfter(text, /exclude/)
      .filter(({ value }) => !/node_modules|\b(dist|build|out|coverage|lib)\b|^\.|\{/.test(value))
      .map(({ value, line }) => ({ key: value, text: `leaves out ${value}`, line })),
  ];
}

function notLinted(text: string): Loosening[] {
  return listAfter(text, /ignores|ignorePatterns/)
    .filter(({ value }) => !NEVER_LINTED.test(value))
    .map(({ value, line }) => ({ key: value, text: `leaves out ${value}`, line }));
}

/** Files that are generated or not of this project. */
const NEVER_LINTED =
  /node_modules|\b(dist|build|out|coverage|lib|vendor|public|static|generated|__generated__|fixtures?|snapshots?)\b|\.(d\.ts|min\.js)$|^(\*\*\/)?\.|config|\{/;

function linterOff(text: string): Loosening[] {
  return matchesOf(
    text,
    /["']linter["']\s*:\s*\{\s*(["']enabled["']\s*:\s*false)/g,
    () => 'switched the linter off',
  );
}

/** A rule switched off, or down to a warning. */
function rulesOff(text: string): Loosening[] {
  const rule =
    /(?<![@\w/-])["']?([@\w/-]+)["']?\s*:\s*(?:\[\s*)?(?:["'](off|warn|warning)["']|([01])(?=\s*[,\]}\n]))/g;
  return [...text.matchAll(rule)].map((match) => {
    const level = /off|0/.test(match[2] ?? match[3] ?? '') ? 'off' : 'to a warning';
    return {
      key: match[1] ?? '',
      text: `set the rule ${match[1]} ${level}`,
      line: lineOf(text, match.index),
    };
  });
}

const FILES =
  /(^|\/)(package\.json|jest\.config\.\w+|vite(st)?\.config\.\w+|vitest\.workspace\.\w+|\.nycrc(\.\w+)?|nyc\.config\.\w+|\.c8rc(\.\w+)?|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|\.coveragerc|\.?codecov\.ya?ml|pom\.xml|build\.gradle(\.kts)?|Makefile|justfile|tarpaulin\.toml|noxfile\.py)$|(^|\/)\.github\/workflows\/[^/]+$|(^|\/)\.gitlab-ci\.yml$/;

/** How much has to be covered. */
export const coverage: ConfigReader = {
  id: 'coverage',
  reads: (path) => FILES.test(path),
  guards(text, path) {
    return numbered([...thresholdsIn(text, path), ...namedNumbers(text)]);
  },
};

const BLOCK = /["']?(?:coverageThreshold|thresholds?|coverage|nyc|c8)["']?\s*:\s*\{/g;
const MEASURE = /["']?\b(lines|branches|functions|statements)["']?\s*:\s*(-?\d+(?:\.\d+)?)/g;

/** Jest, Vitest, nyc and c8 count lines, branches, functions and statements. */
function thresholdsIn(text: string, path: string): Guard[] {
  const whole = /(nyc|c8)/.test(path);
  const blocks = whole ? [text] : outermost(text);
  return blocks.flatMap((block) =>
    [...block.matchAll(MEASURE)].map(([, measure = '', value]) => ({
      key: measure,
      text: `the coverage of ${measure}`,
      value: Number(value),
    })),
  );
}

/** The blocks that may hold thresholds, without those inside another. */
function outermost(text: string): string[] {
  const blocks: string[] = [];
  let end = 0;
  for (const match of text.matchAll(BLOCK)) {
    if (match.index < end) continue;
    let depth = 0;
    let at = match.index + match[0].length - 1;
    for (; at < text.length; at++) {
      if (text[at] === '{') depth++;
      else if (text[at] === '}' && --depth === 0) break;
    }
    end = at;
    blocks.push(text.slice(match.index, end));
  }
  return blocks;
}

const NUMBERS: readonly (readonly [name: string, expression: RegExp])[] = [
  ['fail_under', /\bfail_under\s*[=:]\s*(\d+(?:\.\d+)?)/g],
  ['cov-fail-under', /--cov-fail-under[= ](\d+(?:\.\d+)?)/g],
  ['fail-under', /(?<!cov-)\bfail-under(?:-\w+)?["']?\s*[= ]\s*(\d+(?:\.\d+)?)/g],
  ['minimum', /(?:<minimum>|\bminimum\s*=\s*)(\d+(?:\.\d+)?)/g],
  ['target', /^[ \t]*target:[ \t]*(\d+(?:\.\d+)?)%?[ \t]*$/gm],
];

function namedNumbers(text: string): Guard[] {
  return NUMBERS.flatMap(([key, expression]) =>
    [...text.matchAll(expression)].map(([, value]) => ({
      key,
      text: `the coverage ${key}`,
      value: Number(value),
    })),
  );
}

/** Numbers the keys: the second `lines` of a file is not its first. */
function numbered(guards: readonly Guard[]): Guard[] {
  const seen = new Map<string, number>();
  return guards.map((guard) => {
    const times = (seen.get(guard.key) ?? 0) + 1;
    seen.set(guard.key, times);
    return times === 1 ? guard : { ...guard, key: `${guard.key}#${times}` };
  });
}
