// The page of the dashboard: one script, one style sheet and what leads to them. No names with digests: the server tells
// a browser by ETag whether it has the newest.
import { cpSync } from 'node:fs';
import { build } from 'esbuild';

const SOURCE = 'src/read/dashboard/page';

export async function buildPage(outdir = 'dist/dashboard') {
  const built = await build({
    entryPoints: [
      { in: `${SOURCE}/main.tsx`, out: 'app' },
      { in: `${SOURCE}/style/app.css`, out: 'app' },
    ],
    outdir,
    bundle: true,
    metafile: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: `${SOURCE}/tsconfig.json`,
    legalComments: 'none',
    logLevel: 'warning',
  });
  for (const file of ['index.html', 'icon.svg']) cpSync(`${SOURCE}/${file}`, `${outdir}/${file}`);
  return built;
}
