/** What you type next. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asFields } from '../../client/fields.ts';
import { SCOPES, settingsPath } from '../../client/settings/files.ts';
import { parsedSettings } from '../../client/settings/guard.ts';
import type { Contract } from '../../core/contract/contract.ts';
import { asksForSandbox } from '../../core/run/client-sandbox.ts';
import { quoteForShell } from '../../core/shell/words.ts';
import { realPath } from '../../home/layout.ts';
import { claudeConfigDir } from '../../hook/wiring/project.ts';

/** How you call untildone: `npx` puts it on PATH only for itself. */
export function ourCommand(env: NodeJS.ProcessEnv): string {
  return env.npm_command === 'exec' || env.npm_lifecycle_event === 'npx' ? 'npx untildone' : 'untildone';
}

/** The commands to a held session, from this folder. */
export function nextSteps(project: string, { sandbox }: Contract, env: NodeJS.ProcessEnv): string[] {
  const go = realPath(process.cwd()) === project ? '' : `cd ${quoteForShell(project)} && `;
  const us = ourCommand(env);
  const prompt = hasPlugin(project, env)
    ? '/untildone:loop what is to be done'
    : asksForSandbox(sandbox)
      ? `! ${us} start "what is to be done"`
      : `Run ${us} start "what is to be done", then do it.`;
  return [
    `Next: ${go}claude`,
    `  and type there: ${prompt}`,
    `Or let it run by itself, over as many sessions as it takes: ${go}${us} run "what is to be done"`,
  ];
}

/** Whether the plugin of untildone, with its slash commands, is switched on. */
function hasPlugin(project: string, env: NodeJS.ProcessEnv): boolean {
  const places = { project, claudeConfigDir: claudeConfigDir(env) };
  return SCOPES.some((scope) => {
    const { enabledPlugins } = parsedSettings(textAt(settingsPath(scope, places))) as {
      enabledPlugins?: unknown;
    };
    return Object.entries(asFields(enabledPlugins) ?? {}).some(
      ([name, isOn]) => name.startsWith('untildone@') && isOn === true,
    );
  });
}

function textAt(path: string): string {
  try {
    return readFileSync(join(path), 'utf8');
  } catch {
    return '';
  }
}
