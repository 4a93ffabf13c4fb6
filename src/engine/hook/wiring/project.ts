import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { userHome } from '../../files/system.ts';
import { realPath } from '../../home/layout.ts';

const SIGNS = [CONTRACT_FILE, '.claude', '.git'];

/**
 * The project of a hook call: what SessionStart recorded, else Claude Code's variable, else the nearest folder above that
 * looks like a project. So `cd`, worktrees and packages of a monorepo do not change it.
 */
export function projectOf(recorded: string | undefined, env: NodeJS.ProcessEnv, cwd: string): string {
  const folder = folderOf(recorded, env, cwd);
  return realPath(contractAbove(folder, env.HOME) ?? folder);
}

/** The folder that a session was started in. Foreign state lies there, wherever the contract is. */
export function sessionFolder(recorded: string | undefined, env: NodeJS.ProcessEnv, cwd: string): string {
  return realPath(folderOf(recorded, env, cwd));
}

function folderOf(recorded: string | undefined, env: NodeJS.ProcessEnv, cwd: string): string {
  return recorded || env.CLAUDE_PROJECT_DIR || nearest(cwd, env.HOME) || cwd;
}

/** The nearest folder above with a contract, inside the repository: a package uses the contract of its repository. */
function contractAbove(from: string, homeFolder: string | undefined): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, CONTRACT_FILE))) return folder;
    if (existsSync(join(folder, '.git')) || folder === homeFolder || dirname(folder) === folder)
      return undefined;
  }
}

/** The nearest folder above that looks like a project. Every home folder has `.claude`, so that alone makes no project. */
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
