/** An older Claude Code, from the package registry: it weighs 240 MB, so only long runs fetch it, once. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CACHE = resolve(import.meta.dirname, '../../../node_modules/.cache/older-clients');

/** The last version of the Agent SDK whose Claude Code, 2.1.286, knows no hooks modules. */
export const BEFORE_MODULES = '0.3.286';

/** Its Claude Code, 2.1.110, does not know the event UserPromptExpansion. */
export const BEFORE_EXPANSION = '0.2.110';

/** The program: UNTILDONE_OLD_CLIENT, or the one of this version of the Agent SDK. */
export function olderClient(version: string): string {
  const given = process.env.UNTILDONE_OLD_CLIENT;
  if (given) return given;
  const folder = join(CACHE, version);
  if (!existsSync(folder)) {
    const fresh = `${folder}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    const name = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}@${version}`;
    const archive = execFileSync('npm', ['pack', '--silent', name], { cwd: fresh, encoding: 'utf8' }).trim();
    execFileSync('tar', ['xzf', archive], { cwd: fresh });
    renameSync(fresh, folder);
  }
  return join(folder, 'package', 'claude');
}
