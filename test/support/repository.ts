/** Copies of repositories that git made once for all tests: a copy is cheaper than the processes that make one. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shared } from './shared.ts';

// Without the samples of hooks, of which every copy would carry along a dozen.
const INIT = ['init', '--quiet', '--initial-branch=main', '--template='];
const IDENTITY = [
  '-c',
  'user.name=Test',
  '-c',
  'user.email=test@localhost',
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
];

/** Makes a folder a repository with the branch main and no commit. */
export function initRepository(folder: string): void {
  const template = shared('repository', (made) => void execFileSync('git', [...INIT, made]));
  cpSync(join(template, '.git'), join(folder, '.git'), { recursive: true });
}

/** `project`, with one commit of `a.txt`, and `origin.git`, a bare repository that has it. */
function committed(): string {
  return shared('committed', (made) => {
    const git = (...args: string[]) => execFileSync('git', [...IDENTITY, ...args], { cwd: made });
    git(...INIT, 'project');
    writeFileSync(join(made, 'project', 'a.txt'), 'one\n');
    git('-C', 'project', 'add', '--all');
    git('-C', 'project', 'commit', '--quiet', '-m', 'first');
    git('clone', '--quiet', '--bare', '--template=', 'project', 'origin.git');
    git('-C', 'origin.git', 'remote', 'remove', 'origin');
  });
}

/** Makes a folder a repository with one commit, of `a.txt`, on main. */
export function initCommitted(folder: string): void {
  cpSync(join(committed(), 'project'), folder, { recursive: true });
  // The index names files by inode and time, too.
  execFileSync('git', ['update-index', '--refresh'], { cwd: folder, stdio: 'pipe' });
}

/** Gives a repository of `initCommitted` an origin: a bare repository that has its main, which follows it. */
export function addOrigin(folder: string, origin: string): void {
  const template = join(committed(), 'origin.git');
  cpSync(template, origin, { recursive: true });
  const remote = `[remote "origin"]\n\turl = ${origin}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
  const branch = '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n';
  appendFileSync(join(folder, '.git', 'config'), remote + branch);
  const first = readFileSync(join(committed(), 'project/.git/refs/heads/main'), 'utf8');
  mkdirSync(join(folder, '.git/refs/remotes/origin'), { recursive: true });
  writeFileSync(join(folder, '.git/refs/remotes/origin/main'), first);
  if (readFileSync(join(folder, '.git/refs/heads/main'), 'utf8') !== first)
    execFileSync('git', ['push', '--quiet', 'origin', 'main'], { cwd: folder, stdio: 'pipe' });
}

/** Commits everything that is in a repository. */
export function commitAll(folder: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', [...IDENTITY, ...args], { cwd: folder, stdio: 'pipe' });
  git('add', '--all');
  git('commit', '--quiet', '-m', 'all');
}
