import type { Workspace } from '../../ports/ports.ts';
import { decodeName } from './git-output.ts';
import { findUserRepository, runUserGit } from './user-repository.ts';

/** Runs git on the repository that holds a folder. Where none does, git's answer is given without a process. */
export function gitIn(root: string): Workspace['git'] {
  return async (args, signal, more) => {
    const repository = findUserRepository(root);
    if (!repository) return { exitCode: 128, stdout: '', stderr: `fatal: not a git repository: ${root}` };
    const result = await runUserGit(repository, root, { args, signal, ...more });
    if (result.cut) throw new Error(`git ${args[0]} printed more than untildone can hold in memory`);
    return { exitCode: result.exitCode, stdout: decodeName(result.stdout), stderr: result.stderr };
  };
}
