import { type Command, Option } from 'commander';
import { FORMAT_NAMES } from '../../formats/format.ts';
import { later } from '../later.ts';

const IMPORTABLE = ['harness', 'command', ...FORMAT_NAMES] as const;

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
    .action(later(async () => (await import('./import-here.ts')).importHere));
}
