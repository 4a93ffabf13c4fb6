import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../../engine/core/text/errors.ts';
import { FORMAT_NAMES } from '../../engine/formats/format.ts';
import { later } from '../later.ts';

const IMPORTABLE = ['harness', 'command'];

export function addImportCommands(cli: Command): void {
  cli
    .command('import')
    .description(
      'make a contract of what another system left here; without --from: show what can be imported',
    )
    .argument('[files...]', 'with --from command: the Markdown files, in their order')
    .addOption(
      new Option('--from <name>', 'harness: the hooks of your settings; command: the stages of command files')
        .choices(IMPORTABLE)
        .argParser(importable),
    )
    .option('--dry-run', 'show what would change, write nothing', false)
    .option('--yes', 'write it, and remove the old hooks of this project, without asking', false)
    .option('--keep-hooks', 'leave the old hooks in the settings', false)
    .option('--undo', 'put back what the last import changed', false)
    .action(later(async () => (await import('./import.ts')).importHere));
}

function importable(name: string): string {
  if (IMPORTABLE.includes(name)) return name;
  if (FORMAT_NAMES.some((format) => format === name))
    throw new UsageError(
      `--from ${name} is gone: untildone works with these files as they are. To let them hold a session: untildone claim ${name}`,
    );
  throw new InvalidArgumentError(`Allowed choices are ${IMPORTABLE.join(', ')}.`);
}
