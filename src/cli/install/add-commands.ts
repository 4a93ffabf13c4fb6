import type { Command } from 'commander';
import { scopeFlag } from '../flags.ts';
import { later } from '../later.ts';

export function addInstallCommands(cli: Command): void {
  cli
    .command('install')
    .description('add the hooks of untildone to the settings of Claude Code, and say what changes')
    .addOption(scopeFlag())
    .option('--dry-run', 'show every line that would change, write nothing', false)
    .option('--diff', 'show every line that changes', false)
    .option(
      '--statusline',
      "show the loop in Claude Code's status line, unless you have one of your own",
      false,
    )
    .action(later(async () => (await import('./commands.ts')).installHere));
  cli
    .command('uninstall')
    .description('remove the hooks of untildone from the settings of Claude Code, and restore what was there')
    .addOption(scopeFlag())
    .option('--dry-run', 'show every line that would change, write nothing', false)
    .option('--diff', 'show every line that changes', false)
    .action(later(async () => (await import('./commands.ts')).uninstallHere));
}

/** Adds `plugin-hooks`, which the plugin calls when it is new on a machine or was updated. */
export function addPluginHooksCommand(cli: Command): void {
  cli
    .command('plugin-hooks', { hidden: true })
    .description('write what the hooks of the plugin run (the plugin calls this)')
    .action(later(async () => (await import('./plugin-hooks.ts')).pluginHooks));
}
