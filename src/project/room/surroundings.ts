/**
 * Settings that tools find in the folders above a room. Rooms lie in the untildone home, so that what somebody puts into
 * your own home would be found by every tool that looks upwards.
 */
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hmacSha256 } from '../../files/digest.ts';
import { namesIn, readSmall } from '../../files/whole-file.ts';

/** By path: a keyed digest of a file, because it may hold secrets, or the names in a folder. */
export type Surroundings = Record<string, string>;

const NAMES = [
  // JavaScript
  ...['node_modules', 'package.json', 'tsconfig.json', 'jsconfig.json', '.yarnrc', '.yarnrc.yml'],
  ...['.pnp.cjs', '.pnp.loader.mjs', 'pnpm-workspace.yaml', 'bunfig.toml', '.babelrc', 'babel.config.js'],
  ...['.mocharc.json', '.mocharc.js', '.mocharc.cjs', '.mocharc.yml', '.swcrc', '.browserslistrc', '.env'],
  ...['.eslintrc', '.eslintrc.json', '.eslintrc.js', '.eslintrc.cjs', '.eslintrc.yml', '.eslintrc.yaml'],
  ...[
    'eslint.config.js',
    'eslint.config.mjs',
    'eslint.config.cjs',
    'eslint.config.ts',
    'biome.json',
    'biome.jsonc',
  ],
  ...['.prettierrc', '.prettierrc.json', '.stylelintrc', '.stylelintrc.json', '.editorconfig'],
  // Python
  ...[
    'pytest.ini',
    '.pytest.ini',
    'pyproject.toml',
    'tox.ini',
    'setup.cfg',
    'conftest.py',
    'ruff.toml',
    '.ruff.toml',
  ],
  ...['.flake8', 'mypy.ini', '.pylintrc', 'pylintrc', '.coveragerc', '.python-version', 'uv.toml'],
  // Rust, Go, JVM, Ruby, C
  ...[
    '.cargo/config',
    '.cargo/config.toml',
    'Cargo.toml',
    'rust-toolchain',
    'rust-toolchain.toml',
    'clippy.toml',
  ],
  ...[
    'rustfmt.toml',
    '.rustfmt.toml',
    'go.work',
    'go.mod',
    '.golangci.yml',
    '.golangci.yaml',
    '.golangci.toml',
  ],
  ...[
    'settings.gradle',
    'settings.gradle.kts',
    'build.gradle',
    'pom.xml',
    '.mvn',
    'Gemfile',
    '.rspec',
    '.rubocop.yml',
  ],
  ...['.ruby-version', '.tool-versions', 'mise.toml', '.clang-tidy', '.clang-format'],
];
const LARGEST = 1024 * 1024;

/** What lies above a folder. */
export function surroundingsOf(folder: string, key: string): Surroundings {
  const found: Surroundings = {};
  for (let above = dirname(folder); ; above = dirname(above)) {
    for (const name of NAMES) {
      const path = join(above, name);
      const digest = digestOf(path, key);
      if (digest !== undefined) found[path] = digest;
    }
    if (above === dirname(above)) return found;
  }
}

function digestOf(path: string, key: string): string | undefined {
  try {
    const stat = lstatSync(path);
    if (stat.isDirectory()) return hmacSha256(key, `folder\n${namesIn(path).sort().join('\n')}`);
    if (stat.size > LARGEST) return `${stat.size} ${stat.ctimeMs}`;
    return hmacSha256(key, `file\n${readSmall(path, LARGEST) ?? ''}`);
  } catch {
    return undefined;
  }
}

/** The paths that are new, gone or different. */
export function changedSurroundings(start: Surroundings, now: Surroundings): string[] {
  const paths = new Set([...Object.keys(start), ...Object.keys(now)]);
  return [...paths].filter((path) => start[path] !== now[path]);
}
