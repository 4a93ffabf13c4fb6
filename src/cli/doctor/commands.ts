import type { Command } from 'commander';
import { later } from '../later.ts';

export function addDoctorCommand(cli: Command): void {
  cli
    .command('doctor')
    .description('look for everything that keeps a session from being held, and prove that one is held here')
    .option('--fix', 'mend what can be mended safely, and say what was changed', false)
    .option('--json', 'print JSON', false)
    .option('--no-proof', 'do not start Claude Code')
    .action(later(async () => (await import('./examine-here.ts')).examineHere));
}
