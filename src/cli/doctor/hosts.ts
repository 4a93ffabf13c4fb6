/** Other programs here that load hooks from `.claude/settings.json`, too. `client/hooks/other-host.ts` tells their events. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inOrder, type Looked, NOTHING, type Patient } from './finding.ts';

/** The folders and files by which a program can be seen: below the project or the home of the user. */
const HOSTS = {
  Cursor: ['.cursor'],
  'GitHub Copilot': ['.copilot', '.github/hooks', '.github/copilot-instructions.md'],
  Continue: ['.continue'],
  Devin: ['.devin', '.config/devin'],
};

export function lookAtHosts({ project, env, isUsed }: Pick<Patient, 'project' | 'env' | 'isUsed'>): Looked {
  const folders = [project, ...(env.HOME ? [env.HOME] : [])];
  const isThere = (signs: string[]) => signs.some((sign) => folders.some((f) => existsSync(join(f, sign))));
  const names = Object.entries(HOSTS).flatMap(([name, signs]) => (isThere(signs) ? [name] : []));
  if (!isUsed || names.length === 0) return NOTHING;
  return inOrder(
    `${names.join(', ')}: may run the hooks of Claude Code, too; untildone leaves such sessions alone`,
  );
}
