import { accessSync, constants, lstatSync, readlinkSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { quoteForShell } from '../core/shell/words.ts';
import { slashed } from '../files/platform.ts';
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
  const bundle = process.argv[1] ? stablePath(process.argv[1]) : '';
  return { version: VERSION, hookEntry: join(dirname(bundle), 'untildone.cjs'), nodePath: process.execPath };
}

const INSTALLED = /^(.*[\\/]node_modules)([\\/]untildone[\\/]dist[\\/][^\\/]+)$/;

/**
 * The path that an upgrade leaves as it is. Behind the link of a package manager it is that of the package in its
 * `node_modules`: this may be a link, too, to a folder that every version has of its own (pnpm) or to a checkout (`npm link`).
 */
function stablePath(invoked: string): string {
  let path = resolve(invoked);
  for (let hops = 0; hops < 10; hops++) {
    const [, modules, rest] = INSTALLED.exec(path) ?? [];
    if (modules !== undefined && rest !== undefined && !modules.includes('.pnpm'))
      return realPath(modules) + slashed(rest);
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) break;
    path = resolve(realPath(dirname(path)), readlinkSync(path));
  }
  return realPath(invoked);
}

/** What a person types, in a terminal, so that the hooks run this program. */
export function installLine(
  { hookEntry }: Program,
  { PATH = '', UNTILDONE_HOME }: NodeJS.ProcessEnv,
): string {
  const home = UNTILDONE_HOME ? `UNTILDONE_HOME=${quoteForShell(UNTILDONE_HOME)} ` : '';
  const onPath = PATH.split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'untildone'))
    .find(isProgram);
  const isIt = onPath !== undefined && realPath(onPath) === realPath(hookEntry);
  return `${home}${isIt ? 'untildone' : `node ${quoteForShell(hookEntry)}`} install`;
}

/** Whether there is a file with content. */
export function isFilled(path: string | undefined): boolean {
  const stat = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size > 0;
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
