import type { Command } from 'commander';
import { age, value } from './flags.ts';
import { later } from './later.ts';

export function addStatsCommand(cli: Command): void {
  cli
    .command('stats')
    .description('count what hooks and gates did: holds, endings, durations, tools, tokens, cost')
    .option('--since <time>', 'how far to look back, like 7d or 12h (default: 30d)', age)
    .option('--project <dir>', 'the project (default: the one here)', value)
    .option('--all', 'all projects of this machine', false)
    .option('--json', 'print JSON', false)
    .option('--export-otlp', 'send loops that ended to OTEL_EXPORTER_OTLP_ENDPOINT, each once', false)
    .action(later(async () => (await import('./stats.ts')).stats));
}
