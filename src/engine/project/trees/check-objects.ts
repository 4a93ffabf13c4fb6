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
import { encodeName, parseRawEntries, type RawEntry, type RawSide } from './git-output.ts';
import { type Shadow, shadowCall } from './shadow-repository.ts';

class DamagedObject extends Error {
  constructor(id: string, dir: string) {
    super(
      `the object ${id} in ${dir} does not fit its name: it is damaged, or something else than untildone changed it`,
    );
  }
}

/** How many bytes of an object are kept; undefined: none. */
type Keeps = (type: string, size: number) => number | undefined;

interface Checked {
  /** What was kept, by the names of the objects. */
  contents: ReadonlyMap<string, Buffer>;
  /** What was kept of the object that was named last; undefined when there is no such object. */
  last: Buffer | undefined;
}

/** Throws `DamagedObject` when one of these objects is not what its name says. Those that are missing are passed over. */
export async function checkObjects(shadow: Shadow, names: readonly string[], keeps: Keeps): Promise<Checked> {
  const input = Buffer.concat([...new Set(names)].flatMap((name) => [encodeName(name), Buffer.from('\n')]));
  const reader = new BatchReader(shadow.dir, keeps);
  const args = ['cat-file', '--batch', '--buffer'];
  await gitOutput(shadowCall(shadow, { args, input, onOutput: (chunk) => reader.push(chunk) }));
  return reader.end();
}

/** What two trees differ in, checked. */
export interface Difference {
  /** Files and folders, without renames. */
  entries: RawEntry[];
  /** The contents of small files that differ, by the names of their objects. */
  contents: ReadonlyMap<string, Buffer>;
}

/** Checks under way, by what they check. */
const underWay = new Map<string, Promise<Difference>>();

/**
 * Compares two trees, and checks everything that their difference rests on: both, and the trees and files in which they differ.
 * Gates that are judged at the same time ask for the same difference, and share one check. Later ones check again.
 */
export function checkedDifference(shadow: Shadow, from: string, to: string): Promise<Difference> {
  const what = [shadow.dir, from, to].join('\n');
  const known = underWay.get(what);
  if (known) return known;
  const check = checkBetween(shadow, from, to).finally(() => underWay.delete(what));
  underWay.set(what, check);
  return check;
}

const SMALL = 64 * 1024;
const MOST_KEPT = 4 * 1024 * 1024;

async function checkBetween(shadow: Shadow, from: string, to: string): Promise<Difference> {
  const args = ['diff-tree', '-r', '-t', '-z', '--raw', '--no-renames', '--no-ext-diff', from, to];
  const entries = parseRawEntries(await gitOutput(shadowCall(shadow, { args })));
  const ids = entries.flatMap(({ before, after }) => [before, after].filter(isOurs).map(({ id }) => id));
  let left = MOST_KEPT;
  const { contents } = await checkObjects(shadow, [from, to, ...ids], (type, size) => {
    if (type !== 'blob' || size > SMALL || size > left) return undefined;
    left -= size;
    return size;
  });
  return { entries, contents };
}

/** Not a file that is missing on this side, nor a commit of another repository. */
function isOurs({ mode }: RawSide): boolean {
  return mode !== '000000' && mode !== '160000';
}

/** An object whose content git is printing. */
interface Current {
  id: string;
  hash: Hash;
  left: number;
  kept: Buffer[];
  /** How many bytes are still to be kept; undefined: nothing is. */
  keeps: number | undefined;
}

/** Reads the output of `git cat-file --batch` and hashes each object, without keeping more of it than is asked for. */
class BatchReader {
  private readonly dir: string;
  private readonly keeps: Keeps;
  private readonly contents = new Map<string, Buffer>();
  private last: Buffer | undefined;
  private header = Buffer.alloc(0);
  private damaged: string | undefined;
  private current: Current | undefined;

  constructor(dir: string, keeps: Keeps) {
    this.dir = dir;
    this.keeps = keeps;
  }

  /** Returns false when it has seen enough. */
  push(chunk: Buffer): boolean {
    for (let rest = chunk; rest.length > 0 && this.damaged === undefined; )
      rest = this.current ? this.content(this.current, rest) : this.line(rest);
    return this.damaged === undefined;
  }

  /** Throws for an object that does not fit its name, or whose content git could not read to its end. */
  end(): Checked {
    const damaged = this.damaged ?? this.current?.id;
    if (damaged !== undefined) throw new DamagedObject(damaged, this.dir);
    return { contents: this.contents, last: this.last };
  }

  private line(bytes: Buffer): Buffer {
    const cut = bytes.indexOf(0x0a);
    this.header = Buffer.concat([this.header, cut < 0 ? bytes : bytes.subarray(0, cut)]);
    if (cut < 0) return Buffer.alloc(0);
    const [, id, type = '', size] =
      /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(this.header.toString('latin1')) ?? [];
    this.header = Buffer.alloc(0);
    this.last = undefined;
    if (id !== undefined && size !== undefined) {
      const left = Number(size);
      const hash = hashFor(id).update(`${type} ${size}\0`);
      this.current = { id, hash, left, kept: [], keeps: this.keeps(type, left) };
    }
    return bytes.subarray(cut + 1);
  }

  private content(object: Current, bytes: Buffer): Buffer {
    const part = bytes.subarray(0, object.left);
    object.hash.update(part);
    object.left -= part.length;
    if (object.keeps !== undefined) {
      object.kept.push(part.subarray(0, object.keeps));
      object.keeps -= object.kept.at(-1)?.length ?? 0;
    }
    if (bytes.length === part.length) return Buffer.alloc(0);
    // The line break after the content.
    this.current = undefined;
    if (object.hash.digest('hex') !== object.id) this.damaged = object.id;
    else if (object.keeps !== undefined) {
      this.last = Buffer.concat(object.kept);
      this.contents.set(object.id, this.last);
    }
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
