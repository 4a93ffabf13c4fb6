/** Elixir and Erlang. */

export const sources = /^(?:exs?|erl)$/;

export const dependencyFiles = [/(?:^|\/)mix\.(?:exs|lock)$/];
