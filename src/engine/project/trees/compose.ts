/** Trees that no folder ever held: the code of one tree with the tests of another. */
import { mkdtempSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Composition, TreeFile } from '../../ports/rooms.ts';
import { gitOutput } from '../git.ts';
import { treeId } from './scratch.ts';

const QUIET = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull };

function git(
  shadowDir: string,
  args: string[],
  signal?: AbortSignal,
  input?: string,
  index?: string,
): Promise<Buffer> {
  return gitOutput({
    args: [`--git-dir=${shadowDir}`, ...args],
    cwd: dirname(shadowDir),
    env: { ...QUIET, ...(index === undefined ? {} : { GIT_INDEX_FILE: index }) },
    input,
    signal,
  });
}

/** The files of a tree, without submodules. */
export async function filesOf(tree: string, shadowDir: string, signal?: AbortSignal): Promise<TreeFile[]> {
  const output = await git(shadowDir, ['ls-tree', '-r', '-z', '--full-tree', treeId(tree)], signal);
  return output
    .toString('utf8')
    .split('\0')
    .flatMap((line) => {
      const match = /^(\d+) blob ([0-9a-f]+)\t(.*)$/s.exec(line);
      return match ? [{ mode: match[1] ?? '', blob: match[2] ?? '', path: match[3] ?? '' }] : [];
    });
}

/** Makes a tree of these files. Their contents are in the repository already. */
export async function treeOfFiles(
  files: readonly TreeFile[],
  shadowDir: string,
  signal?: AbortSignal,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-tree-'));
  try {
    const index = join(folder, 'index');
    const input = files.map(({ mode, blob, path }) => `${mode} ${blob}\t${path}\0`).join('');
    await git(shadowDir, ['update-index', '-z', '--index-info'], signal, input, index);
    return (await git(shadowDir, ['write-tree'], signal, undefined, index)).toString('latin1').trim();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function writeBlob(text: string, shadowDir: string, signal?: AbortSignal): Promise<string> {
  return (await git(shadowDir, ['hash-object', '-w', '--stdin'], signal, text)).toString('latin1').trim();
}

/** The texts of files, by path, read at once. Links have none. */
export async function textsOf(
  files: readonly TreeFile[],
  shadowDir: string,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const asked = files.filter(({ mode }) => mode !== '120000');
  const input = asked.map(({ blob }) => `${blob}\n`).join('');
  const output =
    asked.length === 0 ? Buffer.alloc(0) : await git(shadowDir, ['cat-file', '--batch'], signal, input);
  const texts = new Map<string, string>();
  let at = 0;
  for (const { path } of asked) {
    const head = output.indexOf('\n', at);
    const [, type, size = '0'] = output.toString('latin1', at, head).split(' ');
    if (type !== 'blob') throw new Error(`the text of ${path} is not in the repository of the trees`);
    at = head + 1 + Number(size) + 1;
    texts.set(path, output.toString('utf8', head + 1, at - 1));
  }
  return texts;
}

export async function composeTree(
  { rest, from, takes, without = () => false, texts = {}, links = {} }: Composition,
  shadowDir: string,
  signal?: AbortSignal,
): Promise<string> {
  const [others, taken] = await Promise.all([
    filesOf(rest, shadowDir, signal),
    filesOf(from, shadowDir, signal),
  ]);
  const files = new Map<string, TreeFile>();
  for (const file of others) if (!takes(file.path) && !without(file.path)) files.set(file.path, file);
  for (const file of taken) if (takes(file.path) && !without(file.path)) files.set(file.path, file);
  const blobs = new Map<string, string>();
  for (const [path, text] of Object.entries(texts)) {
    const mode = files.get(path)?.mode ?? '100644';
    const blob = blobs.get(text) ?? (await writeBlob(text, shadowDir, signal));
    blobs.set(text, blob);
    files.set(path, { path, mode, blob });
  }
  for (const [path, to] of Object.entries(links))
    files.set(path, { path, mode: '120000', blob: await writeBlob(to, shadowDir, signal) });
  return treeOfFiles(withoutClashes([...files.values()]), shadowDir, signal);
}

/** A file of one tree may be a folder of the other: the folder's files stay. */
function withoutClashes(files: readonly TreeFile[]): TreeFile[] {
  const folders = new Set(files.flatMap(({ path }) => parentsOf(path)));
  return files.filter(({ path }) => !folders.has(path));
}

function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
}
