import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import type { Home } from '../../home/layout.ts';
import type { Guard } from '../../ports/ports.ts';
import { SCOPES, settingsPath } from './files.ts';
import { isStartedByPlugin } from './our-plugin.ts';
import { settingsProblem } from './settings-problem.ts';

export function sessionGuard(
  home: Home,
  claudeConfigDir: string,
  userHome: string,
  env: NodeJS.ProcessEnv,
): Guard {
  // Claude Code reads the settings of the folder it was started in, which may be a package of the project.
  const folders = (project: string) => [...new Set([project, env.CLAUDE_PROJECT_DIR || project])];
  const settingsOf = (project: string) =>
    folders(project).flatMap((folder) =>
      SCOPES.map((scope) => settingsPath(scope, { project: folder, claudeConfigDir })),
    );
  return {
    protectedPaths(project) {
      const names = new Map<string, string>([
        [join(project, CONTRACT_FILE), CONTRACT_FILE],
        [home.root, "untildone's own folder"],
        ...settingsOf(project).map((path): [string, string] => [path, 'the settings of Claude Code']),
      ]);
      // All these files lie in a few folders.
      const known = new Map<string, string>();
      // Both a link and its target are protected: removing the one does as much as changing the other.
      const real = new Map(
        [...names].flatMap(([path, what]) => [
          [resolveLinks(path, known), what],
          [join(resolveLinks(dirname(path), known), basename(path)), what],
        ]),
      );
      return { paths: [...real.keys()], what: (path) => real.get(path) ?? path };
    },
    resolve: (cwd, path) => resolveLinks(resolve(cwd, expanded(path, { ...env, HOME: userHome, PWD: cwd }))),
    hasContract: (project) => existsSync(join(project, CONTRACT_FILE)),
    settingsProblem(project) {
      const places = { project: env.CLAUDE_PROJECT_DIR || project, claudeConfigDir };
      return settingsProblem(settingsOf(project), () => isStartedByPlugin(places, env), env);
    },
  };
}

/** Expands `~` or a known variable at the start of a path, as the shell does. */
function expanded(path: string, env: NodeJS.ProcessEnv): string {
  return path.replace(
    /^(?:~|\$(\w+)|\$\{(\w+)\})(?=\/|$)/,
    (whole, plain?: string, braced?: string) => env[plain ?? braced ?? 'HOME'] ?? whole,
  );
}

const MOST_LINKS = 40;

/** Resolves links, even where they lead to something that does not exist yet. `known`: what was found at this moment. */
function resolveLinks(path: string, known = new Map<string, string>(), followed = 0): string {
  const before = known.get(path);
  if (before !== undefined) return before;
  const found = resolvedNow(path, known, followed);
  known.set(path, found);
  return found;
}

function resolvedNow(path: string, known: Map<string, string>, followed: number): string {
  const parent = dirname(path);
  if (isThere(path)) {
    try {
      return realpathSync.native(path);
    } catch {
      const target = followed < MOST_LINKS ? linkTarget(path) : undefined;
      if (target !== undefined) return resolveLinks(resolve(parent, target), known, followed + 1);
    }
  }
  return parent === path ? path : join(resolveLinks(parent, known, followed), basename(path));
}

/** Most of these files do not exist, and an error costs more than a look. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
