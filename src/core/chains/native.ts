/** C, C++, and other languages that compile to machine code. */
import type { Mute } from './chain.ts';

export const sources = /^(?:c|cc|cpp|cxx|d|hs|mli?|nim|zig)$/;

export const mutes: readonly Mute[] = [
  {
    name: 'clang-tidy-nolint',
    group: 'lint',
    expression: /\/[/*]\s{0,20}NOLINT/,
    languages: ['c'],
    narrow: /NOLINT/,
  },
  {
    name: 'diagnostic-ignored',
    group: 'lint',
    view: 'code',
    expression: /#\s{0,5}pragma\s{1,5}(?:GCC|clang)\s{1,5}diagnostic\s{1,5}ignored/,
    languages: ['c'],
  },
];

export const settings = ['.clang-tidy', '.clang-format'];
