import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { readSmall } from '../../files/whole-file.ts';
import { isOtherToolsLine, isOurLine } from '../../home/hook-line.ts';
import type { Home } from '../../home/layout.ts';
import type { Guard } from '../../ports/ports.ts';
import { SCOPES, settingsPath } from './files.ts';

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
    settingsProblem: (project) => settingsProblem(settingsOf(project), env),
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

/** The hooks that have to stay: they hold a session, protect the contract, and report changed settings. */
const NEEDED = ['Stop', 'PreToolUse', 'ConfigChange'];
/** A shorter timeout counts as a disabled hook, because Claude Code would end it before it has judged. */
const SHORTEST_TIMEOUT_S = 60;

export interface Settings {
  disableAllHooks?: unknown;
  /** In settings that an organization manages: hooks of others do not run. */
  allowManagedHooksOnly?: unknown;
  strictPluginOnlyCustomization?: unknown;
  env?: unknown;
  hooks?: unknown;
  enabledPlugins?: unknown;
}

function settingsProblem(paths: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const files = paths.map((path) => ({ path, settings: parsedSettings(readText(path)) }));
  const off = files.find(({ settings }) => settings.disableAllHooks === true);
  if (off) return `"disableAllHooks" in ${off.path} would switch all hooks off`;
  for (const { path, settings } of files) {
    const name = harmfulVariable(settings.env, env);
    if (name) return `"${name}" in the env of ${path} would change what the hooks do`;
  }
  // A hook of the plugin started this process, so its hooks are there. Not every way to load a plugin is in the settings.
  if (env.CLAUDE_PLUGIN_ROOT) return undefined;
  const missing = NEEDED.filter((event) => !files.some(({ settings }) => callsUs(settings, event)));
  if (missing.length === NEEDED.length) return 'the hooks of untildone were removed from the settings';
  return missing.length === 0
    ? undefined
    : `the hooks of untildone for ${missing.join(' and ')} were removed from the settings, or changed`;
}

/** Whether these settings switch the plugin on. Its hooks are in a file of its own. */
function enablesPlugin({ enabledPlugins }: Settings): boolean {
  const plugins = Object.entries((enabledPlugins ?? {}) as Record<string, unknown>);
  return plugins.some(([id, on]) => id.startsWith('untildone@') && Boolean(on));
}

/**
 * Whether a hook of ours is there, by the plugin or as install writes it. With a condition, in the background or with a short
 * timeout it does nothing.
 */
export function callsUs(settings: Settings, event: string): boolean {
  if (enablesPlugin(settings)) return true;
  return listIn(settings.hooks, event).some((group) => {
    const { matcher } = group as { matcher?: unknown };
    const seesTools =
      event !== 'PreToolUse' || matcher === undefined || /^Bash\|.*Write/.test(String(matcher));
    return seesTools && listIn(group, 'hooks').some(isWholeHook);
  });
}

function isWholeHook(hook: unknown): boolean {
  const { type, command, timeout, statusMessage: _shown, ...more } = (hook ?? {}) as Record<string, unknown>;
  return (
    type === 'command' &&
    typeof command === 'string' &&
    isOurLine(command) &&
    !isOtherToolsLine(command) &&
    (timeout === undefined || Number(timeout) >= SHORTEST_TIMEOUT_S) &&
    Object.keys(more).length === 0
  );
}

function listIn(value: unknown, name: string): unknown[] {
  const list = (value as Record<string, unknown> | null | undefined)?.[name];
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : [];
}

/**
 * Variables that must not be set by settings, because our hooks and their gates get them: they move our home, bring back
 * Claude Code's cap on blocks, or replace the programs that judge.
 */
const HARMFUL =
  /^(?:UNTILDONE_|CLAUDE_(?:CODE_STOP_HOOK_BLOCK_CAP|CODE_SESSION_ID|PROJECT_DIR|PID)$|(?:HOME|PATH|ENV|BASH_ENV)$|NODE_(?!EXTRA_CA_CERTS$)|LD_|DYLD_|GIT_)/;

function harmfulVariable(given: unknown, env: NodeJS.ProcessEnv): string | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  return Object.entries(given).find(
    ([name, value]) => HARMFUL.test(name) && String(value) !== env[name],
  )?.[0];
}

function readText(path: string): string {
  try {
    return readSmall(path) ?? '';
  } catch {
    return '';
  }
}

/** Takes nothing from a text that is not JSON, as Claude Code does. */
export function parsedSettings(text: string): Settings {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
