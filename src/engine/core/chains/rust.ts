/** Rust: cargo and nextest. */
import { byVerb, only, type Verbs } from '../commands/by-words.ts';
import { hasOption, plainWords } from '../shell/options.ts';
import type { Checks, Mute, Narrows } from './chain.ts';

export const sources = /^rs$/;

export const runnerSettings = [/(?:^|\/)\.cargo\/|(?:^|\/)(?:\.config\/)?nextest\.toml$/];

export const dependencyFiles = [/(?:^|\/)Cargo\.(?:toml|lock)$/];

export const inputs = [
  'Cargo.toml',
  'Cargo.lock',
  'rust-toolchain',
  'rust-toolchain.toml',
  '.cargo/config.toml',
];

export const mutes: readonly Mute[] = [
  {
    name: 'allow-lint',
    group: 'lint',
    view: 'code',
    expression: /#!?\[\s{0,5}(?:cfg_attr\([^\n]{0,200},\s{0,5})?(?:allow|expect)\s{0,5}\(/,
    languages: ['rust'],
  },
  {
    name: 'coverage-off',
    group: 'coverage',
    view: 'code',
    expression: /#\[\s{0,5}(?:cfg_attr\([^\n]{0,200},\s{0,5})?coverage\s{0,5}\(\s{0,5}off/,
    languages: ['rust'],
  },
  {
    name: 'coverage-off',
    group: 'coverage',
    view: 'code',
    expression: /cfg\s{0,5}\(\s{0,5}not\s{0,5}\(\s{0,5}(?:tarpaulin|coverage)/,
    languages: ['rust'],
  },
];

export const settings = [
  '.cargo/config',
  '.cargo/config.toml',
  'Cargo.toml',
  'rust-toolchain',
  'rust-toolchain.toml',
  'clippy.toml',
  'rustfmt.toml',
  '.rustfmt.toml',
];

export const homeSettings = ['.cargo/config.toml', '.cargo/config', '.cargo/credentials.toml'];

export const leaves = ['target/'];

export const checks: Checks = {
  cargo: (args) => {
    const verbs = plainWords(args).filter((word) => !word.startsWith('+'));
    return verbs[0] === 'fmt' ? only(args, 'format', '--check') : byVerb(verbs, CARGO);
  },
  rustc: 'build',
};

const CARGO: Verbs = {
  test: 'tests',
  t: 'tests',
  nextest: 'tests',
  clippy: 'lint',
  check: 'types',
  c: 'types',
  build: 'build',
  b: 'build',
};

export const narrows: Narrows = {
  // A word behind `cargo test` chooses tests by name, `-p` a package.
  cargo: (args) => {
    const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
    if (hasOption(own, '-p', '--package', '--lib', '--bin', '--test', '--doc')) return true;
    const words = own.filter(
      (word, i) =>
        !/^[-+]/.test(word) &&
        !/^(?:-F|--features|--target|--profile|-j|--manifest-path)$/.test(own[i - 1] ?? ''),
    );
    return words.slice(1).some((word) => word !== 'run');
  },
};
