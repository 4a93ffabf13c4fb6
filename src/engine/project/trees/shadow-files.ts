/**
 * The small files of a shadow. What they hold is written down, sealed, in its description. So a file that a power cut left
 * empty, or that something else changed, is put right when the shadow is opened.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hmacSha256 } from '../../files/digest.ts';
import { readSmall, writeNew, writeWhole } from '../../files/whole-file.ts';

const DESCRIPTION = 'untildone.json';

/** What a shadow was made with. */
export interface Description {
  /** The project's path relative to the top of the user's repository, with a slash at its end; empty when they are the same. */
  prefix: string;
  /** A random id that tells this shadow from an earlier one in the same folder. */
  made: string;
  /** The hash that names objects. */
  format: string;
  /** The patterns to ignore, as they were then. */
  exclude: string;
}

/** How to find out again what the description says. */
export interface Sources {
  prefix(): string;
  format(): Promise<string>;
  exclude(): Promise<string>;
}

/** The description of a shadow. Where it is missing or damaged, it is made again; objects stay. */
export async function describe(dir: string, key: string, sources: Sources): Promise<Description> {
  const found = readText(join(dir, DESCRIPTION));
  const sealed = parseSealed(found, dir, key);
  if (sealed) return sealed;
  const old = parseOld(found);
  const made = {
    prefix: old?.prefix ?? sources.prefix(),
    made: old?.made ?? randomBytes(8).toString('hex'),
    format: await sources.format(),
    exclude: await sources.exclude(),
  };
  makePrivate(dir);
  putRight(dir, made);
  const text = `${JSON.stringify({ v: 2, ...made, seal: sealOf(made, dir, key) })}\n`;
  if (existsSync(join(dir, DESCRIPTION))) replace(join(dir, DESCRIPTION), text);
  // Another process may make the shadow at the same time: all use the description of the first.
  else if (!writeNew(join(dir, DESCRIPTION), text, 0o600)) return describe(dir, key, sources);
  return made;
}

function parseSealed(text: string, dir: string, key: string): Description | undefined {
  const { prefix, made, format, exclude, seal } = parse(text) as Partial<Description> & { seal?: string };
  if (prefix === undefined || made === undefined || format === undefined || exclude === undefined)
    return undefined;
  const description = { prefix, made, format, exclude };
  return seal === sealOf(description, dir, key) ? description : undefined;
}

/** Up to 0.1.0 the description had no seal. Its patterns are read again: others may have changed them. */
function parseOld(text: string): Pick<Description, 'prefix' | 'made'> | undefined {
  const { v, prefix, made } = parse(text) as Partial<Description> & { v?: number };
  return v === 1 && typeof prefix === 'string' && typeof made === 'string' ? { prefix, made } : undefined;
}

function parse(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function sealOf({ prefix, made, format, exclude }: Description, dir: string, key: string): string {
  const project = basename(dirname(dir));
  return hmacSha256(key, `shadow of ${project}\n${JSON.stringify([prefix, made, format, exclude])}`);
}

/** Files with these endings count as text, so that a NUL byte does not hide lines of code. */
const TEXT_ENDINGS =
  'c cc cjs cpp cs css cts dart ex exs go h hpp html java js json jsx kt kts lua m md mjs mts php pl py rb rs scala sh sql svelte swift toml ts tsx vue xml yaml yml';

/** Attributes that overrule the project's own: git converts and filters nothing, and shows text as text. */
const ATTRIBUTES = [
  '* -text !eol -ident -filter !working-tree-encoding !diff !whitespace',
  ...TEXT_ENDINGS.split(' ').map((ending) => `*.${ending} diff`),
  '',
].join('\n');

/** Makes the folders of a repository, and writes those of its files that are not as they should be. */
export function putRight(dir: string, description: Description): void {
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'info'])
    mkdirSync(join(dir, folder), { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(filesOf(description)))
    if (readText(join(dir, name)) !== text) replace(join(dir, name), text);
}

function filesOf({ format, exclude }: Description): Record<string, string> {
  return {
    HEAD: 'ref: refs/heads/none\n',
    config: configFor(format),
    'info/exclude': exclude,
    'info/attributes': ATTRIBUTES,
  };
}

/** Git reads from here what it does not take from its command line. It makes files that only their user can read. */
function configFor(format: string): string {
  const core = (version: number) =>
    `[core]\n\trepositoryformatversion = ${version}\n\tbare = true\n\tsharedRepository = 0600\n`;
  return format === 'sha1' ? core(0) : `${core(1)}[extensions]\n\tobjectFormat = ${format}\n`;
}

/** Whatever is in the place of a file goes out of the way, and is kept. */
function replace(path: string, text: string): void {
  if (existsSync(path) && !statSync(path).isFile()) renameSync(path, `${path}.damaged-${Date.now()}`);
  writeWhole(path, text);
}

/** Takes the rights of others from a shadow that an older version made. */
function makePrivate(dir: string): void {
  const entries = existsSync(dir) ? readdirSync(dir, { recursive: true, withFileTypes: true }) : [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) unlessGone(() => chmodSync(path, 0o700));
    else if (entry.isFile()) unlessGone(() => chmodSync(path, statSync(path).mode & 0o700));
  }
}

/** Git of other processes removes its temporary files meanwhile. */
function unlessGone(change: () => void): void {
  try {
    change();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Empty for a file that is missing, too large, or no file. */
export function readText(path: string): string {
  try {
    return readSmall(path, 1024 * 1024) ?? '';
  } catch {
    return '';
  }
}
