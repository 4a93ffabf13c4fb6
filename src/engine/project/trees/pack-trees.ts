/**
 * Keeps the shadow repositories small: packs loose objects, and drops objects that nothing names any more. Other processes
 * may write trees meanwhile, and a kill at any point loses nothing. An object is removed only when a finished pack holds it,
 * or when it is old, unnamed, and was not written again since (git renews the time of an object that is written again).
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
  /** Objects older than this time go into a pack of their own, so that they can be dropped together. */
  oldBefore?: number;
  /** The most objects that one call packs. A caller with little time calls more than once. */
  atMost?: number;
  signal?: AbortSignal;
}

/** Packs loose objects and returns how many; 0 when there are too few, or another process is packing. */
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
    // An object that was written again meanwhile has a newer time than its pack: it stays loose.
    if (held.has(id) && mtimeOf(path) === mtimeMs) rmSync(path, { force: true });
  }
}

/** Writes a complete pack of these objects and returns its path. */
async function writePack(shadowDir: string, ids: readonly string[], signal?: AbortSignal): Promise<string> {
  const folder = packFolder(shadowDir);
  const more = { input: `${ids.join('\n')}\n`, signal };
  // Not --local: objects that the user's repository holds, too, may be pruned there.
  const name = await gitOutput(objectCall(shadowDir, ['pack-objects', '-q', join(folder, 'pack')], more));
  return join(folder, `pack-${name.toString('latin1').trim()}.pack`);
}

export interface DropOptions {
  /** Texts that may name a tree. Every word in them that looks like an object's name keeps that object. */
  named: Iterable<string>;
  /** Indexes of workspaces on this shadow. The objects that they hold stay, because git does not write them again. */
  indexFiles: readonly string[];
  /** A time in milliseconds: younger packs are left alone. */
  oldBefore: number;
  signal?: AbortSignal;
}

export interface Dropped {
  objects: number;
  bytes: number;
}

const NOTHING: Dropped = { objects: 0, bytes: 0 };

/** Drops the objects of old packs that nothing names. When git cannot tell, it throws and drops nothing. */
export async function dropUnnamed(shadowDir: string, options: DropOptions): Promise<Dropped> {
  const dropped = await alone(shadowDir, () => drop(shadowDir, options));
  return dropped === 0 ? NOTHING : dropped;
}

async function drop(shadowDir: string, options: DropOptions): Promise<Dropped> {
  const { oldBefore, indexFiles, signal } = options;
  const candidates = packsIn(shadowDir).filter(({ mtimeMs }) => mtimeMs < oldBefore);
  if (candidates.length === 0 || isBeingWritten(indexFiles)) return NOTHING;
  const wanted = await reachable(shadowDir, options);
  const { packs, ids } = await packsWithUnwanted(shadowDir, candidates, wanted);
  if (packs.length === 0) return NOTHING;
  const kept = [...ids].filter((id) => wanted.has(id));
  const fresh = kept.length === 0 ? undefined : await writeCheckedPack(shadowDir, kept, signal);
  // A process that wrote one of these objects again meanwhile relies on it.
  if (isBeingWritten(indexFiles) || packs.some(({ path, mtimeMs }) => mtimeOf(path) !== mtimeMs))
    return NOTHING;
  const before = packs.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { path } of packs) if (path !== fresh) removePack(path);
  const after = fresh === undefined ? 0 : (statSync(fresh, { throwIfNoEntry: false })?.size ?? 0);
  return { objects: ids.size - kept.length, bytes: Math.max(0, before - after) };
}

/** The packs that hold at least one object that is not wanted, and all objects in them. */
async function packsWithUnwanted(
  shadowDir: string,
  candidates: readonly Pack[],
  wanted: ReadonlySet<string>,
): Promise<{ packs: Pack[]; ids: Set<string> }> {
  const packs: Pack[] = [];
  const ids = new Set<string>();
  for (const pack of candidates) {
    const held = await idsIn(shadowDir, pack.path);
    if (held.every((id) => wanted.has(id))) continue;
    packs.push(pack);
    for (const id of held) ids.add(id);
  }
  return { packs, ids };
}

async function writeCheckedPack(
  shadowDir: string,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<string> {
  const pack = await writePack(shadowDir, ids, signal);
  const held = new Set(await idsIn(shadowDir, pack));
  if (!ids.every((id) => held.has(id)))
    throw new Error(`the new pack ${pack} is incomplete: git left out objects that are still in use`);
  return pack;
}

/** Every object that something named leads to. Commits are the user's and lead to nothing here. */
async function reachable(
  shadowDir: string,
  { named, indexFiles, signal }: DropOptions,
): Promise<Set<string>> {
  const words = objectNamesIn(named);
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

function objectNamesIn(texts: Iterable<string>): Set<string> {
  const names = new Set<string>();
  for (const text of texts)
    for (const [name] of text.matchAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g)) names.add(name);
  return names;
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

/** Whether a call of `workspace.tree()` is under way: it works on a copy of the index, named after its process. */
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

/** Runs `work` unless another process is packing this shadow; returns 0 then, without waiting. */
async function alone<T>(shadowDir: string, work: () => Promise<T>): Promise<T | 0> {
  const lock = holdLock(`${shadowDir}.keeping`);
  if (!lock) return 0;
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Estimates from one of 256 folders, as `git gc --auto` does: names are spread evenly over them. */
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

/** Removes the index first: after a kill, git ignores what is left of the pack, and `sweepLeftovers` removes it. */
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
