import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { compileCache, homeRoot } from '../home/layout.ts';

/** Chooses the bundle by the first argument: the hook and the status line do not load the rest of the program. */
const small = process.argv.length === 3 ? process.argv[2] : undefined;
if (small === 'hook' || small === 'statusline') {
  cacheCompiledCode();
  if (small === 'hook') require('./hook.cjs');
  else require('./statusline.cjs');
} else require('./cli.cjs');

/**
 * Lets Node keep its compiled code in the home, which only its user can write to (ADR 11). Node before 22.8 cannot. Node
 * checks every entry, also against the bundle, and compiles again what does not fit.
 */
function cacheCompiledCode(): void {
  try {
    const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
    const home = homeRoot(process.env);
    // Makes no home: without one untildone is not set up here.
    if (existsSync(home)) enableCompileCache?.(compileCache(home));
  } catch {
    // The hook works without the cache.
  }
}
