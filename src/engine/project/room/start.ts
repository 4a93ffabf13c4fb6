/** What is kept when a loop starts, for its clean rooms: the environment, the programs on PATH, files that git ignores. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, statSync, utimesSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { homeSettings } from '../../core/chains/all.ts';
import type { KeptForRooms } from '../../core/contract/clean-room.ts';
import { Unmeasurable } from '../../core/text/errors.ts';
import { insideProject } from '../../core/text/paths.ts';
import { hmacSha256, sha256, sha256OfFile } from '../../files/digest.ts';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import { sealedJson, unsealedJson } from '../../home/layout.ts';
import { type KeptEnvironment, keepEnvironment } from './environment.ts';
import { type FoundDependencies, type FoundStore, keepFound } from './found.ts';
import { type ProgramDigests, programDigestsIn } from './program-digests.ts';
import { type Programs, pathOutside, programsWithDigests } from './programs.ts';
import { type Surroundings, surroundingsOf } from './surroundings.ts';

export interface Start {
  environment: KeptEnvironment;
  programs: Programs;
  /** Files that git ignores: their path in the project, and the digest of their content; null: there was no such file. */
  needs: { path: string; sha256: string | null }[];
  /** Settings of package managers in your home, by path, with a keyed digest: they may hold secrets. */
  settings: Record<string, string>;
  /** Absent in starts of older versions. */
  surroundings?: Surroundings;
  /** Dependencies as they lay in the project, where the contract takes them from there. */
  found?: FoundDependencies;
}

export interface StartsFolder {
  /** In the untildone home, of one project. */
  folder: string;
  key: string;
}

const LARGEST_SETTINGS = 1024 * 1024;
const LARGEST_NEED = 512 * 1024 * 1024;

/** Enough for most programs of a machine; later judgings learn the rest. */
const LEARN_AT_START_MS = 250;

/** Keeps the start and returns its name. The same start has the same name. */
export function keepStart(
  project: string,
  kept: KeptForRooms,
  env: NodeJS.ProcessEnv,
  starts: StartsFolder,
): string {
  mkdirSync(starts.folder, { recursive: true, mode: 0o700 });
  const digests = programDigestsIn(starts);
  const start = startNow(project, kept, env, starts, digests);
  const name = sha256(JSON.stringify(start)).slice(0, 32);
  digests.learn(start.programs, LEARN_AT_START_MS);
  writeWhole(join(starts.folder, `${name}.json`), sealedJson(start, purposeOf(name), starts.key));
  return name;
}

/** How everything is now. Of files that git ignores a copy is kept. */
export function startNow(
  project: string,
  { needs, found }: KeptForRooms,
  env: NodeJS.ProcessEnv,
  { folder, key }: StartsFolder,
  digests: ProgramDigests = programDigestsIn({ folder, key }),
): Start {
  const home = env.HOME ?? homedir();
  return {
    environment: keepEnvironment(env, key),
    programs: programsWithDigests(pathOutside(env.PATH ?? '', project), digests.measured),
    needs: needs.flatMap((path) => keepNeed(project, path, folder)),
    settings: Object.fromEntries(
      homeSettings.flat().flatMap((path) => {
        const digest = settingsDigest(home, path, key);
        return digest === undefined ? [] : [[path, digest]];
      }),
    ),
    surroundings: surroundingsOf(folder, key),
    ...(found ? { found: keepFound(project, found, env, foundStore({ folder, key })) } : {}),
  };
}

/** Clones of dependencies lie beside the starts. */
export function foundStore({ folder, key }: StartsFolder): FoundStore {
  return { folder: join(dirname(folder), 'found'), key };
}

/** Copies a file, or the files of a folder. Each content is kept once. */
function keepNeed(project: string, path: string, folder: string): Start['needs'] {
  const inside = insideProject(path);
  if (inside === undefined) throw new Unmeasurable(`needs: "${path}" is not inside the project`);
  const file = join(project, inside);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return [{ path: inside, sha256: null }];
  if (stat.isDirectory())
    return readdirSync(file).flatMap((name) => keepNeed(project, `${inside}/${name}`, folder));
  if (!stat.isFile() || stat.size > LARGEST_NEED)
    throw new Unmeasurable(`needs: "${path}" is no regular file of at most 512 MiB`);
  const digest = sha256OfFile(file);
  const copy = needFile(folder, digest);
  mkdirSync(join(folder, 'needs'), { recursive: true, mode: 0o700 });
  if (!touched(copy)) {
    copyFileSync(file, `${copy}.new`);
    renameSync(`${copy}.new`, copy);
  }
  return [{ path: inside, sha256: digest }];
}

/** Whether it is there. A new time keeps `prune` from removing what is being named just now. */
function touched(copy: string): boolean {
  if (!existsSync(copy)) return false;
  const now = new Date();
  utimesSync(copy, now, now);
  return true;
}

export function needFile(folder: string, digest: string): string {
  return join(folder, 'needs', digest);
}

function purposeOf(name: string): string {
  return `start ${name}`;
}

export function readStart(name: string, { folder, key }: StartsFolder): Start {
  const text = /^[0-9a-f]{32}$/.test(name)
    ? readSmall(join(folder, `${name}.json`), LARGEST_START)
    : undefined;
  const start = text === undefined ? undefined : unsealedJson<Start>(text, purposeOf(name), key);
  if (start) return start;
  throw new Unmeasurable('what was kept of the start for clean rooms is lost or was changed', [
    'Begin a new loop: what the environment was when this one started can no longer be told.',
  ]);
}

const LARGEST_START = 64 * 1024 * 1024;

export function settingsDigest(home: string, path: string, key: string): string | undefined {
  try {
    const text = readSmall(join(home, path), LARGEST_SETTINGS);
    return text === undefined ? undefined : hmacSha256(key, `settings\n${path}\n${text}`);
  } catch {
    return undefined;
  }
}
