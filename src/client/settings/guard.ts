import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { readSmall } from '../../files/whole-file.ts';
import type { Home } from '../../home/layout.ts';
import type { Guard } from '../../ports/ports.ts';
import { SCOPES, settingsPath } from './files.ts';
import { misshapenSetting } from './forms.ts';
import { isStartedByPlugin } from './our-plugin.ts';
import { callsUs, NEEDED, ourHooksIn, parsedSettings, type Settings } from './settings.ts';
import { harmfulVariable } from './variables.ts';

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
      // Both a link and its target are protected: removing the one does as much as changing the other.
      const real = new Map(
        [...names].flatMap(([path, what]) => [
          [resolveLinks(path), what],
          [join(resolveLinks(dirname(path)), basename(path)), what],
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

/** Resolves links, even where they lead to something that does not exist yet. */
function resolveLinks(path: string, followed = 0): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    const target = followed < MOST_LINKS ? linkTarget(path) : undefined;
    if (target !== undefined) return resolveLinks(resolve(parent, target), followed + 1);
    return parent === path ? path : join(resolveLinks(parent, followed), basename(path));
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

interface SettingsAt {
  path: string;
  settings: Settings;
}

/** Settings that switch hooks off, in the words of Claude Code. It reads the last two from an organization alone, today. */
const SWITCHES = ['disableAllHooks', 'allowManagedHooksOnly', 'strictPluginOnlyCustomization'] as const;

function settingsProblem(
  paths: readonly string[],
  isHeldByPlugin: () => boolean,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const files = paths.map((path): SettingsAt => ({ path, settings: parsedSettings(readText(path)) }));
  for (const { path, settings } of files) {
    const off = SWITCHES.find((name) => isOn(settings[name]));
    if (off) return `"${off}" in ${path} would switch ${off === SWITCHES[0] ? 'all hooks' : 'our hooks'} off`;
    const name = harmfulVariable(settings.env, env);
    if (name) return `"${name}" in the env of ${path} would change what the hooks do`;
    const misshapen = ourHooksIn(settings).length > 0 ? misshapenSetting(settings) : undefined;
    if (misshapen)
      return `"${misshapen}" in ${path} has a wrong form, so Claude Code would take nothing from that file, the hooks included`;
  }
  const missing = NEEDED.filter((event) => !files.some(({ settings }) => callsUs(settings, event)));
  if (missing.length === 0 || isHeldByPlugin()) return undefined;
  if (missing.length === NEEDED.length) return 'the hooks of untildone were removed from the settings';
  return `the hooks of untildone for ${missing.join(' and ')} were removed from the settings, or changed`;
}

/** A list names what it is about. */
function isOn(value: unknown): boolean {
  return value === true || (Array.isArray(value) && value.includes('hooks'));
}

function readText(path: string): string {
  try {
    return readSmall(path) ?? '';
  } catch {
    return '';
  }
}
