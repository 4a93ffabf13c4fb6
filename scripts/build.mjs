#!/usr/bin/env node
// Bundles for Node 20: untildone (the program; chooses), hook (every event), judge (gates that measure, formats of other systems, models), dev (for authors of hooks), cli (everything else), and the library, an ES module with its types.
import { chmodSync, cpSync, readFileSync, rmSync } from 'node:fs';
import { build } from 'esbuild';
import { writeDeclarations } from './declarations.mjs';

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
  external: ['@anthropic-ai/*', './untildone.cjs', './hook.cjs', './cli.cjs', './judge.cjs', './dev.cjs'],
};

await Promise.all([
  build({ ...common, entryPoints: ['src/main/hook.ts'], outfile: 'dist/hook.cjs', minify: true }),
  build({ ...common, entryPoints: ['src/main/judge.ts'], outfile: 'dist/judge.cjs', minify: true }),
  build({ ...common, entryPoints: ['src/main/cli.ts'], outfile: 'dist/cli.cjs' }),
  build({ ...common, entryPoints: ['src/main/dev.ts'], outfile: 'dist/dev.cjs' }),
  build({
    ...common,
    entryPoints: ['src/main/untildone.ts'],
    outfile: 'dist/untildone.cjs',
    banner: { js: '#!/usr/bin/env node' },
  }),
  build({
    ...common,
    format: 'esm',
    entryPoints: { index: 'src/library/index.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    // What drives a run is loaded when one is started: gates import this module, too.
    splitting: true,
    chunkNames: 'library-[hash]',
    // The other bundles are CommonJS, and an ES module has no `require` of its own.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
    },
  }),
]);
writeDeclarations('src/library/index.ts', { root: 'src', folder: 'dist/types' });
chmodSync('dist/untildone.cjs', 0o755);
// `untildone conformance` replays these.
cpSync('test/scenarios/bugs', 'dist/scenarios', { recursive: true });
// `untildone demo` plays these.
for (const name of ['one-session', 'many-sessions', 'four-chunks']) {
  cpSync(`examples/${name}`, `dist/examples/${name}`, { recursive: true });
}
