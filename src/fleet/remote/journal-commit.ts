/** The commit of a publication: its tree holds the files of the loop. It is written without a checkout. */
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Cache, cacheOutput, withTemporary } from './cache.ts';
import type { RunFiles } from './remote-runs.ts';

/** A longer file is stored in parts of whole lines, so that a line more does not store all of it again. */
export const PART_BYTES = 256 * 1024;
const PARTS = '.parts/';

/** The files as they are stored. The same beginning of a file gives the same parts. */
export function inParts(files: RunFiles): Map<string, Buffer> {
  const stored = new Map<string, Buffer>();
  for (const [path, content] of Object.entries(files)) {
    checkPath(path);
    const parts = partsOf(content);
    if (parts.length === 1) stored.set(path, content);
    else parts.forEach((part, i) => void stored.set(`${path}${PARTS}${String(i).padStart(6, '0')}`, part));
  }
  return stored;
}

function partsOf(content: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < content.length; ) {
    const newline = content.indexOf(0x0a, start + PART_BYTES - 1);
    const end = newline === -1 ? content.length : newline + 1;
    parts.push(content.subarray(start, end));
    start = end;
  }
  return parts.length === 0 ? [content] : parts;
}

/** The files as they were given. */
export function joined(stored: ReadonlyMap<string, Buffer>): RunFiles {
  const parts = new Map<string, Buffer[]>();
  for (const [path, content] of [...stored].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const at = path.lastIndexOf(PARTS);
    const name = at !== -1 && /^\d{6}$/.test(path.slice(at + PARTS.length)) ? path.slice(0, at) : path;
    parts.set(name, [...(parts.get(name) ?? []), content]);
  }
  return Object.fromEntries([...parts].map(([name, list]) => [name, Buffer.concat(list)]));
}

function checkPath(path: string): void {
  const bad = path
    .split('/')
    .some((part) => part === '' || part === '.' || part === '..' || /^\.git$/i.test(part));
  if (bad || path.includes(PARTS) || /\p{Cc}/u.test(path))
    throw new Error(`${JSON.stringify(path)} cannot be the path of a published file`);
}

export interface JournalCommit {
  files: RunFiles;
  parent?: string;
  message: string;
  identity: Record<string, string>;
}

/** The commit has a random word: two workers that publish the same at the same moment must not make the same commit. */
export async function writeJournal(cache: Cache, commit: JournalCommit): Promise<string> {
  const stored = [...inParts(commit.files)].map(([path, content]) => ({ path, content }));
  return withTemporary(cache, async (folder) => {
    const format = (await formatOf(cache)) === 'sha256' ? 'sha256' : 'sha1';
    const entries = stored.map((file) => ({ ...file, id: blobId(file.content, format) }));
    await writeBlobs(cache, folder, entries);
    const env = { GIT_INDEX_FILE: join(folder, 'index') };
    const lines = entries.map(({ path, id }) => `100644 ${id}\t${path}\0`).join('');
    await cacheOutput(cache, ['update-index', '--add', '-z', '--index-info'], { env, input: lines });
    const tree = text(await cacheOutput(cache, ['write-tree'], { env }));
    const parent = commit.parent === undefined ? [] : ['-p', commit.parent];
    const message = `${commit.message}\n\nPublication: ${randomBytes(8).toString('hex')}\n`;
    const args = ['commit-tree', '--no-gpg-sign', ...parent, '-F', '-', tree];
    return text(await cacheOutput(cache, args, { env: commit.identity, input: message }));
  });
}

async function writeBlobs(
  cache: Cache,
  folder: string,
  entries: readonly { content: Buffer; id: string }[],
): Promise<void> {
  const fresh = entries.filter(({ id }) => !cache.written.has(id));
  if (fresh.length === 0) return;
  const names = fresh.map(({ content }, i) => {
    writeFileSync(join(folder, String(i)), content);
    // As seen from the cache: the path of the folder itself may hold anything, even a line break.
    return `../${basename(folder)}/${i}`;
  });
  const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
  await cacheOutput(cache, args, { input: names.map((name) => `${name}\n`).join('') });
  for (const { id } of fresh) cache.written.add(id);
}

function blobId(content: Buffer, format: 'sha1' | 'sha256'): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest('hex');
}

const formats = new WeakMap<Cache, Promise<string>>();

function formatOf(cache: Cache): Promise<string> {
  const known = formats.get(cache);
  if (known) return known;
  const asked = cacheOutput(cache, ['rev-parse', '--show-object-format']).then(text);
  formats.set(cache, asked);
  asked.catch(() => formats.delete(cache));
  return asked;
}

/** The files of a commit. */
export async function readJournal(cache: Cache, commit: string): Promise<RunFiles> {
  const listing = (await cacheOutput(cache, ['ls-tree', '-r', '-z', commit])).toString('utf8');
  const entries = listing.split('\0').flatMap((entry) => {
    const [, id, path] = /^\d+ blob ([0-9a-f]+)\t([\s\S]+)$/.exec(entry) ?? [];
    return id !== undefined && path !== undefined ? [{ id, path }] : [];
  });
  if (entries.length === 0) return {};
  const input = entries.map(({ id }) => `${id}\n`).join('');
  const output = await cacheOutput(cache, ['cat-file', '--batch'], { input });
  const stored = new Map<string, Buffer>();
  let at = 0;
  for (const { id, path } of entries) {
    const end = output.indexOf(0x0a, at);
    const size = Number(/ blob (\d+)$/.exec(output.toString('latin1', at, end))?.[1] ?? Number.NaN);
    if (Number.isNaN(size)) throw new Error(`the file ${path} of ${commit} cannot be read in ${cache.dir}`);
    stored.set(path, output.subarray(end + 1, end + 1 + size));
    cache.written.add(id);
    at = end + 1 + size + 1;
  }
  return joined(stored);
}

export function text(bytes: Buffer): string {
  return bytes.toString('utf8').trim();
}
