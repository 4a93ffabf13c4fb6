import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CONTRACT_FILE } from '../core/contract.ts';
import type { Guard } from '../ports.ts';
import { isOurLine } from '../wire/hook-line.ts';
import { readSmall } from './atomic-file.ts';
import type { Home } from './home.ts';
import { type Scope, settingsPath } from './settings-files.ts';

const SCOPES: Scope[] = ['project', 'local', 'user'];

export function sessionGuard(
  home: Home,
  claudeConfigDir: string,
  userHome: string,
  env: NodeJS.ProcessEnv,
): Guard {
  const settingsOf = (project: string) =>
    SCOPES.map((scope) => settingsPath(scope, { project, claudeConfigDir }));
  return {
    protectedPaths(project) {
      const names = new Map<string, string>([
        [join(project, CONTRACT_FILE), CONTRACT_FILE],
        [home.root, "untildone's own folder"],
        ...settingsOf(project).map((path): [string, string] => [path, 'the settings of Claude Code']),
      ]);
      const real = new Map([...names].map(([path, what]) => [resolveLinks(path), what]));
      return { paths: [...real.keys()], what: (path) => real.get(path) ?? path };
    },
    resolve: (cwd, path) =>
      resolveLinks(resolve(cwd, path.replace(/^(~|\$HOME|\$\{HOME\})(?=\/|$)/, userHome))),
    settingsProblem: (project) => settingsProblem(settingsOf(project), env),
  };
}

/** Resolves links of the part of a path that exists: a file that is about to be made has none itself. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path
      ? path
      : join(resolveLinks(parent), path.slice(parent === '/' ? 1 : parent.length + 1));
  }
}

function settingsProblem(paths: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const files = paths.map((path) => {
    const text = readText(path);
    return { path, text, settings: parsed(text) };
  });
  const off = files.find(({ settings }) => settings.disableAllHooks === true);
  if (off) return `"disableAllHooks" in ${off.path} would switch the hooks off`;
  for (const { path, settings } of files) {
    const name = bentVariable(settings.env, env);
    if (name) return `"${name}" in the env of ${path} would bend what the hooks do`;
  }
  if (!files.some(({ text }) => isOurLine(text)))
    return 'the hooks of untildone were taken out of the settings';
  return undefined;
}

const CAP = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP';

/** Settings hand variables to our hooks: one that moves our home, or brings the client's cap back, is no setting. */
function bentVariable(given: unknown, env: NodeJS.ProcessEnv): string | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  return Object.entries(given).find(
    ([name, value]) => (name.startsWith('UNTILDONE_') || name === CAP) && String(value) !== env[name],
  )?.[0];
}

function readText(path: string): string {
  try {
    return readSmall(path) ?? '';
  } catch {
    return '';
  }
}

function parsed(text: string): { disableAllHooks?: unknown; env?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
