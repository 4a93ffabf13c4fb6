/** Elixir and Erlang. */
import { byVerb, only } from '../commands/by-words.ts';
import type { Checks, Mute } from './chain.ts';

export const sources = /^(?:exs?|erl)$/;

export const dependencyFiles = [/(?:^|\/)mix\.(?:exs|lock)$/];

export const mutes: readonly Mute[] = [
  { name: 'credo-disable', group: 'lint', expression: /#\s{0,20}credo:disable/, languages: ['elixir'] },
];

export const installed = ['deps'];

export const checks: Checks = {
  mix: (args) =>
    args[0] === 'format'
      ? only(args, 'format', '--check-formatted')
      : byVerb(args, { test: 'tests', credo: 'lint', dialyzer: 'types', compile: 'build' }),
  gleam: { test: 'tests', spec: 'tests', build: 'build', check: 'types' },
};
