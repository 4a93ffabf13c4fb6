/** C, C++, and other languages that compile to machine code. */
import { byVerb, only } from '../commands/by-words.ts';
import type { Checks, Mute, OtherOptions, WeakCalls } from './chain.ts';

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

export const checks: Checks = {
  ctest: 'tests',
  cmake: (args) => only(args, 'build', '--build'),
  meson: { test: 'tests', compile: 'build' },
  'bazel bazelisk buck2': { test: 'tests', build: 'build' },
  zig: (args) =>
    args[0] === 'build' ? (args.includes('test') ? 'tests' : 'build') : byVerb(args, { test: 'tests' }),
  'gcc g++ clang clang++ cc c++': 'build',
  'stack cabal crystal': { test: 'tests', spec: 'tests', build: 'build', check: 'types' },
};

export const otherOptions: OtherOptions = { ctest: ['-e', '-m', '-t', '-f', '-o'] };

export const weakCalls: WeakCalls = { ctest: { dry_run: /^-N$/ } };
