/** Rust: cargo and nextest. */

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
