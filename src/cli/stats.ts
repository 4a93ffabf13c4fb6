import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../core/text/duration.ts';
import { jsonLines } from '../core/text/visible.ts';
import { realPath } from '../home/layout.ts';
import { loopsAround } from '../hook/start/find-loop.ts';
import { transcriptOf } from '../hook/start/inputs.ts';
import { openWorldToRead } from '../hook/wiring/world.ts';
import { gatherFigures } from '../reflect/metrics/gather.ts';
import { renderStats } from '../reflect/metrics/render.ts';
import { type StatsPeriod, statsJson } from '../reflect/metrics/stats-json.ts';
import { readTranscript } from '../reflect/reading/read-transcript.ts';
import { out } from '../terminal/print.ts';
import { value } from './flags.ts';

interface StatsFlags {
  since?: number;
  project?: string;
  all: boolean;
  json: boolean;
}

const DAY_MS = 86_400_000;

export function addStatsCommand(cli: Command): void {
  cli
    .command('stats')
    .description('count what hooks and gates did: holds, endings, durations, tools, tokens, cost')
    .option('--since <time>', 'how far to look back, like 7d or 12h (default 30d)', lookBack)
    .option('--project <dir>', 'the project (default: the one here)', value)
    .option('--all', 'all projects of this machine', false)
    .option('--json', 'print JSON', false)
    .action(stats);
}

async function stats({ since: backMs = 30 * DAY_MS, project: named, all, json }: StatsFlags): Promise<void> {
  const { home, store, project: here, env, clock } = openWorldToRead();
  const project = all ? undefined : named === undefined ? here : realPath(named);
  const loops = project === undefined ? store.loops() : loopsAround(store, project);
  const until = clock.now();
  const period: StatsPeriod = { since: Math.max(0, until - backMs), until, project };
  const gathered = await gatherFigures(
    { since: period.since, project, loops },
    { home, store, transcriptOf: (session) => transcriptOf(session, env), readTranscript },
  );
  const { isTTY, columns } = process.stdout;
  const width = isTTY && columns ? columns : 100;
  const lines = json ? jsonLines(statsJson(gathered, period)) : renderStats(gathered, period, width);
  for (const line of lines) out(line);
}

function lookBack(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InvalidArgumentError('Type a time like 7d, 12h or 90m.');
}
