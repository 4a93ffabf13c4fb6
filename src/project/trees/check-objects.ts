/**
 * Compares objects with their names, which git does not do when it reads them. A power cut leaves empty objects, and whoever
 * can write to the home could put other bytes under the name of a tree that a verdict rests on.
 */
import { createHash, type Hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { namesIn } from '../../files/whole-file.ts';
import { gitOutput } from '../git.ts';
import { encodeName } from './git-output.ts';
import { type Shadow, shadowCall } from './shadow-repository.ts';

class DamagedObject extends Error {
  constructor(id: string, dir: string) {
    super(
      `the object ${id} in ${dir} does not fit its name: it is damaged, or something else than untildone changed it`,
    );
  }
}

/** Throws `DamagedObject` when one of these objects is not what its name says. Those that are missing are passed over. */
export async function checkObjects(shadow: Shadow, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const input = Buffer.concat([...new Set(names)].flatMap((name) => [encodeName(name), Buffer.from('\n')]));
  const reader = new BatchReader(shadow.dir);
  const args = ['cat-file', '--batch', '--buffer'];
  await gitOutput(shadowCall(shadow, { args, input, onOutput: (chunk) => reader.push(chunk) }));
  reader.end();
}

/** Checks under way, by what they check. */
const underWay = new Map<string, Promise<void>>();

/**
 * Checks everything that the difference of two trees rests on: both, and the trees and files in which they differ. Gates that
 * are judged at the same time ask for the same difference, and share one check. Later ones check again.
 */
export function checkDifference(shadow: Shadow, from: string, to: string): Promise<void> {
  const what = [shadow.dir, from, to].join('\n');
  const known = underWay.get(what);
  if (known) return known;
  const check = checkBetween(shadow, from, to).finally(() => underWay.delete(what));
  underWay.set(what, check);
  return check;
}

async function checkBetween(shadow: Shadow, from: string, to: string): Promise<void> {
  const args = ['diff-tree', '-r', '-t', '-z', '--raw', '--no-renames', '--no-ext-diff', from, to];
  const raw = (await gitOutput(shadowCall(shadow, { args }))).toString('latin1');
  const ids = [...raw.matchAll(/(?:^|\0):(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /g)].flatMap(
    ([, before, after, old = '', now = '']) => [
      ...(isOurs(before) ? [old] : []),
      ...(isOurs(after) ? [now] : []),
    ],
  );
  await checkObjects(shadow, [from, to, ...ids]);
}

/** Not for a file that is missing on one side, nor for a commit of another repository. */
function isOurs(mode: string | undefined): boolean {
  return mode !== '000000' && mode !== '160000';
}

/** Reads the output of `git cat-file --batch` and hashes each object, without keeping it. */
class BatchReader {
  private readonly dir: string;
  private header = Buffer.alloc(0);
  private damaged: string | undefined;
  private current: { id: string; hash: Hash; left: number } | undefined;

  constructor(dir: string) {
    this.dir = dir;
  }

  /** Returns false when it has seen enough. */
  push(chunk: Buffer): boolean {
    for (let rest = chunk; rest.length > 0 && this.damaged === undefined; )
      rest = this.current ? this.content(this.current, rest) : this.line(rest);
    return this.damaged === undefined;
  }

  /** Throws for an object that does not fit its name, or whose content git could not read to its end. */
  end(): void {
    const damaged = this.damaged ?? this.current?.id;
    if (damaged !== undefined) throw new DamagedObject(damaged, this.dir);
  }

  private line(bytes: Buffer): Buffer {
    const cut = bytes.indexOf(0x0a);
    this.header = Buffer.concat([this.header, cut < 0 ? bytes : bytes.subarray(0, cut)]);
    if (cut < 0) return Buffer.alloc(0);
    const [, id, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(this.header.toString('latin1')) ?? [];
    this.header = Buffer.alloc(0);
    if (id !== undefined && size !== undefined)
      this.current = { id, hash: hashFor(id).update(`${type} ${size}\0`), left: Number(size) };
    return bytes.subarray(cut + 1);
  }

  private content(object: { id: string; hash: Hash; left: number }, bytes: Buffer): Buffer {
    const part = bytes.subarray(0, object.left);
    object.hash.update(part);
    object.left -= part.length;
    if (bytes.length === part.length) return Buffer.alloc(0);
    // The line break after the content.
    this.current = undefined;
    if (object.hash.digest('hex') !== object.id) this.damaged = object.id;
    return bytes.subarray(part.length + 1);
  }
}

function hashFor(id: string): Hash {
  return createHash(id.length === 64 ? 'sha256' : 'sha1');
}

/**
 * Moves loose objects that do not fit their names out of the shadow, beside it, and returns how many. What is still in the
 * project's folder can then be written again.
 */
export function setAsideDamaged(shadowDir: string): number {
  const objects = join(shadowDir, 'objects');
  let count = 0;
  for (const folder of namesIn(objects).filter((name) => /^[0-9a-f]{2}$/.test(name)))
    for (const name of namesIn(join(objects, folder)).filter((each) => /^[0-9a-f]{38,62}$/.test(each))) {
      if (fitsName(join(objects, folder, name), `${folder}${name}`)) continue;
      const aside = `${shadowDir}.damaged`;
      mkdirSync(aside, { recursive: true, mode: 0o700 });
      renameSync(join(objects, folder, name), join(aside, `${folder}${name}`));
      count++;
    }
  return count;
}

function fitsName(path: string, id: string): boolean {
  try {
    return (
      hashFor(id)
        .update(inflateSync(readFileSync(path)))
        .digest('hex') === id
    );
  } catch {
    return false;
  }
}
