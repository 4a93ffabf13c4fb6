/** Copies of a tree in temporary folders, made from the shadow repository. */
import { lstatSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { livenessOf, parseProcessId, renderProcessId, thisProcess } from '../../files/process-id.ts';
import { readSmall } from '../../files/whole-file.ts';
import type { Scratch, ScratchFolder } from '../../ports/ports.ts';
import { gitOutput } from '../git.ts';

const PREFIX = 'untildone-scratch-';
/** A file beside the copy that names the process which made it. */
const OWNER = 'owner';
const COPY = 'project';

/** Git writes the bytes of the tree unchanged, whatever attributes the project has. */
const ATTRIBUTES = '* -text !eol -ident -filter !working-tree-encoding\n';

/** Names that are reserved on other systems are allowed. */
const CONFIG = ['core.protectNTFS=false', 'core.protectHFS=false', 'core.symlinks=true'];

const NOBODY = {
  GIT_AUTHOR_NAME: 'untildone',
  GIT_AUTHOR_EMAIL: 'untildone@localhost',
  GIT_COMMITTER_NAME: 'untildone',
  GIT_COMMITTER_EMAIL: 'untildone@localhost',
};

export interface ScratchOptions {
  /** The repository in the untildone home that holds the project's trees; see openWorkspace. */
  shadowDir: string;
  /** The system's folder for temporary files when absent. */
  folder?: string;
}

export function scratchAt({ shadowDir, folder = tmpdir() }: ScratchOptions): Scratch {
  return {
    async checkout(tree, { base, signal } = {}) {
      await removeAbandoned(folder);
      const root = await realpath(await mkdtemp(join(folder, PREFIX)));
      const dir = join(root, COPY);
      const copy: ScratchFolder = { dir, dispose: () => removeWhole(root) };
      try {
        await writeFile(join(root, OWNER), renderProcessId(thisProcess()));
        await mkdir(dir);
        await fill(dir, shadowDir, { tree: treeId(tree), base: treeId(base ?? tree), signal });
        return copy;
      } catch (error) {
        await copy.dispose();
        throw error;
      }
    },
  };
}

export interface Filling {
  tree: string;
  /** The tree of the last commit. */
  base: string;
  signal?: AbortSignal;
  /** The folder has files of other trees, and none that this one lacks. Those with the same content and mode stay. */
  hasFiles?: boolean;
}

/** Writes a tree into a folder, which is empty as a rule, and makes it a repository. */
export async function fill(
  dir: string,
  shadowDir: string,
  { tree, base, signal, hasFiles = false }: Filling,
): Promise<void> {
  const git = (...args: string[]) =>
    gitOutput({
      args: [...CONFIG.flatMap((setting) => ['-c', setting]), ...args],
      cwd: dir,
      env: {
        ...NOBODY,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: devNull,
        GIT_CEILING_DIRECTORIES: dirname(dir),
      },
      signal,
    });
  const format = tree.length === 64 ? ['--object-format=sha256'] : [];
  await git('init', '--quiet', '--template=', '--initial-branch=start', ...format);
  const info = join(dir, '.git', 'info');
  await mkdir(info, { recursive: true });
  await writeFile(join(info, 'attributes'), ATTRIBUTES);
  await writeFile(join(dir, '.git', 'objects', 'info', 'alternates'), `${join(shadowDir, 'objects')}\n`);
  const write = async () => {
    await git('read-tree', tree);
    // Compares every byte with the tree, and notes which files are the same: those are not written.
    if (hasFiles) await git('update-index', '-q', '--refresh');
    await git('checkout-index', '--all', '--force', '--quiet', '--index');
  };
  const commit = async () => {
    const id = await git('commit-tree', '-m', 'the start of the work', base);
    await git('update-ref', 'HEAD', id.toString('latin1').trim());
  };
  await bothEnded(write(), commit());
}

/** Rejects only when none of both works in the folder any more. */
async function bothEnded(one: Promise<void>, other: Promise<void>): Promise<void> {
  await Promise.allSettled([one, other]);
  await Promise.all([one, other]);
}

/** Refuses what is not the name of a tree, so that git cannot take it for an option. */
export function treeId(tree: string): string {
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(tree))
    throw new Error(`${JSON.stringify(tree)} does not name a tree`);
  return tree;
}

/** Removes the folders of processes that were killed before they could clean up. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const abandoned = names.filter((name) => name.startsWith(PREFIX) && isAbandoned(join(folder, name)));
  await Promise.all(abandoned.map((name) => removeWhole(join(folder, name))));
}

/** Only a folder of ours whose process is dead: other users, too, may put folders among temporary files. */
function isAbandoned(root: string): boolean {
  try {
    const stat = lstatSync(root);
    if (!stat.isDirectory() || stat.uid !== process.getuid?.()) return false;
    const owner = parseProcessId(readSmall(join(root, OWNER)) ?? '');
    return owner !== undefined && livenessOf(owner) === 'dead';
  } catch {
    return false;
  }
}

export async function removeWhole(root: string): Promise<void> {
  const remove = () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  try {
    await remove();
  } catch {
    // Package managers leave write-protected folders.
    await makeWritable(root);
    await remove().catch(() => {});
  }
}

async function makeWritable(folder: string): Promise<void> {
  try {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
    }
  } catch {
    // A folder that cannot be opened cannot be removed either.
  }
}
