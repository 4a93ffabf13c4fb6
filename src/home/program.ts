import { dirname, join } from 'node:path';
import type { HookScript } from './hook-line.ts';
import { realPath } from './layout.ts';

/** Set from package.json when the bundles are built. */
declare const UNTILDONE_VERSION: string | undefined;

export const VERSION: string = typeof UNTILDONE_VERSION === 'string' ? UNTILDONE_VERSION : '0.0.0-source';

/** A program that hooks can start, and its version. */
export interface Program extends HookScript {
  readonly version: string;
}

/** The Node and the program that run now: `hook.sh` starts the same. */
export function thisProgram(): Program {
  const bin = process.argv[1] ? realPath(process.argv[1]) : '';
  return { version: VERSION, hookEntry: join(dirname(bin), 'untildone.cjs'), nodePath: process.execPath };
}
