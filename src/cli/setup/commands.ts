import { type Command, Option } from 'commander';
import { scopeFlag, value } from '../flags.ts';
import { later } from '../later.ts';

export function addSetupCommand(cli: Command): void {
  cli
    .command('setup')
    .description('set this project up: contract, trust and hooks in one go, and a proof that a Stop is held')
    .option('--yes', 'do not ask; needs --accept', false)
    .option('--accept <sha>', 'the fingerprint of what you agree to, as setup shows it', value)
    .option('--show', 'show the whole contract, and everything that it runs', false)
    .addOption(
      new Option('--failing <what>', 'what fails before any work: known failures, or the work').choices([
        'known',
        'work',
      ]),
    )
    .addOption(scopeFlag())
    .option('--no-gates', 'do not run the gates now')
    .option('--no-proof', 'do not start Claude Code to prove that it is held')
    .option('--claude <path>', 'the Claude Code to prove it with (default: yours, on PATH)', value)
    .option('--undo', 'take back what setup did here', false)
    .option('--json', 'print JSON, and ask nothing', false)
    .action(later(async () => (await import('./setup-here.ts')).setupHere));
}
