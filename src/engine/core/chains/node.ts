/** JavaScript and TypeScript: npm, pnpm, yarn, bun, deno, and the runners that they start. */
import { byVerb, byWords, type CallReader, only } from '../commands/by-words.ts';
import { kindByName } from '../commands/check-names.ts';
import { hasFlag, hasOption, plainWords } from '../shell/options.ts';
import type { Checks, Mute, OtherOptions } from './chain.ts';

export const sources = /^[cm]?[jt]sx?$/;

export const tests = [
  /(?:^|\/)(?:cypress|__(?:tests|mocks|snapshots|fixtures|image_snapshots)__)\//i,
  /(?:^|\/)[\w.-]+[._-]snapshots\//,
  /\.(?:test|tests|spec|specs|e2e|cy|test-d)\.[cm]?[jt]sx?$/,
  /\.snap$/,
];

export const runnerSettings = [
  /(?:^|\/)(?:vitest|jest|ava|cypress|playwright|nyc|mocha|jasmine|tap|uvu|web-test-runner|stryker)[.-](?:config|conf|workspace|setup|shim|preset|global[-.]?setup)\b[^/]*$/,
  /(?:^|\/)(?:karma|wdio|protractor|nightwatch)(?:\.[\w-]+)*\.conf\.[cm]?[jt]s$/,
  /(?:^|\/)\.(?:mocharc|taprc|nycrc|c8rc|jestrc|avarc)[^/]*$/,
  /(?:^|\/)(?:mocha\.opts|jasmine\.json)(?:\.\w+)?$/i,
  /(?:^|\/)node_modules\//,
  /(?:^|\/)(?:bunfig\.toml|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs)$/,
  /(?:^|\/)tsconfig\.(?:tests?|specs?)\.json$/,
];

export const sharedSettings = [
  /(?:^|\/)(?:vite|babel|webpack|rollup|metro|svelte|astro|nuxt|rspack|rsbuild)\.config\.[^/]+$/,
  /(?:^|\/)\.(?:babelrc|swcrc)[^/]*$|(?:^|\/)(?:angular|nx|turbo|project)\.json$/,
];

export const dependencyFiles = [
  /(?:^|\/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?|deno\.lock)$/,
];

export const inputs = [
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  '.npmrc',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'yarn.lock',
  '.yarnrc',
  '.yarnrc.yml',
  '.yarn/**',
  'bun.lock',
  'bun.lockb',
  'bunfig.toml',
];

export const mutes: readonly Mute[] = [
  {
    name: 'eslint-disable',
    group: 'lint',
    expression: /(?:\/\/|\/\*)[\s*!]{0,20}eslint-disable/,
    languages: ['javascript'],
    narrow: /disable-(?:next-)?line/,
  },
  {
    name: 'eslint-disable',
    group: 'lint',
    expression: /<!--\s{0,20}eslint-disable/,
    languages: ['markup'],
    narrow: /disable-(?:next-)?line/,
  },
  {
    name: 'eslint-rule-off',
    group: 'lint',
    expression: /\/\*\s{0,20}eslint\s[^\n]{0,200}?:\s{0,5}(?:\[\s{0,5})?(?:["']?(?:off|warn)\b|[01]\b)/,
    languages: ['javascript'],
  },
  {
    name: 'biome-ignore',
    group: 'lint',
    expression: /(?:\/\/|\/\*|<!--)[\s*]{0,20}biome-ignore/,
    narrow: /biome-ignore(?!-all)/,
  },
  {
    name: 'oxlint-disable',
    group: 'lint',
    expression: /(?:\/\/|\/\*)[\s*]{0,20}oxlint-disable/,
    languages: ['javascript'],
    narrow: /disable-(?:next-)?line/,
  },
  {
    name: 'deno-lint-ignore',
    group: 'lint',
    expression: /\/\/\s{0,20}deno-lint-ignore/,
    languages: ['javascript'],
    narrow: /ignore(?!-file)/,
  },
  {
    name: 'tslint-disable',
    group: 'lint',
    expression: /(?:\/\/|\/\*)[\s*]{0,20}tslint:disable/,
    languages: ['javascript'],
    narrow: /disable-(?:next-)?line/,
  },
  {
    name: 'jshint-ignore',
    group: 'lint',
    expression: /(?:\/\/|\/\*)\s{0,20}jshint\s{1,5}(?:ignore|-W)/,
    languages: ['javascript'],
  },
  {
    name: 'stylelint-disable',
    group: 'lint',
    expression: /(?:\/\/|\/\*)\s{0,20}stylelint-disable/,
    languages: ['css', 'javascript'],
  },
  {
    name: 'ts-nocheck',
    group: 'types',
    expression: /(?:\/\/|\/\*)[\s/*]{0,20}@ts-nocheck\b/,
    languages: ['javascript'],
  },
  {
    name: 'ts-ignore',
    group: 'types',
    expression: /(?:\/\/|\/\*|^\s{0,200}\*)[\s/*]{0,20}@ts-ignore\b/,
    languages: ['javascript'],
    narrow: /./,
  },
  {
    name: 'ts-expect-error',
    group: 'types',
    expression: /(?:\/\/|\/\*|^\s{0,200}\*)[\s/*]{0,20}@ts-expect-error\b/,
    languages: ['javascript'],
    narrow: /./,
  },
  {
    name: 'flow-ignore',
    group: 'types',
    expression: /(?:\/\/|\/\*)\s{0,20}\$Flow(?:FixMe|Ignore|ExpectedError|Issue)/,
    languages: ['javascript'],
    narrow: /./,
  },
  {
    name: 'istanbul-ignore',
    group: 'coverage',
    expression: /(?:\/\/|\/\*)[\s*!]{0,20}istanbul\s{1,5}ignore/,
    languages: ['javascript'],
  },
  {
    name: 'c8-ignore',
    group: 'coverage',
    expression: /(?:\/\/|\/\*)[\s*!]{0,20}(?:c8|v8)\s{1,5}ignore/,
    languages: ['javascript'],
  },
  {
    name: 'node-coverage',
    group: 'coverage',
    expression: /(?:\/\/|\/\*)[\s*!]{0,20}node:coverage\s{1,5}(?:disable|ignore)/,
    languages: ['javascript'],
  },
];

export const settings = [
  'node_modules',
  'package.json',
  'tsconfig.json',
  'jsconfig.json',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  'pnpm-workspace.yaml',
  'bunfig.toml',
  '.babelrc',
  'babel.config.js',
  '.mocharc.json',
  '.mocharc.js',
  '.mocharc.cjs',
  '.mocharc.yml',
  '.swcrc',
  '.browserslistrc',
  '.eslintrc',
  '.eslintrc.json',
  '.eslintrc.js',
  '.eslintrc.cjs',
  '.eslintrc.yml',
  '.eslintrc.yaml',
  'eslint.config.js',
  'eslint.config.mjs',
  'eslint.config.cjs',
  'eslint.config.ts',
  'biome.json',
  'biome.jsonc',
  '.prettierrc',
  '.prettierrc.json',
  '.stylelintrc',
  '.stylelintrc.json',
];

export const homeSettings = ['.npmrc', '.yarnrc', '.yarnrc.yml', '.config/pnpm/rc', '.bunfig.toml'];

export const leaves = ['node_modules/'];

export const installCommands = [
  'npm run preinstall',
  'npm run install',
  'npm run postinstall',
  'npm run prepare',
];

const NODE: CallReader = (args) => {
  if (hasOption(args, '--test')) return 'tests';
  if (args.includes('--check') || args.includes('-c')) return 'build';
  const [file = ''] = plainWords(args, ['-r', '--require', '--import', '--loader', '-e', '-p']);
  if (args.includes('-e') || args.includes('-p')) return undefined;
  // The program of a package, called by its path.
  const tool = /node_modules\/(?:\.bin\/)?([\w-]+)/.exec(file)?.[1];
  if (tool !== undefined) return { program: tool, args: args.slice(args.indexOf(file) + 1) };
  return file.includes('node_modules/') ? undefined : kindByName(file.slice(file.lastIndexOf('/') + 1));
};

export const installed = ['node_modules', 'bower_components', '.yarn', '.pnpm-store'];

export const checks: Checks = {
  'jest mocha ava tape tap jasmine qunit uvu lab wtr web-test-runner bun-test': 'tests',
  vitest: ([first = '']) => (/^(?:watch|dev|bench|init|list)$/.test(first) ? undefined : 'tests'),
  cypress: { run: 'tests' },
  playwright: { test: 'tests' },
  karma: (args) => (args.includes('--single-run') ? 'tests' : undefined),
  ng: { test: 'tests', lint: 'lint', build: 'build', e2e: 'tests' },
  'node tsx ts-node': NODE,
  deno: (args) =>
    args[0] === 'fmt'
      ? only(args, 'format', '--check')
      : byVerb(args, { test: 'tests', lint: 'lint', check: 'types', task: 'all' }),
  'tsc vue-tsc tsgo svelte-check flow': 'types',
  astro: { check: 'types', build: 'build' },
  next: { build: 'build', lint: 'lint' },
  nuxt: { build: 'build', typecheck: 'types' },
  vite: { build: 'build' },
  'webpack rollup tsup esbuild parcel swc': (args) => (hasFlag(args, 'w') ? undefined : 'build'),
  'eslint oxlint stylelint xo standard tslint knip publint attw depcheck': 'lint',
  biome: { check: 'lint', lint: 'lint', ci: 'lint' },
  dprint: { check: 'format' },
  prettier: (args) =>
    args.includes('-c') ? 'format' : only(args, 'format', '--check', '-l', '--list-different'),
  'turbo lerna moon rush nx': (args) => byWords(args),
};

export const otherOptions: OtherOptions = {
  node: ['-e', '--test', '--run', '-r', '-m', '-t', '-f', '-o', '--name'],
  vitest: ['-o', '-m', '-e', '-f', '--run', '--name'],
  jest: ['-e', '-m', '-g', '-k', '--name'],
  mocha: ['-t', '-m', '-k', '-e', '-o', '-R'],
  turbo: ['-F', '--filter', '--only'],
  nx: ['-t'],
};
