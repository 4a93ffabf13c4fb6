/** Answers what tool rules ask: which paths a word means, what is in a folder, what git has not saved. */
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { withBraces, withVariables } from '../core/shell/variables.ts';
import { shellWildcards, wildcardMatcher, withoutCase } from '../core/text/wildcards.ts';
import type { ToolPlace, Variables } from '../core/tools/tool-rules.ts';
import { namesIn } from '../files/whole-file.ts';
import { findUserRepository, runUserGitSync, type UserRepository } from './trees/user-repository.ts';

const MOST_ENTRIES = 5000;
const MOST_SPELLINGS = 500;
const MOST_LINKS = 40;
const GIT_MS = 5000;

const NO_VARIABLES: Variables = new Map();

/** Folders that a build or an install makes again: removing them loses nothing. */
const DERIVED =
  /^(?:node_modules|bower_components|dist|build|out|target|coverage|\.next|\.nuxt|\.svelte-kit|\.turbo|\.cache|\.parcel-cache|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.venv|venv|\.gradle)$/i;

export function toolPlace(project: string, cwd: string, userHome: string, env: NodeJS.ProcessEnv): ToolPlace {
  const spelled = new WeakMap<Variables, Map<string, readonly string[]>>();
  const links = new Links();
  let repository: UserRepository | undefined | 'unknown' = 'unknown';
  const here = () => {
    if (repository === 'unknown') repository = findUserRepository(project);
    return repository;
  };
  return {
    roots: [...new Set([resolve(project), links.real(resolve(project))])],
    home: userHome,
    spellings(written, variables = NO_VARIABLES) {
      const known = spelled.get(variables) ?? new Map<string, readonly string[]>();
      spelled.set(variables, known);
      const found = known.get(written) ?? spellingsOf(written, { cwd, userHome, env, variables, links });
      known.set(written, found);
      return found;
    },
    inside: (folder) => listed(folder),
    gitFolders() {
      const found = here();
      return found ? [...new Set([join(found.top, '.git'), found.gitDir, found.commonDir])] : [];
    },
    worktrees: () => worktreesOf(here(), links.real(resolve(project))),
    // A session, or a subagent of it, may work in a worktree of its own: git would lose what is in that one.
    branch: () => branchIn(findUserRepository(cwd) ?? here()),
    uncommitted: () => uncommittedIn(findUserRepository(cwd) ?? here()),
  };
}

interface Around {
  cwd: string;
  userHome: string;
  env: NodeJS.ProcessEnv;
  variables: Variables;
  links: Links;
}

function spellingsOf(written: string, around: Around): string[] {
  const { cwd, userHome, env, variables } = around;
  if (written.includes('\0')) return [];
  const valuesOf = (name: string): readonly string[] | undefined => {
    const value = name === 'HOME' ? userHome : name === 'PWD' ? cwd : env[name];
    return variables.get(name) ?? (value === undefined ? undefined : [value]);
  };
  const words = withBraces(written)
    .flatMap((word) => withVariables(word, valuesOf))
    .map((word) => word.replace(/^~(?=\/|$)/, userHome));
  const paths = words.flatMap((word) => [word, ...expandedGlob(word, cwd)]).slice(0, MOST_SPELLINGS);
  const whole = paths.map((path) => (isAbsolute(path) ? path : `${cwd}/${path}`));
  return [...new Set(whole.flatMap((path) => readings(path, around.links)))];
}

/** All paths that one path may mean: as written, after each link at its end, without links, as the system walks it. */
function readings(path: string, links: Links): string[] {
  const called = resolve(path);
  const found = [called];
  let next: string | undefined = called;
  for (let followed = 0; next !== undefined && followed < MOST_LINKS; followed++) {
    const place: string = join(links.real(dirname(next)), basename(next));
    found.push(place);
    const target = links.target(place);
    next = target === undefined ? undefined : resolve(dirname(place), target);
  }
  return [...found, links.real(called), links.walked(path)];
}

/** Looks up where links lead, once each: a command line can have thousands of words in a few folders. */
class Links {
  private readonly targets = new Map<string, string | undefined>();
  private readonly reals = new Map<string, string>();

  target(path: string): string | undefined {
    if (this.targets.has(path)) return this.targets.get(path);
    const target = targetOf(path);
    this.targets.set(path, target);
    return target;
  }

  /** The path without links, even where they lead to something that does not exist yet. */
  real(path: string, followed = 0): string {
    const known = this.reals.get(path);
    if (known !== undefined) return known;
    const parent = dirname(path);
    if (parent === path) return path;
    const place = join(this.real(parent, followed), basename(path));
    const target = followed < MOST_LINKS ? this.target(place) : undefined;
    const found = target === undefined ? place : this.real(resolve(dirname(place), target), followed + 1);
    this.reals.set(path, found);
    return found;
  }

  /** The path as the system walks it: `..` after a link leaves the link's target. */
  walked(path: string): string {
    return path.split('/').reduce((at, part) => {
      if (part === '' || part === '.') return at;
      return part === '..' ? dirname(at) : this.real(join(at, part));
    }, '/');
  }
}

function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** The paths that a shell puts in place of a word with wildcards; hidden names only where the word has the dot. */
function expandedGlob(word: string, cwd: string): string[] {
  if (!/[*?[]/.test(word)) return [];
  const parts = resolve(cwd, word).split('/').slice(1);
  let folders = ['/'];
  for (const part of parts) {
    if (folders.length === 0) return [];
    const pattern = /[*?[]/.test(part) ? patternOf(part) : undefined;
    folders = folders
      .flatMap((folder) =>
        pattern
          ? namesIn(folder)
              .slice(0, MOST_ENTRIES)
              .filter((name) => pattern(name) && (part.startsWith('.') || !name.startsWith('.')))
              .map((name) => join(folder, name))
          : [join(folder, part)],
      )
      .slice(0, MOST_SPELLINGS);
  }
  return folders.filter((path) => existsSync(path));
}

function patternOf(part: string): (name: string) => boolean {
  const fits = wildcardMatcher(shellWildcards(withoutCase(part)));
  return (name) => fits(withoutCase(name));
}

/** The paths below a folder, nearest first. Of a `.git` folder only its own entries. */
function listed(folder: string): string[] {
  if (DERIVED.test(basename(folder))) return [];
  const found: string[] = [];
  const open = [folder];
  for (let next = open.shift(); next !== undefined && found.length < MOST_ENTRIES; next = open.shift()) {
    for (const entry of entriesOf(next)) {
      const path = join(next, entry.name);
      found.push(path);
      const goesOn = entry.isDirectory() && !DERIVED.test(entry.name) && basename(next) !== '.git';
      if (goesOn) open.push(path);
    }
  }
  return found.slice(0, MOST_ENTRIES);
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The project's folder in every other worktree, as git records them. */
function worktreesOf(repository: UserRepository | undefined, project: string): string[] {
  if (!repository) return [];
  const { commonDir, top } = repository;
  const noted = namesIn(join(commonDir, 'worktrees'))
    .slice(0, MOST_ENTRIES)
    .flatMap((name) => {
      try {
        return [
          readFileSync(join(commonDir, 'worktrees', name, 'gitdir'), 'utf8')
            .slice(0, 5000)
            .trim(),
        ];
      } catch {
        return [];
      }
    });
  const below = relative(realpathSync.native(top), project);
  return [commonDir, ...noted]
    .filter((path) => isAbsolute(path) && basename(path) === '.git')
    .flatMap((path) => [dirname(path), realOr(dirname(path))])
    .map((tree) => join(tree, below))
    .filter((folder, i, all) => folder !== project && all.indexOf(folder) === i);
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function branchIn(repository: UserRepository | undefined): string | undefined {
  if (!repository) return undefined;
  try {
    const head = readFileSync(join(repository.gitDir, 'HEAD'), 'utf8').slice(0, 1000);
    return /^ref: refs\/heads\/(.+)\n?$/.exec(head)?.[1];
  } catch {
    return undefined;
  }
}

/** Whether there is uncommitted work. This runs git, so only rules about commands that destroy such work ask. */
function uncommittedIn(repository: UserRepository | undefined): ReturnType<ToolPlace['uncommitted']> {
  if (!repository) return undefined;
  const args = ['status', '--porcelain=v1', '-z', '--untracked-files=normal'];
  const { exitCode, stdout } = runUserGitSync(repository, realpathSync.native(repository.top), args, GIT_MS);
  if (exitCode !== 0) return undefined;
  const entries = stdout.split('\0').filter((entry) => entry !== '');
  const isNew = (entry: string) => entry.startsWith('??');
  return { changed: entries.some((entry) => !isNew(entry)), untracked: entries.some(isNew) };
}
