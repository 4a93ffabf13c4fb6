import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { realPath } from '../adapters/home.ts';

const SIGNS = ['untildone.yaml', '.claude', '.git'];

/**
 * The project of a call: what SessionStart recorded, else the client's own variable, else the nearest folder upwards
 * that looks like a project. So `cd`, worktrees and packages of a monorepo do not move it.
 */
export function projectOf(recorded: string | undefined, env: NodeJS.ProcessEnv, cwd: string): string {
  return realPath(recorded || env.CLAUDE_PROJECT_DIR || nearest(cwd, env.HOME) || cwd);
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
  return env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude');
}
