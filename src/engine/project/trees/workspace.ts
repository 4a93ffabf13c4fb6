import { rmSync } from 'node:fs';
import { findFiles } from '../../core/text/globs.ts';
import { realPath } from '../../home/layout.ts';
import type { AddedLine, FileChange, Workspace } from '../../ports/ports.ts';
import { foreignFiles, readProjectFile } from '../files.ts';
import { gitOutput, runGit } from '../git.ts';
import { checkedDifference, checkObjects, type Difference, setAsideDamaged } from './check-objects.ts';
import { changesWithoutRenames, PatchReader, parseRawDiff } from './git-output.ts';
import { gitIn } from './project-git.ts';
import { openShadow, type Shadow, shadowCall } from './shadow-repository.ts';
import { writeTree } from './shadow-tree.ts';
import { findUserRepository } from './user-repository.ts';

export interface WorkspaceOptions {
  project: string;
  /** A folder in the untildone home for the shadow repository; made on first use. */
  shadowDir: string;
  /** The git index that makes the next tree quicker; safe to delete. */
  indexFile: string;
  /** The key of the home. It seals what is kept there, so that nobody else can change what a verdict rests on. */
  key?: string;
}

/** The most bytes that are read of one file. */
const MAX_CONTENT = 4 * 1024 * 1024;
const PATCH_LIMITS = { maxLineLength: 2_000, maxLines: 200_000 };
const RENAME_LIMIT = '-l2000';

export function openWorkspace({ project, shadowDir, indexFile, key = '' }: WorkspaceOptions): Workspace {
  const root = realPath(project);
  const contents = new Map<string, string>();
  const shadow = () => openShadow(shadowDir, root, findUserRepository(root), key);
  const write = async () => writeTree(await shadow(), findUserRepository(root), { indexFile, key });
  /** Does it once more when objects were damaged: those that are still in the project are written again. */
  const mending = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (setAsideDamaged(shadowDir) === 0) throw error;
      rmSync(indexFile, { force: true });
      await write();
      return work();
    }
  };
  const git = gitIn(root);
  return {
    root,
    git,
    tree: () => mending(write),
    changes: (from, to) => mending(async () => changesBetween(await shadow(), from, to, contents)),
    addedLines: (from, to) => mending(async () => addedBetween(await shadow(), from, to)),
    contentAt: async (tree, path) =>
      contents.get(nameIn(tree, path)) ?? mending(async () => contentOf(await shadow(), tree, path)),
    read: (path) => readProjectFile(root, path, MAX_CONTENT),
    find: async (glob) => findFiles(root, [glob], foreignFiles),
    async head() {
      const { exitCode, stdout } = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
      if (exitCode !== 0) return undefined;
      const branch = await git(['symbolic-ref', '--quiet', 'HEAD']);
      const name = branch.stdout.trim().replace(/^refs\/heads\//, '');
      return { commit: stdout.trim(), branch: branch.exitCode === 0 ? name : undefined };
    },
  };
}

/** Keeps the contents of small files that differ in `contents`: gates read them next. */
async function changesBetween(
  shadow: Shadow,
  from: string,
  to: string,
  contents: Map<string, string>,
): Promise<FileChange[]> {
  const difference = await checkedDifference(shadow, treeId(from), treeId(to));
  contents.clear();
  for (const [name, text] of textsOf(difference, from, to)) contents.set(name, text);
  const changes = changesWithoutRenames(difference.entries);
  if (changes) return changes;
  const args = ['diff-tree', '-r', '-z', '-M', RENAME_LIMIT, '--raw', '--no-ext-diff', '--no-textconv'];
  return parseRawDiff(await gitOutput(shadowCall(shadow, { args: [...args, treeId(from), treeId(to)] })));
}

function textsOf({ entries, contents }: Difference, from: string, to: string): [string, string][] {
  const textOf = (tree: string, path: string, id: string): [string, string][] => {
    const bytes = contents.get(id);
    return bytes ? [[nameIn(tree, path), bytes.toString('utf8')]] : [];
  };
  return entries.flatMap(({ path, before, after }) => [
    ...textOf(from, path, before.id),
    ...textOf(to, path, after.id),
  ]);
}

/** The name of a file in a tree, as git takes it. */
function nameIn(tree: string, path: string): string {
  return `${treeId(tree)}:${path}`;
}

async function addedBetween(shadow: Shadow, from: string, to: string): Promise<AddedLine[]> {
  await checkedDifference(shadow, treeId(from), treeId(to));
  const reader = new PatchReader(PATCH_LIMITS);
  const args = [
    'diff-tree',
    '-r',
    '-p',
    '-U0',
    '-M',
    RENAME_LIMIT,
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
  ];
  await gitOutput(
    shadowCall(shadow, {
      args: [...args, '--diff-filter=d', treeId(from), treeId(to)],
      onOutput: (chunk) => reader.push(chunk),
    }),
  );
  return reader.end();
}

/** Refuses what is not the name of a tree, so that git cannot take it for an option. */
function treeId(tree: string): string {
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(tree))
    throw new Error(`${JSON.stringify(tree)} does not name a tree`);
  return tree;
}

async function contentOf(shadow: Shadow, tree: string, path: string): Promise<string | undefined> {
  const name = nameIn(tree, path);
  // The batch takes one name a line, so a name with a line break goes as an argument, which has to be UTF-8.
  if (path.includes('\n')) return contentByArgument(shadow, name);
  const names = [...foldersOf(path).map((folder) => `${tree}:${folder}`), tree, name];
  const { last } = await checkObjects(shadow, names, (type) => (type === 'blob' ? MAX_CONTENT : undefined));
  return last ? last.toString('utf8') : absentOrLost(shadow, tree, name);
}

/** The folders that a path leads through. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

async function contentByArgument(shadow: Shadow, name: string): Promise<string | undefined> {
  const args = ['cat-file', 'blob', name];
  const { exitCode, stdout } = await runGit(shadowCall(shadow, { args, maxBytes: MAX_CONTENT }));
  if (exitCode !== 0) return absentOrLost(shadow, name.slice(0, name.indexOf(':')), name);
  return stdout.toString('utf8', 0, Math.min(stdout.length, MAX_CONTENT));
}

/** Undefined for a file that is not in the tree. Throws for one whose bytes are gone, from which nothing follows. */
async function absentOrLost(shadow: Shadow, tree: string, name: string): Promise<undefined> {
  const known = await runGit(shadowCall(shadow, { args: ['rev-parse', '--quiet', '--verify', name] }));
  const isTree =
    known.exitCode === 0 && (await typeOf(shadow, known.stdout.toString('latin1').trim())) === 'tree';
  if (isTree) return undefined;
  if (known.exitCode === 0)
    throw new Error(`the content of ${name.slice(tree.length + 1)} in the tree ${tree} is lost`);
  if ((await typeOf(shadow, tree)) !== 'tree') throw new Error(`the tree ${tree} is lost`);
  return undefined;
}

async function typeOf(shadow: Shadow, object: string): Promise<string> {
  const { stdout } = await runGit(shadowCall(shadow, { args: ['cat-file', '-t', object] }));
  return stdout.toString('latin1').trim();
}
