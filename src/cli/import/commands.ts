import { type Command, Option } from 'commander';
import { ownerFrom } from '../../hook/start/inputs.ts';
import { refuseInsideClient } from '../../hook/start/person.ts';
import { openWorld, openWorldToRead } from '../../hook/wiring/world.ts';
import { confirm, onTerminal, out } from '../../terminal/print.ts';
import { trust } from '../contract/trust.ts';
import { IMPORTABLE, importFrom, undoImport } from './import.ts';
import type { ImportOptions } from './report.ts';

interface ImportFlags extends Pick<ImportOptions, 'from' | 'session' | 'dryRun' | 'yes' | 'keepHooks'> {
  undo: boolean;
}

export function addImportCommands(cli: Command): void {
  cli
    .command('import')
    .description(
      'make a contract, and a loop, of what another system left here; without --from: show what can be imported',
    )
    .argument('[files...]', 'with --from command: the Markdown files, in their order')
    .addOption(
      new Option(
        '--from <name>',
        'harness: the hooks of your settings; command: the stages of command files; else the state files of a format',
      ).choices(IMPORTABLE),
    )
    .option('--session <id>', 'the session that goes on with the loop of a state file')
    .option('--dry-run', 'show what would change, write nothing', false)
    .option('--yes', 'write it, and remove the old hooks of this project, without asking', false)
    .option('--keep-hooks', 'leave the old hooks in the settings', false)
    .option('--undo', 'put back what the last import changed', false)
    .action(async (files: string[], { undo, ...flags }: ImportFlags) => {
      if (flags.session !== undefined) ownerFrom(flags.session, process.env);
      const isShown = !undo && (flags.dryRun || flags.from === undefined);
      const world = (isShown ? openWorldToRead : openWorld)(flags.session);
      const terminal = onTerminal();
      const io = { out, ask: confirm };
      if (!flags.dryRun && (undo || flags.from !== undefined))
        refuseInsideClient('import', world.home, process.env);
      if (undo) {
        process.exitCode = await undoImport(terminal, world, io);
        return;
      }
      const { exitCode, contractWritten } = await importFrom({ ...flags, files, terminal }, world, io);
      process.exitCode = exitCode;
      if (!contractWritten) return;
      if (terminal && !flags.yes) process.exitCode = await trust({ show: false }, world, out);
      else out('Next, in a terminal: untildone trust (none of its commands runs before you trust it)');
    });
}
