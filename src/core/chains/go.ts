/** Go. */
import type { Mute } from './chain.ts';

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
