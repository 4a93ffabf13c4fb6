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

/** What is generated, or somebody else's. */
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
  const rule = /["']?([@\w/-]+)["']?\s*:\s*(?:\[\s*)?(?:["'](off|warn|warning)["']|([01])(?=\s*[,\]}\n]))/g;
  return [...text.matchAll(rule)].map((match) => {
    const level = /off|0/.test(match[2] ?? match[3] ?? '') ? 'off' : 'to a warning';
    return {
      key: match[1] ?? '',
      text: `set the rule ${match[1]} ${level}`,
      line: lineOf(text, match.index),
    };
  });
}
