/** The checkout that a person stands in when they submit without naming a repository. */
import { relative } from 'node:path';
import { UsageError } from '../../engine/core/text/errors.ts';
import { slashed } from '../../engine/files/platform.ts';
import { realPath } from '../../engine/home/layout.ts';
import { findUserRepository, runUserGit } from '../../engine/project/trees/user-repository.ts';
import { repoUrl } from '../remote/repo-url.ts';

export interface Checkout {
  repo: string;
  ref: string;
  /** The folder that the person is in; absent at the top. */
  folder?: string;
  /** What is here and not in the commit that the run begins at. */
  notes(commit: string): string[];
}

export async function checkoutHere(cwd: string, ref: string | undefined): Promise<Checkout> {
  const top = await said(cwd, ['rev-parse', '--show-toplevel']);
  if (top === undefined)
    throw new UsageError(
      'no repository is named, and this folder is in none: type --repo https://host/owner/name.git',
    );
  const origin = await said(cwd, ['remote', 'get-url', 'origin']);
  if (origin === undefined)
    throw new UsageError(`${top} has no remote called origin: type --repo https://host/owner/name.git`);
  const branch = await said(cwd, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const head = await said(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  const upstream = branch && (await said(cwd, ['config', '--get', `branch.${branch}.merge`]));
  const changed = await said(cwd, ['status', '--porcelain', '--untracked-files=no']);
  const folder = slashed(relative(realPath(top), realPath(cwd)));
  const repo = repoUrl(origin, top);
  return {
    repo,
    ref: ref ?? upstream?.replace(/^refs\/heads\//, '') ?? branch ?? 'HEAD',
    ...(folder === '' ? {} : { folder }),
    notes: (commit) => [
      `the repository is origin of this checkout${folder === '' ? '' : `, and the project is in ${folder}`}`,
      ...(ref === undefined && head !== undefined && head !== commit
        ? [
            `the run begins at ${commit.slice(0, 10)}, which the remote has: what you have here (${head.slice(0, 10)}) is not pushed`,
          ]
        : []),
      ...(changed ? ['there are changes here that are not committed: the run does not have them'] : []),
    ],
  };
}

/** What git prints; undefined where it fails. */
async function said(cwd: string, args: readonly string[]): Promise<string | undefined> {
  const repository = findUserRepository(cwd);
  if (!repository) return undefined;
  const { exitCode, stdout } = await runUserGit(repository, cwd, { args });
  const text = stdout.toString('utf8').trim();
  return exitCode === 0 && text !== '' ? text : undefined;
}
