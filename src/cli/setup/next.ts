/** What you type next. */
import { ourPlugin } from '../../engine/client/settings/our-plugin.ts';
import type { Contract } from '../../engine/core/contract/contract.ts';
import { asksForSandbox } from '../../engine/core/run/client-sandbox.ts';
import { quoteForShell } from '../../engine/core/shell/words.ts';
import { realPath } from '../../engine/home/layout.ts';
import { claudeConfigDir } from '../../engine/hook/wiring/project.ts';

/** How you call untildone: `npx` puts it on PATH only for itself. */
export function ourCommand(env: NodeJS.ProcessEnv): string {
  return env.npm_command === 'exec' || env.npm_lifecycle_event === 'npx' ? 'npx untildone' : 'untildone';
}

/** The commands to a held session, from this folder. */
export function nextSteps(project: string, { sandbox }: Contract, env: NodeJS.ProcessEnv): string[] {
  const go = realPath(process.cwd()) === project ? '' : `cd ${quoteForShell(project)} && `;
  const us = ourCommand(env);
  const prompt = ourPlugin({ project, claudeConfigDir: claudeConfigDir(env) })
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
