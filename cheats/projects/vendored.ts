import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeFiles } from '../stage/place.ts';

/**
 * Packages of this repository for a project that is installed without a network: archives in the project's `vendor/`, and a
 * lock file that names them. Large packages are two lines that load the package from here.
 */
const INSTALLED = resolve('node_modules');

interface Vendored {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  bin?: Record<string, string>;
  /** The files of the package; those of the installed one where this is absent. */
  files?: Record<string, string>;
}

function manifestOf(name: string): { version: string; dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(INSTALLED, name, 'package.json'), 'utf8'));
}

function urlOf(path: string): string {
  return pathToFileURL(join(INSTALLED, path)).href;
}

function asItIs(name: string): Vendored {
  const { version, dependencies } = manifestOf(name);
  return { name, version, dependencies };
}

/** A package whose programs run those of this repository. */
function programs(
  name: string,
  bins: Record<string, string>,
  files: Record<string, string> = {},
  extra = {},
): Vendored {
  const { version } = manifestOf(name);
  const bin = Object.fromEntries(Object.keys(bins).map((command) => [command, `bin-${command}.mjs`]));
  const lines = Object.entries(bins).map(([command, path]) => [
    `bin-${command}.mjs`,
    `#!/usr/bin/env node\nimport ${JSON.stringify(urlOf(path))};\n`,
  ]);
  const manifest = { name, version, type: 'module', bin, ...extra };
  const own = {
    ...Object.fromEntries(lines),
    ...files,
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
  };
  return { name, version, bin, files: own };
}

export const VENDORED: Record<
  'vitest' | 'typescript' | 'biome' | 'nodeTypes' | 'undiciTypes',
  () => Vendored
> = {
  vitest: () =>
    programs(
      'vitest',
      { vitest: 'vitest/vitest.mjs' },
      {
        'index.js': `export * from ${JSON.stringify(urlOf('vitest/dist/index.js'))};\n`,
        'config.js': `export * from ${JSON.stringify(urlOf('vitest/dist/config.js'))};\n`,
      },
      { exports: { '.': './index.js', './config': './config.js', './package.json': './package.json' } },
    ),
  typescript: () => programs('typescript', { tsc: 'typescript/bin/tsc' }),
  biome: () => programs('@biomejs/biome', { biome: '@biomejs/biome/bin/biome' }),
  nodeTypes: () => asItIs('@types/node'),
  undiciTypes: () => asItIs('undici-types'),
};

/** Writes `vendor/` and the lock file of a project whose package.json names these as `file:vendor/NAME.tgz`. */
export function vendor(folder: string, packages: readonly Vendored[]): void {
  const own = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  const locked = packages.map((each) => {
    const file = `vendor/${fileName(each.name)}`;
    const integrity = pack(each, join(folder, file));
    const entry = { version: each.version, resolved: `file:${file}`, integrity, dev: true, license: 'MIT' };
    const { dependencies, bin } = each;
    return [
      `node_modules/${each.name}`,
      { ...entry, ...(dependencies ? { dependencies } : {}), ...(bin ? { bin } : {}) },
    ];
  });
  const { name, version, devDependencies } = own;
  const root = { name, version, devDependencies };
  const lock = {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, ...Object.fromEntries(locked) },
  };
  writeFileSync(join(folder, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
  install(folder);
}

/** Installs what the lock file names, as you have done before the work begins. */
export function install(folder: string): void {
  run('npm', ['ci', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
}

export function fileName(name: string): string {
  return `${name.replace('@', '').replace('/', '-')}.tgz`;
}

function pack(each: Vendored, archive: string): string {
  mkdirSync(join(archive, '..'), { recursive: true });
  const made = mkdtempSync(join(tmpdir(), 'untildone-vendor-'));
  try {
    if (each.files) writeFiles(join(made, 'package'), each.files);
    else run('cp', ['-a', join(INSTALLED, each.name), join(made, 'package')], made);
    run('chmod', ['-R', 'a+rX', '.'], made);
    run('tar', ['-czf', archive, 'package'], made);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr || stdout}`);
}
