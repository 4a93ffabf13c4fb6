/** Rust: cargo and nextest. */
import type { Mute } from './chain.ts';

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
