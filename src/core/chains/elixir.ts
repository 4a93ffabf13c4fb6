/** Elixir and Erlang. */
import type { Mute } from './chain.ts';

export const sources = /^(?:exs?|erl)$/;

export const dependencyFiles = [/(?:^|\/)mix\.(?:exs|lock)$/];

export const mutes: readonly Mute[] = [
  { name: 'credo-disable', group: 'lint', expression: /#\s{0,20}credo:disable/, languages: ['elixir'] },
];
