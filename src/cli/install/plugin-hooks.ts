import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { prepareHome } from '../../client/settings/files.ts';
import { pluginMark } from '../../home/event-turns.ts';
import { createHome, homeFrom } from '../../home/layout.ts';
import { thisProgram } from '../../home/program.ts';

/** Adds `plugin-hooks`, which the plugin calls when it is new on a machine or was updated. */
export function addPluginHooksCommand(cli: Command): void {
  cli
    .command('plugin-hooks', { hidden: true })
    .description('write what the hooks of the plugin run (the plugin calls this)')
    .action(() => {
      const home = homeFrom(process.env);
      createHome(home);
      prepareHome(home.root, thisProgram());
      // From now on, hooks of untildone expect others beside them.
      writeFileSync(pluginMark(home.root), 'untildone\n', { mode: 0o600 });
    });
}
