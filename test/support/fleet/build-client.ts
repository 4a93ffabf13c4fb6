import { chmodSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';

/** Makes a folder for PATH in which `claude` is the played one. */
export function buildPlayedClient(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, 'claude');
  buildSync({
    entryPoints: [resolve('test/support/fleet/played-client.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    banner: { js: `#!${process.execPath}` },
  });
  chmodSync(outfile, 0o755);
}
