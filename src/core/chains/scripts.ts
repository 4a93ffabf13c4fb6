/** Languages of scripts and numbers: Lua, Perl, R, Julia. */

export const sources = /^(?:lua|pl|[rR]|jl)$/;

export const tests = [/(?:^|\/)t\/[^/]+\.t$/];
