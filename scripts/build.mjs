#!/usr/bin/env node
// Bundles for Node 20: bin (chooses), hook (small: a new process on every event), judge (the gates that measure), dialects (foreign state), agent (asking a model) and cli (everything else).
import { chmodSync, cpSync, readFileSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
rmSync('dist', { recursive: true, force: true });

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  legalComments: 'none',
  logLevel: 'warning',
  // Some packages ship a UMD main that cannot be bundled; their ES modules can.
  mainFields: ['module', 'main'],
  logOverride: { 'empty-import-meta': 'silent' },
  define: { UNTILDONE_VERSION: JSON.stringify(version) },
  external: [
    '@anthropic-ai/*',
    './untildone.cjs',
    './hook.cjs',
    './cli.cjs',
    './judge.cjs',
    './dialects.cjs',
    './agent.cjs',
  ],
};

await Promise.all([
  build({ ...common, entryPoints: ['src/hook-entry.ts'], outfile: 'dist/hook.cjs', minify: true }),
  build({ ...common, entryPoints: ['src/judge-entry.ts'], outfile: 'dist/judge.cjs', minify: true }),
  build({ ...common, entryPoints: ['src/dialects-entry.ts'], outfile: 'dist/dialects.cjs', minify: true }),
  build({ ...common, entryPoints: ['src/agent-entry.ts'], outfile: 'dist/agent.cjs', minify: true }),
  build({ ...common, entryPoints: ['src/cli-entry.ts'], outfile: 'dist/cli.cjs' }),
  build({
    ...common,
    entryPoints: ['src/bin.ts'],
    outfile: 'dist/untildone.cjs',
    banner: { js: '#!/usr/bin/env node' },
  }),
]);
chmodSync('dist/untildone.cjs', 0o755);
// `untildone conformance` replays these.
cpSync('test/scenarios/bugs', 'dist/scenarios', { recursive: true });
