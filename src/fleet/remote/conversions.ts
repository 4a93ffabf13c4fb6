/**
 * Files that git changes on their way into a working tree: other line endings, `$Id$`, another encoding, or the content that
 * an LFS pointer stands for. A snapshot holds bytes as they are; but a file that is just what a checkout makes is no change.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { sha256 } from '../../engine/files/digest.ts';
import { decodeName } from '../../engine/project/trees/git-output.ts';
import { indexInfo, nulJoined, pathOf, type Raw, type RawEntry } from './raw.ts';

/**
 * Takes files out of the index of a snapshot that differ from the commit only as a checkout makes them. Returns `bytes` when
 * a checkout alone would not give back every file, so that each has to be written byte by byte.
 */
export async function takeBackConverted(
  raw: Raw,
  head: string,
  changes: readonly RawEntry[],
): Promise<'checkout' | 'bytes'> {
  const files = await filesOf(raw, head);
  const isAttributes = ({ path }: { path: string }) => /(?:^|\/)\.gitattributes$/.test(path);
  // The next checkout goes by the attributes of the commit, and not by those of now.
  if (changes.some(isAttributes)) return 'bytes';
  if (!files.some(isAttributes)) return 'checkout';
  const attributes = await attributesOf(raw, files);
  const changed = new Map(changes.map((change) => [change.path, change]));
  const converted = files
    .filter(({ path }) => attributes.get(path) === 'converted')
    .flatMap((file) => {
      const change = changed.get(file.path);
      if (change === undefined) return [file];
      return change.status === 'M' && isFile(change.after) ? [asNow(file, change)] : [];
    });
  const same = new Set(await raw.converted(converted, ({ to }, content) => blobId(content, to) === to));
  const others = converted.filter((file) => !same.has(file));
  const isWhole = others.every(({ path }) => changed.has(path));
  const takenBack = isWhole ? [...same].filter(({ path }) => changed.has(path)) : [];
  const pointers = files.flatMap((file) => {
    const change = attributes.get(file.path) === 'lfs' ? changed.get(file.path) : undefined;
    return change?.status === 'M' && isFile(change.after) ? [asNow(file, change)] : [];
  });
  const fetched = await raw.converted(pointers, ({ path }, pointer) => isLfsContent(pointer, raw, path));
  const input = indexInfo([...takenBack, ...fetched]);
  if (input.length > 0) await raw.git(['update-index', '-z', '--index-info'], { input });
  return isWhole ? 'checkout' : 'bytes';
}

/** The content of the commit with the mode of now: a script that became executable is a change, whatever its line endings. */
function asNow(file: RawEntry, { after, to }: RawEntry): RawEntry {
  return { ...file, before: after, to };
}

export function isFile(mode: string): boolean {
  return mode === '100644' || mode === '100755';
}

/** The plain files of a commit, as entries that did not change. */
async function filesOf(raw: Raw, head: string): Promise<RawEntry[]> {
  const listing = decodeName(await raw.git(['ls-tree', '-r', '-z', head])).split('\0');
  return listing.flatMap((line) => {
    const [, mode, id, path] = /^(\d+) blob ([0-9a-f]+)\t([\s\S]+)$/.exec(line) ?? [];
    if (mode === undefined || id === undefined || path === undefined || !isFile(mode)) return [];
    return [{ before: mode, after: mode, from: id, to: id, status: '=', path }];
  });
}

async function attributesOf(raw: Raw, files: readonly RawEntry[]): Promise<Map<string, 'converted' | 'lfs'>> {
  const args = ['check-attr', '-z', '--stdin', 'eol', 'ident', 'working-tree-encoding', 'filter'];
  const input = nulJoined(files.map(({ path }) => path));
  const parts = decodeName(await raw.attributes(args, input)).split('\0');
  const found = new Map<string, 'converted' | 'lfs'>();
  for (let i = 0; i + 2 < parts.length; i += 3) {
    const [path = '', name, value] = parts.slice(i, i + 3);
    if (value === 'unspecified' || value === 'unset' || (name === 'eol' && value !== 'crlf')) continue;
    if (name !== 'filter') found.set(path, 'converted');
    else if (value === 'lfs' && !found.has(path)) found.set(path, 'lfs');
  }
  return found;
}

function blobId(content: Buffer, like: string): string {
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}

function isLfsContent(pointer: Buffer, { folder }: Raw, name: string): boolean {
  if (pointer.length > 1024) return false;
  const [, oid, size] =
    /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n[\s\S]*?oid sha256:([0-9a-f]{64})\nsize (\d+)\n/.exec(
      pointer.toString('latin1'),
    ) ?? [];
  if (oid === undefined) return false;
  const path = pathOf(folder, name);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size === Number(size) && sha256(readFileSync(path)) === oid;
}
