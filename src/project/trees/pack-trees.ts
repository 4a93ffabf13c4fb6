/**
 * Keeps the shadow repositories small: packs what lies about loose, and drops what nothing names any more. Other processes may
 * write trees meanwhile, and a kill at any point loses nothing: an object goes only after a finished pack holds it, or when
 * it is old, unnamed, and nobody has asked for it since (git renews the time of what is written again).
 */
import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { holdLock } from '../../files/lock.ts';
import { isRunning } from '../../files/process-id.ts';
import { namesIn } from '../../files/whole-file.ts';
import { gitOutput } from '../git.ts';
import { objectCall } from './shadow-repository.ts';

const LEFTOVER_MS = 3_600_000;

interface Loose {
  id: string;
  path: string;
  mtimeMs: number;
}

export interface PackOptions {
  /** Fewer loose objects than this are left alone. */
  atLeast: number;
  /** What is older goes into a pack of its own, so that it can be dropped by itself. */
  oldBefore?: number;
  /** No more than this at a time: what is packed then stays packed, whatever time there is for the rest. */
  atMost?: number;
  signal?: AbortSignal;
}

/** Packs what is loose and returns how many objects that were; 0 when there are few, or another process is at it. */
export async function packLoose(shadowDir: string, options: PackOptions): Promise<number> {
  const { atLeast, oldBefore = 0, atMost, signal } = options;
  if (atLeast > 1 && estimatedLoose(shadowDir) < atLeast) return 0;
  return alone(shadowDir, async () => {
    sweepLeftovers(shadowDir);
    const all = looseIn(shadowDir);
    if (all.length < Math.max(1, atLeast)) return 0;
    const loose = all.slice(0, atMost);
    const old = loose.filter(({ mtimeMs }) => mtimeMs < oldBefore);
    const young = loose.filter(({ mtimeMs }) => mtimeMs >= oldBefore);
    for (const group of [old, young]) if (group.length > 0) await packGroup(shadowDir, group, signal);
    return loose.length;
  });
}

async function packGroup(shadowDir: string, group: readonly Loose[], signal?: AbortSignal): Promise<void> {
  const pack = await writePack(
    shadowDir,
    group.map(({ id }) => id),
    signal,
  );
  const newest = group.reduce((latest, { mtimeMs }) => Math.max(latest, mtimeMs), 0) / 1000;
  utimesSync(pack, newest, newest);
  const held = new Set(await idsIn(shadowDir, pack));
  for (const { id, path, mtimeMs } of group) {
    // Written again meanwhile: its time is news that the pack does not have.
    if (held.has(id) && mtimeOf(path) === mtimeMs) rmSync(path, { force: true });
  }
}

/** The objects of a group in a pack that is whole and on the disk; returns its path. */
async function writePack(shadowDir: string, ids: readonly string[], signal?: AbortSignal): Promise<string> {
  const folder = packFolder(shadowDir);
  const more = { input: `${ids.join('\n')}\n`, signal };
  // Not --local: what the user's repository also holds may be pruned there.
  const name = await gitOutput(objectCall(shadowDir, ['pack-objects', '-q', join(folder, 'pack')], more));
  return join(folder, `pack-${name.toString('latin1').trim()}.pack`);
}

export interface DropOptions {
  /** Text of everything that may name a tree: whatever looks like the name of an object in it keeps that object. */
  named: Iterable<string>;
  /** Indexes of workspaces on this shadow: what they hold is not read again, and has to stay. */
  indexFiles: readonly string[];
  /** Only packs that nobody has asked for since are looked at, in milliseconds. */
  oldBefore: number;
  signal?: AbortSignal;
}

export interface Dropped {
  objects: number;
  bytes: number;
}

const NOTHING: Dropped = { objects: 0, bytes: 0 };

/** Drops the objects of old packs that nothing names. Throws, having dropped nothing, when that cannot be told. */
export async function dropUnnamed(shadowDir: string, options: DropOptions): Promise<Dropped> {
  const dropped = await alone(shadowDir, () => drop(shadowDir, options));
  return dropped === 0 ? NOTHING : dropped;
}

async function drop(shadowDir: string, options: DropOptions): Promise<Dropped> {
  const { oldBefore, indexFiles, signal } = options;
  const candidates = packsIn(shadowDir).filter(({ mtimeMs }) => mtimeMs < oldBefore);
  if (candidates.length === 0 || isBeingWritten(indexFiles)) return NOTHING;
  const wanted = await reachable(shadowDir, options);
  const old: Pack[] = [];
  const ids = new Set<string>();
  for (const pack of candidates) {
    const held = await idsIn(shadowDir, pack.path);
    if (held.every((id) => wanted.has(id))) continue;
    old.push(pack);
    for (const id of held) ids.add(id);
  }
  if (old.length === 0) return NOTHING;
  const kept = [...ids].filter((id) => wanted.has(id));
  const fresh = kept.length === 0 ? undefined : await writePack(shadowDir, kept, signal);
  if (fresh !== undefined) await refuseIncomplete(shadowDir, fresh, kept);
  // A process that wrote one of these objects again while we looked relies on it.
  if (isBeingWritten(indexFiles) || old.some(({ path, mtimeMs }) => mtimeOf(path) !== mtimeMs))
    return NOTHING;
  const before = old.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { path } of old) if (path !== fresh) removePack(path);
  const after = fresh === undefined ? 0 : (statSync(fresh, { throwIfNoEntry: false })?.size ?? 0);
  return { objects: ids.size - kept.length, bytes: Math.max(0, before - after) };
}

async function refuseIncomplete(shadowDir: string, pack: string, ids: readonly string[]): Promise<void> {
  const held = new Set(await idsIn(shadowDir, pack));
  if (!ids.every((id) => held.has(id))) throw new Error(`${pack} does not hold what was to be kept`);
}

/** Every object that something named leads to. Of commits, which are the user's, nothing. */
async function reachable(
  shadowDir: string,
  { named, indexFiles, signal }: DropOptions,
): Promise<Set<string>> {
  const words = new Set<string>();
  for (const text of named)
    for (const [word] of text.matchAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g)) words.add(word);
  const wanted = new Set<string>();
  for (const file of indexFiles) for (const id of await idsOfIndex(shadowDir, file)) wanted.add(id);
  const run = async (args: string[], input: string) =>
    (await gitOutput(objectCall(shadowDir, args, { input, signal }))).toString('latin1');
  const types = await run(['cat-file', '--batch-check=%(objectname) %(objecttype)'], lines(words));
  const trees: string[] = [];
  for (const [, id, type] of types.matchAll(/^([0-9a-f]+) (tree|blob)$/gm)) {
    wanted.add(id ?? '');
    if (type === 'tree') trees.push(id ?? '');
  }
  if (trees.length === 0) return wanted;
  const walk = ['rev-list', '--objects', '--no-object-names', '--missing=allow-any', '--stdin'];
  for (const id of (await run(walk, lines(trees))).split('\n')) if (id !== '') wanted.add(id);
  return wanted;
}

async function idsOfIndex(shadowDir: string, index: string): Promise<string[]> {
  if (!statSync(index, { throwIfNoEntry: false })) return [];
  const call = objectCall(shadowDir, ['ls-files', '-s', '-z'], { env: { GIT_INDEX_FILE: index } });
  const listing = (await gitOutput(call)).toString('latin1');
  return listing.split('\0').flatMap((entry) => entry.split(' ')[1] ?? []);
}

function lines(words: Iterable<string>): string {
  return [...words, ''].join('\n');
}

/** A call of `workspace.tree()` works on a copy of its index that is named after its process. */
function isBeingWritten(indexFiles: readonly string[]): boolean {
  return indexFiles.some((index) =>
    namesIn(dirname(index)).some((name) => {
      const [, pid] = /^\.(\d+)-[0-9a-f]{8}$/.exec(afterPrefix(name, basename(index))) ?? [];
      return pid !== undefined && isRunning(Number(pid));
    }),
  );
}

function afterPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : '';
}

/** One process at a time keeps a shadow; the others have nothing to wait for. */
async function alone<T>(shadowDir: string, work: () => Promise<T>): Promise<T | 0> {
  const lock = holdLock(`${shadowDir}.keeping`);
  if (!lock) return 0;
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** As git does before it tidies up: names are spread evenly over 256 folders. */
function estimatedLoose(shadowDir: string): number {
  return namesIn(join(shadowDir, 'objects', '17')).length * 256;
}

function looseIn(shadowDir: string): Loose[] {
  const objects = join(shadowDir, 'objects');
  return namesIn(objects)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((folder) =>
      namesIn(join(objects, folder)).flatMap((name) => {
        const path = join(objects, folder, name);
        const mtimeMs = /^[0-9a-f]{38}([0-9a-f]{24})?$/.test(name) ? mtimeOf(path) : undefined;
        return mtimeMs === undefined ? [] : [{ id: `${folder}${name}`, path, mtimeMs }];
      }),
    );
}

interface Pack {
  path: string;
  mtimeMs: number;
  bytes: number;
}

function packsIn(shadowDir: string): Pack[] {
  const folder = packFolder(shadowDir);
  return namesIn(folder)
    .filter((name) => name.endsWith('.idx'))
    .flatMap((name) => {
      const path = join(folder, name.replace(/\.idx$/, '.pack'));
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat ? [{ path, mtimeMs: stat.mtimeMs, bytes: stat.size }] : [];
    });
}

async function idsIn(shadowDir: string, pack: string): Promise<string[]> {
  const input = readFileSync(pack.replace(/\.pack$/, '.idx'));
  const listing = (await gitOutput(objectCall(shadowDir, ['show-index'], { input }))).toString('latin1');
  return listing.split('\n').flatMap((line) => line.split(' ')[1] ?? []);
}

/** Without its index a pack is not one: what is left of it after a kill is litter. */
function removePack(path: string): void {
  for (const ending of ['.idx', '.rev', '.pack']) rmSync(path.replace(/\.pack$/, ending), { force: true });
}

function sweepLeftovers(shadowDir: string): void {
  const folder = packFolder(shadowDir);
  const names = new Set(namesIn(folder));
  for (const name of names) {
    const isHalf = /^pack-.*\.(pack|rev)$/.test(name) && !names.has(name.replace(/\.(pack|rev)$/, '.idx'));
    if (!isHalf && !name.startsWith('tmp_')) continue;
    const ctimeMs = statSync(join(folder, name), { throwIfNoEntry: false })?.ctimeMs;
    if (ctimeMs !== undefined && Date.now() - ctimeMs > LEFTOVER_MS)
      rmSync(join(folder, name), { force: true });
  }
}

function packFolder(shadowDir: string): string {
  return join(shadowDir, 'objects', 'pack');
}

function mtimeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
