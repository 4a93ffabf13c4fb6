#!/usr/bin/env node
// Runs one TypeScript file: Node 20 cannot by itself.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { requireInEsm } from './esm-require.mjs';

const [file, ...args] = process.argv.slice(2);
mkdirSync('dist', { recursive: true });
const folder = mkdtempSync(join('dist', 'run-'));
try {
  const outfile = join(folder, 'main.mjs');
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: requireInEsm(),
    target: 'node20',
    packages: 'external',
    // Bundles that commands load when they need them: a script never does.
    external: ['./*.cjs'],
    logLevel: 'warning',
  });
  process.exitCode = spawnSync(process.execPath, [outfile, ...args], { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
