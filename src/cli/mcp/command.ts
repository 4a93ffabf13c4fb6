import type { Command } from 'commander';
import { later } from '../later.ts';

export function addMcpCommand(cli: Command): void {
  cli
    .command('mcp')
    .description(
      'serve verify, status and receipt to a host of the Model Context Protocol, on stdin and stdout',
    )
    .option('--project <folder>', 'the project (default: that of the current folder)')
    .action(later(async () => (await import('./serve-tools.ts')).serveTools));
}
