import { UsageError } from '../../engine/core/text/errors.ts';
import type { VerifyBase } from '../../engine/judging/verify.ts';
import type { Workspace } from '../../engine/ports/ports.ts';

/** Names of the branch that yours may have left, the likeliest first. */
const USUAL_BASES = ['@{upstream}', 'origin/HEAD', 'origin/main', 'origin/master'];

const SHALLOW =
  'this clone is shallow and lacks the commit that the work began with; get it with git fetch --unshallow (in CI: a checkout with the whole history), or name one that is here with --base';

async function resolved(workspace: Workspace, ...args: string[]): Promise<string | undefined> {
  const { exitCode, stdout } = await workspace.git(args);
  return exitCode === 0 ? stdout.trim() : undefined;
}

function commitOf(workspace: Workspace, name: string): Promise<string | undefined> {
  return resolved(workspace, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
}

async function isShallow(workspace: Workspace): Promise<boolean> {
  return (await resolved(workspace, 'rev-parse', '--is-shallow-repository')) === 'true';
}

/** The commit of a name that you gave. Throws when there is none. */
export async function givenCommit(workspace: Workspace, name: string): Promise<string> {
  const commit = await commitOf(workspace, name);
  if (commit !== undefined) return commit;
  const hint = (await isShallow(workspace))
    ? '; this clone is shallow: get the rest with git fetch --unshallow'
    : '';
  throw new UsageError(`"${name}" is no commit, branch or tag of this repository${hint}`);
}

/** The commit at which the work here left another one; undefined when they have nothing in common. */
export function leftAt(workspace: Workspace, commit: string): Promise<string | undefined> {
  return resolved(workspace, 'merge-base', 'HEAD', commit);
}

/** Finds the base: what you named, else where your branch left the shared one, else the last commit. */
export async function baseFrom(given: string | undefined, workspace: Workspace): Promise<VerifyBase> {
  const head = await commitOf(workspace, 'HEAD');
  let commit = given === undefined ? head : await givenCommit(workspace, given);
  if (commit === undefined) return {};
  for (const name of given === undefined ? USUAL_BASES : []) {
    const shared = await commitOf(workspace, name);
    const began = shared === undefined ? undefined : await leftAt(workspace, shared);
    if (began) {
      commit = began;
      break;
    }
  }
  const tree = await resolved(workspace, 'rev-parse', '--verify', '--quiet', `${commit}^{tree}`);
  const unknown =
    given === undefined && commit === head && (await isShallow(workspace)) ? SHALLOW : undefined;
  return { commit, tree, unknown };
}
