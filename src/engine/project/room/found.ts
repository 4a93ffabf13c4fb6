/**
 * Dependencies as they lay in the project when a loop began: folders that git ignores are cloned once into the untildone home,
 * by the stamps of all their files, and rooms get them from there. What changes in the project later does not reach a room.
 */
import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { installed } from '../../core/chains/all.ts';
import { Unmeasurable } from '../../core/text/errors.ts';
import { pathMatcher } from '../../core/text/globs.ts';
import { sha256 } from '../../files/digest.ts';
import { namesIn, readSmall, writeWhole } from '../../files/whole-file.ts';
import { sealedJson, unsealedJson } from '../../home/layout.ts';
import { interpreterPackages } from '../facts/machine.ts';
import { runGitSync } from '../git.ts';
import { compareManifests, type Manifest, manifestOf, parseManifest, renderManifest } from './manifest.ts';

/** What was found at the start. */
export interface FoundDependencies {
  /** The folders of the project, relative to it. */
  folders: string[];
  /** The name of their clone. */
  name: string;
  /** The real path of the project, which programs wrote into what they installed. */
  project: string;
  /** Packages of the interpreter outside of the project: their folders, and the digest of their stamps. */
  packages?: { folders: string[]; digest: string; paths: string[] };
}

export interface FoundStore {
  /** In the untildone home, of one project. */
  folder: string;
  key: string;
}

/** `*`: what the package managers of all ecosystems install, and the packages of the interpreter where the project is of Python. */
export const EVERYTHING = '*';

const KNOWN = new Set(installed.flat());
const GIT_MS = 60_000;
const MOST_KEPT = 4;
const RECORD_LIMIT = 512 * 1024 * 1024;

/** Clones what lies there now, if it is not cloned yet. */
export function keepFound(
  project: string,
  rule: readonly string[],
  env: NodeJS.ProcessEnv,
  store: FoundStore,
): FoundDependencies {
  const folders = foldersOf(project, rule);
  const packages =
    rule.includes(EVERYTHING) && usesOuterPython(project, folders)
      ? packagesNow(project, env, store)
      : undefined;
  if (folders.length === 0 && packages === undefined && !rule.includes(EVERYTHING))
    throw new Unmeasurable(`setup: nothing was found of ${rule.join(', ')} in the project`, [
      'Install the dependencies as you usually do, and begin a new loop.',
    ]);
  const stamps = manifestsOf(project, folders);
  const name = sha256(JSON.stringify([realpathSync(project), [...stamps]])).slice(0, 24);
  const clone = join(store.folder, name);
  if (!isWhole(clone, store.key)) makeClone(project, folders, stamps, clone, store.key);
  const now = new Date();
  utimesSync(clone, now, now);
  forgetOldest(store.folder);
  return { folders, name, project: realpathSync(project), ...(packages ? { packages } : {}) };
}

/** The folders of dependencies that git ignores, the outer ones only. */
function foldersOf(project: string, rule: readonly string[]): string[] {
  const named = rule.filter((glob) => glob !== EVERYTHING);
  const fits = pathMatcher(named);
  const isMeant = (path: string) =>
    (rule.includes(EVERYTHING) && KNOWN.has(basename(path)) && !isEmpty(join(project, path))) ||
    (named.length > 0 && fits(path));
  const list = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const { exitCode, stdout } = runGitSync({ args: list, cwd: project, env: {} }, GIT_MS);
  if (exitCode !== 0)
    throw new Unmeasurable('setup: git cannot tell which folders of the project it ignores');
  return stdout
    .split('\0')
    .filter((path) => path.endsWith('/'))
    .map((path) => path.slice(0, -1))
    .filter((path) => path !== '' && isMeant(path))
    .sort();
}

function isEmpty(folder: string): boolean {
  return namesIn(folder).length === 0;
}

function manifestsOf(project: string, folders: readonly string[]): Manifest {
  return new Map(
    folders.flatMap((folder) =>
      [...manifestOf(join(project, folder))].map(([path, stamp]) => [`${folder}/${path}`, stamp]),
    ),
  );
}

function purposeOf(clone: string): string {
  return `found ${clone}`;
}

function isWhole(clone: string, key: string): boolean {
  try {
    const record = unsealedJson<{ manifest: string }>(
      readSmall(join(clone, 'record'), RECORD_LIMIT) ?? '',
      purposeOf(clone),
      key,
    );
    if (!record) return false;
    const { added, lost } = compareManifests(
      parseManifest(record.manifest),
      manifestOf(join(clone, 'files')),
    );
    return added.length + lost.length === 0;
  } catch {
    return false;
  }
}

function makeClone(
  project: string,
  folders: readonly string[],
  stamps: Manifest,
  clone: string,
  key: string,
): void {
  rmSync(clone, { recursive: true, force: true });
  const files = join(clone, 'files');
  mkdirSync(files, { recursive: true, mode: 0o700 });
  for (const folder of folders) cloneFolder(join(project, folder), join(files, folder));
  const { added, lost } = compareManifests(stamps, manifestsOf(project, folders));
  if (added.length + lost.length > 0)
    throw new Unmeasurable(
      `setup: the dependencies changed while they were cloned: ${[...lost, ...added][0]}`,
      ['Wait until nothing installs any more, and try again.'],
    );
  writeWhole(
    join(clone, 'record'),
    sealedJson({ manifest: renderManifest(manifestOf(files)) }, purposeOf(clone), key),
  );
}

/** With the times of the files: what is compiled beside a source counts only as long as the source has its time. */
function cloneFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) cloneFolder(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.isFile()) {
      copyFileSync(source, target, constants.COPYFILE_FICLONE);
      const { atime, mtime } = lstatSync(source);
      utimesSync(target, atime, mtime);
    }
  }
}

function forgetOldest(store: string): void {
  const byAge = namesIn(store)
    .map((name) => ({ path: join(store, name), at: lstatSync(join(store, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of byAge.slice(MOST_KEPT)) rmSync(path, { recursive: true, force: true });
}

/** Lays the clone into a fresh folder for a project. Throws when the clone is not what was kept. */
export function layFound(
  { folders, name, project }: FoundDependencies,
  to: string,
  { folder: store, key }: FoundStore,
): void {
  const clone = join(store, name);
  if (!isWhole(clone, key))
    throw new Unmeasurable('the dependencies that were cloned when the loop began are lost or were changed', [
      'Begin a new loop: what lay there then can no longer be told.',
    ]);
  for (const folder of folders) {
    mkdirSync(dirname(join(to, folder)), { recursive: true });
    cloneFolder(join(clone, 'files', folder), join(to, folder));
    moveMentions(join(to, folder), project, to);
  }
}

/** Files in which installers write where the project lies. */
const MENTIONS = /(?:^pyvenv\.cfg|\.pth|\.egg-link|^direct_url\.json|^__editable__.*\.py|\.modules\.yaml)$/;
const LARGEST_MENTION = 256 * 1024;

/** What leads to the project leads to the room: links, editable packages, the first lines of programs. */
function moveMentions(folder: string, project: string, room: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) {
      const target = readlinkSync(path);
      if (target !== project && !target.startsWith(`${project}/`)) continue;
      rmSync(path);
      symlinkSync(room + target.slice(project.length), path);
    } else if (entry.isDirectory()) moveMentions(path, project, room);
    else if (MENTIONS.test(entry.name) || /^(?:bin|Scripts)$/.test(basename(folder)))
      moveMentionsIn(path, project, room);
  }
}

function moveMentionsIn(path: string, project: string, room: string): void {
  const stat = lstatSync(path);
  if (!stat.isFile() || stat.size > LARGEST_MENTION) return;
  const text = readSmall(path, LARGEST_MENTION) ?? '';
  if (!text.includes(project) || text.includes('\0')) return;
  const new_ = `${path}.new`;
  writeFileSync(new_, text.replaceAll(project, room), { mode: stat.mode & 0o777 });
  renameSync(new_, path);
}

const PYTHON_FILES = ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'tox.ini'];

/** Whether the project is of Python, and has no environment of its own. */
function usesOuterPython(project: string, folders: readonly string[]): boolean {
  const isPython = PYTHON_FILES.some((name) => existsSync(join(project, name)));
  return isPython && !folders.some((folder) => existsSync(join(project, folder, 'pyvenv.cfg')));
}

function packagesNow(
  project: string,
  env: NodeJS.ProcessEnv,
  store: FoundStore,
): NonNullable<FoundDependencies['packages']> {
  const folders = interpreterPackages(env, project).filter((folder) => existsSync(folder));
  const manifest = packagesManifest(folders);
  const digest = sha256(renderManifest(manifest)).slice(0, 24);
  const record = join(dirname(store.folder), 'packages', `${digest}.json`);
  if (!existsSync(record)) {
    mkdirSync(dirname(record), { recursive: true, mode: 0o700 });
    writeWhole(record, sealedJson([...manifest], purposeOf(digest), store.key));
  }
  return { folders, digest, paths: editablePaths(folders, realpathSync(project)) };
}

/** Compiled files are left out: rooms compile their own. */
function packagesManifest(folders: readonly string[]): Manifest {
  return new Map(
    folders.flatMap((folder) =>
      [...manifestOf(folder)]
        .filter(([path]) => !/(?:^|\/)__pycache__(?:\/|$)/.test(path))
        .map(([path, stamp]) => [`${folder}/${path}`, stamp]),
    ),
  );
}

/** Folders of the project, relative to it, that editable packages lead to. */
function editablePaths(folders: readonly string[], project: string): string[] {
  const files = folders.flatMap((folder) =>
    namesIn(folder)
      .filter((name) => MENTIONS.test(name))
      .map((name) => join(folder, name)),
  );
  const found = files.flatMap((file) => {
    const text = readSmall(file, LARGEST_MENTION) ?? '';
    const paths = text.split(/["'\n]/).filter((part) => part === project || part.startsWith(`${project}/`));
    // A finder names the package itself, a path file the folder in which it lies.
    return paths.map((path) => (file.endsWith('.py') ? dirname(path) : path).slice(project.length + 1));
  });
  return [...new Set(found)];
}

/** Refuses a judging when packages outside of the project are not those of the start. */
export function refuseChangedPackages({ packages }: FoundDependencies, store: FoundStore): void {
  if (!packages) return;
  const now = packagesManifest(packages.folders);
  if (sha256(renderManifest(now)).slice(0, 24) === packages.digest) return;
  const text = readSmall(join(dirname(store.folder), 'packages', `${packages.digest}.json`), RECORD_LIMIT);
  const before = new Map(
    unsealedJson<[string, string][]>(text ?? '', purposeOf(packages.digest), store.key) ?? [],
  );
  const { added, lost } = compareManifests(before, now);
  const names = new Set([...lost, ...added].map((path) => packageOf(path, packages.folders)));
  throw new Unmeasurable(
    `packages of the interpreter are not those of the start: ${[...names].slice(0, 5).join(', ')}`,
    [
      'Put them back (pip install, pip uninstall). If you changed them yourself, begin a new loop.',
      'An environment in the project keeps them apart: python3 -m venv .venv',
    ],
  );
}

function packageOf(path: string, folders: readonly string[]): string {
  const folder = folders.find((one) => path.startsWith(`${one}/`)) ?? '';
  return path.slice(folder.length + 1).split('/')[0] ?? path;
}

/** What commands in a room get so that they find these dependencies, and no files of the folder in which the agent works. */
export function foundEnvironment(
  { packages }: FoundDependencies,
  { dir, home }: { dir: string; home: string },
): Record<string, string> {
  if (!packages) return {};
  const user = packages.folders
    .map((folder) => /^(.*)\/lib\/python[\d.]+\/site-packages$/.exec(folder)?.[1])
    .find((base) => base?.endsWith('/.local'));
  return {
    PYTHONPYCACHEPREFIX: join(home, '.pycache'),
    ...(packages.paths.length > 0
      ? { PYTHONPATH: packages.paths.map((path) => join(dir, path)).join(':') }
      : {}),
    ...(user === undefined ? {} : { PYTHONUSERBASE: user }),
  };
}
