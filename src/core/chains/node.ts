/** JavaScript and TypeScript: npm, pnpm, yarn, bun, deno, and the runners that they start. */

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
