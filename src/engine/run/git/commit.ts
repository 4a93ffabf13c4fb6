/** Commits everything that a run has changed, as the user would. */
import { join, relative } from 'node:path';
import { settingsPath } from '../../client/settings/files.ts';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { decodeName, encodeName } from '../../project/trees/git-output.ts';
import { must, text, uncommittedIn } from './status.ts';
import { lastWords, type UserGit } from './user-git.ts';

export type Made =
  /** `changed`: a hook changed the commit, so it is not exactly what was judged. */
  | { kind: 'made'; commit: string; files: number; leftOut: string[]; changed?: true }
  | { kind: 'nothing'; leftOut: string[] }
  /** Most often by a hook. The work stays in the tree. */
  | { kind: 'refused'; why: string };

/** Hooks run tests and formatters. */
const COMMIT_MS = 15 * 60_000;
const ADD_MS = 5 * 60_000;

export async function commitAll(
  git: UserGit,
  folder: string,
  message: string,
  identity: Record<string, string>,
): Promise<Made> {
  const { paths, nested } = await uncommittedIn(git);
  const guarded = guardedIn(git.repository.top, folder);
  const leftOut = [...paths.filter((path) => guarded.includes(path)), ...nested];
  await stage(git, leftOut);
  if (
    (await git.quiet({ args: ['diff', '--cached', '--quiet', '--ignore-submodules=dirty'] })).exitCode === 0
  )
    return { kind: 'nothing', leftOut };
  const [before, judged] = [
    await nameOf(git, 'HEAD'),
    text(await must(git.quiet({ args: ['write-tree'] }), 'write-tree')),
  ];
  const why = await commitStaged(git, message, identity);
  const commit = await nameOf(git, 'HEAD');
  // The commit counts even if a hook that runs after it fails.
  if (commit === before) return { kind: 'refused', why };
  const changed = (await nameOf(git, 'HEAD^{tree}')) !== judged;
  return {
    kind: 'made',
    commit,
    files: await filesIn(git, commit),
    leftOut,
    changed: changed ? (true as const) : undefined,
  };
}

/** Returns the last output of git or of a hook. Whether there is a commit, HEAD tells. */
async function commitStaged(
  git: UserGit,
  message: string,
  identity: Record<string, string>,
): Promise<string> {
  const args = ['commit', '--quiet', '--no-gpg-sign', '--cleanup=whitespace', '--file=-'];
  try {
    const { exitCode, stderr } = await git.asUser({ args, input: message, timeoutMs: COMMIT_MS }, identity);
    return lastWords(stderr) || `git commit ended with ${exitCode}`;
  } catch (error) {
    return (error as Error).message;
  }
}

async function nameOf(git: UserGit, revision: string): Promise<string> {
  return text(await must(git.quiet({ args: ['rev-parse', '--verify', revision] }), 'rev-parse'));
}

/** The contract and the settings with the hooks: a run must not commit changes of them. */
function guardedIn(top: string, folder: string): string[] {
  return [...new Set([top, folder])].flatMap((place) =>
    [
      join(place, CONTRACT_FILE),
      ...(['project', 'local'] as const).map((scope) =>
        settingsPath(scope, { project: place, claudeConfigDir: '' }),
      ),
    ].map((path) => relative(top, path)),
  );
}

async function stage(git: UserGit, leftOut: readonly string[]): Promise<void> {
  const all = ['.', ...leftOut.map((path) => `:(top,exclude,literal)${path}`)];
  const fromInput = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  await must(
    git.quiet({ args: ['add', '--all', ...fromInput], input: nulSeparated(all), timeoutMs: ADD_MS }),
    'add',
  );
  const staged = leftOut.filter((path) => !path.endsWith('/'));
  if (staged.length === 0) return;
  // The session may have staged these files itself.
  const input = nulSeparated(staged.map((path) => `:(top,literal)${path}`));
  await must(git.quiet({ args: ['reset', '--quiet', ...fromInput], input }), 'reset');
}

function nulSeparated(names: readonly string[]): Buffer {
  return Buffer.concat(names.flatMap((name) => [encodeName(name), Buffer.from([0])]));
}

async function filesIn(git: UserGit, commit: string): Promise<number> {
  const args = ['diff-tree', '-r', '-z', '--no-commit-id', '--name-only', commit];
  return decodeName((await must(git.quiet({ args }), 'diff-tree')).stdout)
    .split('\0')
    .filter((name) => name !== '').length;
}
