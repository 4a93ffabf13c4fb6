/** Adds the command of the dashboard. Its code is loaded when it is called. */
import { type Command, InvalidArgumentError } from 'commander';
import type { DashboardFlags } from '../read/dashboard/command.ts';
import { collect, value } from './flags.ts';
import { loaded } from './later.ts';

export function addDashboardCommand(cli: Command): void {
  cli
    .command('dashboard')
    .description('serve a page on this machine that shows all loops, and what needs you')
    .option('--port <n>', 'the port, 0 for a free one (default: 7433, or a free one)', port)
    .option('--host <address>', 'the address to serve on', value, '127.0.0.1')
    .option('--open', 'open the page in your browser', false)
    .option('--project <dir>', 'only the loops of this project; may be repeated', collect)
    .option(
      '--queue [url]',
      'show a fleet: redis://... or rediss://... (without a URL: UNTILDONE_QUEUE)',
      value,
    )
    .option('--token <text>', 'the token of the link (default: a new one each time)', value)
    .option('--json', 'print the link as JSON: {"url", "pid"}', false)
    .action(async (flags: DashboardFlags) => {
      const { dashboard } = await loaded(() => import('../read/dashboard/command.ts'));
      process.exitCode = await dashboard(flags);
    });
}

function port(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= 65_535) return number;
  throw new InvalidArgumentError('Type a port from 1 to 65535, or 0 for a free one.');
}
