/** Scripts of the shell. */
import type { Checks, Mute } from './chain.ts';

export const sources = /^(?:sh|bash)$/;

export const tests = [/\.(?:bats|hurl)$/];

export const mutes: readonly Mute[] = [
  {
    name: 'shellcheck-disable',
    group: 'lint',
    expression: /#\s{0,20}shellcheck\s{1,5}disable=/,
    languages: ['shell'],
  },
];

export const checks: Checks = { 'bats shellspec': 'tests', shellcheck: 'lint' };
