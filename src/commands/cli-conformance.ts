import { dirname } from 'node:path';
import { type Command, Option } from 'commander';
import { FORMATS, type Format } from '../conformance/scenario.ts';
import { thisInstallation } from './cli-install.ts';
import { conformance } from './conformance.ts';
import { watchInterruption } from './interruption.ts';
import { out } from './print.ts';

interface Flags {
  dialect?: Format;
  scenario?: string;
  json: boolean;
}

export function addConformanceCommands(cli: Command): void {
  cli
    .command('conformance')
    .description('replay the bugs that users of stop hooks reported against any Stop hook, and print a table')
    .usage('[options] -- <command>')
    .argument('[command...]', 'the hook, as it would stand in the settings')
    .addOption(new Option('--dialect <name>', 'only this format').choices(FORMATS))
    .option('--scenario <pattern>', 'only scenarios with such a name; * stands for anything')
    .option('--json', 'as JSON', false)
    .action(async (command: string[], flags: Flags) => {
      const programFolder = dirname(thisInstallation().hookEntry);
      process.exitCode = await conformance({ command, ...flags, programFolder }, watchInterruption(), out);
    });
}
