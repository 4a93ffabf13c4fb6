/** Languages of scripts and numbers: Lua, Perl, R, Julia. */
import type { Checks, Mute } from './chain.ts';

export const sources = /^(?:lua|pl|[rR]|jl)$/;

export const tests = [/(?:^|\/)t\/[^/]+\.t$/];

export const mutes: readonly Mute[] = [
  {
    name: 'luacheck-ignore',
    group: 'lint',
    expression: /--\s{0,20}luacheck:\s{0,5}(?:ignore|no)/,
    languages: ['lua'],
  },
];

export const checks: Checks = { 'prove busted': 'tests' };
