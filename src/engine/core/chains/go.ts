/** Go. */
import type { Checks, Mute, Narrows, OtherOptions } from './chain.ts';

export const sources = /^go$/;

export const tests = [/(?:^|\/)testdata\//i];

export const dependencyFiles = [/(?:^|\/)go\.(?:mod|sum|work)$/];

export const inputs = ['go.mod', 'go.sum', 'go.work', 'go.work.sum'];

export const mutes: readonly Mute[] = [
  { name: 'nolint', group: 'lint', expression: /\/\/\s{0,5}nolint\b/, languages: ['go'], narrow: /nolint/ },
  {
    name: 'lint-ignore',
    group: 'lint',
    expression: /\/\/\s{0,5}lint:(?:file-)?ignore\b/,
    languages: ['go'],
    narrow: /lint:ignore/,
  },
];

export const settings = ['go.work', 'go.mod', '.golangci.yml', '.golangci.yaml', '.golangci.toml'];

export const homeSettings = ['.config/go/env'];

export const warmUps = { 'go.mod': 'go build std' };

export const checks: Checks = {
  go: { test: 'tests', vet: 'lint', build: 'build' },
  gotestsum: 'tests',
  'golangci-lint staticcheck revive': 'lint',
};

export const otherOptions: OtherOptions = { go: ['-o', '-e', '-m', '-t', '-f'] };

export const narrows: Narrows = {
  // It tests the package of the folder, unless told `./...`.
  go: (args) => {
    const packages = args.slice(1).filter((word) => !word.startsWith('-'));
    return packages.length > 0 && !packages.some((word) => word.includes('...'));
  },
};
