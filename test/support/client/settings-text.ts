import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface Hook {
  type: string;
  command: string;
  timeout?: number;
  statusMessage?: string;
}

export interface Settings {
  hooks: Record<string, { matcher?: string; hooks: Hook[] }[]>;
  env: Record<string, string>;
  [key: string]: unknown;
}

export const parse = (text: string) => JSON.parse(text.replace(/^\uFEFF/, '')) as Settings;

export function withoutHooks({ hooks: _hooks, ...others }: Settings): Record<string, unknown> {
  return others;
}

export const CAP = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP';

/** The events that are planned, in their order, with the seconds that each may take. */
export const TIMEOUTS = {
  Stop: 3600,
  SubagentStop: 3600,
  SessionStart: 60,
  SessionEnd: 10,
  StopFailure: 60,
  PreToolUse: 60,
  PermissionRequest: 60,
  PreCompact: 60,
  ConfigChange: 60,
  UserPromptSubmit: 60,
  TaskCreated: 3600,
  TaskCompleted: 3600,
  TeammateIdle: 3600,
  SubagentStart: 60,
};

export const STATUS = 'untildone checks whether the work is done';

const PLUGIN = resolve(import.meta.dirname, '../../../plugin');

/** Installs our plugin as Claude Code notes it, without switching it on. Returns its folder. */
export function installPlugin(claudeConfigDir: string, name = 'untildone@untildone'): string {
  const folder = join(claudeConfigDir, 'plugins', 'cache', name);
  cpSync(join(PLUGIN, 'hooks'), join(folder, 'hooks'), { recursive: true });
  mkdirSync(join(claudeConfigDir, 'plugins'), { recursive: true });
  const plugins = { [name]: [{ scope: 'user', installPath: folder }] };
  writeFileSync(join(claudeConfigDir, 'plugins/installed_plugins.json'), JSON.stringify({ plugins }));
  return folder;
}
