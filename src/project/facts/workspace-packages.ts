import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { globMatches } from '../../core/text/globs.ts';
import { readSmall } from '../../files/whole-file.ts';

const MOST_PACKAGES = 1_000;

/** The folders of the packages that a name, a folder or `*` stands for, seen from the project. */
export function packageFolders(project: string, folder: string, which: string): string[] {
  const root = join(project, folder);
  const folders = globsOf(root).flatMap((glob) => foldersFor(root, glob.replace(/^\.\//, '').split('/')));
  return [...new Set(folders)]
    .slice(0, MOST_PACKAGES)
    .filter((at) => {
      const name = manifest(join(root, at))?.name;
      return name !== undefined && [at, name].some((one) => globMatches(which, one));
    })
    .map((at) => join(folder, at));
}

function globsOf(root: string): string[] {
  const { workspaces } = manifest(root) ?? {};
  const named = Array.isArray(workspaces) ? workspaces : (workspaces as { packages?: unknown })?.packages;
  const listed = text(join(root, 'pnpm-workspace.yaml')).match(/^[ \t]*-[ \t]+.+$/gm) ?? [];
  return [
    ...(Array.isArray(named) ? named : []),
    ...listed.map((line) => line.replace(/^[ \t]*-[ \t]+/, '').replace(/["']|\s*#.*$/g, '')),
  ].filter((glob): glob is string => typeof glob === 'string' && !glob.startsWith('!'));
}

/** `packages/*`; of `packages/**`, the packages right in there. */
function foldersFor(root: string, [part, ...rest]: readonly string[], at = ''): string[] {
  if (part === undefined || part === '') return at === '' ? [] : [at];
  if (!part.includes('*')) return foldersFor(root, rest, join(at, part));
  return subfolders(join(root, at))
    .filter((name) => globMatches(part.replace('**', '*'), name))
    .slice(0, MOST_PACKAGES)
    .flatMap((name) => foldersFor(root, rest, join(at, name)));
}

function subfolders(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((e) => e.isDirectory() && e.name !== 'node_modules').map((e) => e.name);
  } catch {
    return [];
  }
}

function manifest(folder: string): { name: string; workspaces?: unknown } | undefined {
  try {
    const { name, workspaces } = JSON.parse(text(join(folder, 'package.json'))) as Record<string, unknown>;
    return { name: typeof name === 'string' ? name : '', workspaces };
  } catch {
    return undefined;
  }
}

function text(path: string): string {
  try {
    return readSmall(path) ?? '';
  } catch {
    return '';
  }
}
