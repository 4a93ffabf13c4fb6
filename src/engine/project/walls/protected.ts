/** What commands within walls may not change in a project that they may write to, whether it is there or not. */
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { namesIn } from '../../files/whole-file.ts';
import { isBelow, type Within } from './walls.ts';

/** What Claude Code follows, and what editors, shells and git run by themselves, in the folder of a project. */
const OF_PROJECT = [
  ...[CONTRACT_FILE, '.claude', '.mcp.json', 'CLAUDE.md', 'CLAUDE.local.md'],
  ...['.husky', '.envrc', '.vscode', '.idea', '.devcontainer', '.cursor'],
];

/** What the next user of git runs or believes, in a repository and in each of its submodules and worktrees. */
const OF_GIT = ['hooks', 'config', 'config.worktree', 'info/attributes'];
/** Files that lead git to another folder for all of these. */
const LEADS_GIT = ['commondir', 'gitdir'];

export interface Reach extends Pick<Within, 'writable' | 'readOnly' | 'absent'> {
  /** Takes back what a command made where nothing may be made, and returns its names. */
  putBack(): string[];
}

/** What a command in a project may write to. A folder of git is named itself: it could be moved away as a whole otherwise. */
export function reachIn(dir: string, others: readonly string[]): Reach {
  const git = join(dir, '.git');
  const isFolder = statOf(git)?.isDirectory() ?? false;
  const repositories = isFolder ? [git, ...repositoriesIn(join(git, 'modules'))] : [];
  const parts = isFolder ? [...repositories, ...repositoriesIn(join(git, 'worktrees'))] : [];
  for (const folder of repositories) make(folder);
  makeFolder(join(dir, '.claude'));
  const paths = [
    ...OF_PROJECT.map((name) => join(dir, name)),
    ...(isFolder ? hooksFolder(git, dir) : [git]),
    ...repositories.slice(1).flatMap(checkoutOf),
    ...parts.flatMap((folder) => [...OF_GIT, ...LEADS_GIT].map((name) => join(folder, name))),
  ];
  const before = paths.map((path) => ({ path, stat: statOf(path), link: linkAt(path) }));
  const absent = before.filter(({ stat }) => !stat).map(({ path }) => path);
  return {
    writable: [dir, ...repositories, ...others],
    readOnly: before.filter(({ stat }) => stat).map(({ path }) => path),
    absent,
    putBack() {
      const made = absent.filter((path) => statOf(path));
      for (const path of made) rmSync(path, { recursive: true, force: true });
      // A link is not held by what it leads to.
      const moved = before.filter(({ path, link }) => link !== undefined && linkAt(path) !== link);
      for (const { path, link = '' } of moved) {
        rmSync(path, { recursive: true, force: true });
        symlinkSync(link, path);
      }
      return [...made, ...moved.map(({ path }) => path)].map((path) => relative(dir, path));
    },
  };
}

/** Empty where it is missing, which means nothing to git, but is there to be held. */
function make(folder: string): void {
  makeFolder(join(folder, 'hooks'));
  makeFolder(join(folder, 'info'));
  for (const name of ['info/attributes', 'config.worktree']) {
    try {
      writeFileSync(join(folder, name), '', { flag: 'wx' });
    } catch {
      // It is there, or nobody can make it.
    }
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch {
    // It is there, or nobody can make it.
  }
}

const DEEPEST = 8;

/** The folders of git below a folder: a submodule may be named like a path. */
function repositoriesIn(folder: string, depth = 0): string[] {
  if (depth > DEEPEST) return [];
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    if (!statOf(path)?.isDirectory()) return [];
    const inner = repositoriesIn(join(path, 'modules'), depth + 1);
    return statOf(join(path, 'HEAD')) ? [path, ...inner] : repositoriesIn(path, depth + 1);
  });
}

/** The file by which the checkout of a submodule names its folder of git. */
function checkoutOf(module: string): string[] {
  const [folder] = namedIn(module, 'worktree');
  return folder === undefined ? [] : [join(resolve(module, folder), '.git')];
}

/** The folder of hooks that the settings of git name, when it lies in the project. */
function hooksFolder(git: string, dir: string): string[] {
  const folders = namedIn(git, 'hookspath').map((path) => resolve(dir, path));
  return folders.filter((folder) => folder !== dir && isBelow(folder, dir));
}

/** The values of a setting in a folder of git. */
function namedIn(git: string, setting: string): string[] {
  try {
    return readFileSync(join(git, 'config'), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [name = '', value] = [line.slice(0, line.indexOf('=')), line.split('=')[1]];
        const isIt =
          name
            .split(/[\s\]]/)
            .findLast((word) => word !== '')
            ?.toLowerCase() === setting;
        return isIt && value ? [value.split(/[#;]/, 1).join('').replaceAll('"', '').trim()] : [];
      });
  } catch {
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
