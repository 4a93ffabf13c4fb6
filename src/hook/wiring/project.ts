import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { userHome } from '../../files/system.ts';
import { realPath } from '../../home/layout.ts';

const SIGNS = [CONTRACT_FILE, '.claude', '.git'];

/**
 * The project of a call: what SessionStart recorded, else the client's own variable, else the nearest folder upwards
 * that looks like a project. So `cd`, worktrees and packages of a monorepo do not move it.
 */
export function projectOf(recorded: string | undefined, env: NodeJS.ProcessEnv, cwd: string): string {
  const folder = folderOf(recorded, env, cwd);
  return realPath(contractAbove(folder, env.HOME) ?? folder);
}

/** The folder that a session was started in: foreign state lies there, wherever the contract is. */
export function sessionFolder(recorded: string | undefined, env: NodeJS.ProcessEnv, cwd: string): string {
  return realPath(folderOf(recorded, env, cwd));
}

function folderOf(recorded: string | undefined, env: NodeJS.ProcessEnv, cwd: string): string {
  return recorded || env.CLAUDE_PROJECT_DIR || nearest(cwd, env.HOME) || cwd;
}

/** A package of a repository obeys the contract of the repository, wherever in it a session or a shell was started. */
function contractAbove(from: string, homeFolder: string | undefined): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, CONTRACT_FILE))) return folder;
    if (existsSync(join(folder, '.git')) || folder === homeFolder || dirname(folder) === folder)
      return undefined;
  }
}

/** The home folder holds `.claude` for everyone: it is no project because of that. */
function nearest(from: string, homeFolder: string | undefined): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const signs = folder === homeFolder ? SIGNS.filter((s) => s !== '.claude') : SIGNS;
    if (signs.some((sign) => existsSync(join(folder, sign)))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Where Claude Code keeps its user settings and transcripts. */
export function claudeConfigDir(env: NodeJS.ProcessEnv): string {
  return env.CLAUDE_CONFIG_DIR || join(userHome(env), '.claude');
}
