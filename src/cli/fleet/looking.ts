import { type Command, InvalidArgumentError } from 'commander';
import { jsonLines } from '../../core/text/visible.ts';
import { EXIT } from '../../core/words/exit-codes.ts';
import { out, warn } from '../../terminal/print.ts';
import { collect, value } from '../flags.ts';
import { scannedJson, scannedLines } from '../loop/log.ts';
import { addFleetOptions, type FleetFlags, loadFleet, withFleet } from './load.ts';
import { untilInterrupted } from './wait.ts';
import { detailLines, runLines, statusLines } from './words.ts';

export const RUN = 'the run, by its id or the beginning of it';

export function addLookingCommands(fleet: Command): void {
  addFleetOptions(
    fleet
      .command('status')
      .description('show workers, runs, what was spent today, what needs you and what is stuck'),
  ).action(showStatus);
  addFleetOptions(
    fleet
      .command('list')
      .description('show the runs of the queue, those at work first')
      .option(
        '--state <state>',
        'only active, waiting, delayed, dead or ended ones; may be repeated',
        collect,
      )
      .option('--repo <url>', 'only those of this repository', value)
      .option('--limit <n>', 'at most so many', count, 50),
  ).action(list);
  addFleetOptions(
    fleet
      .command('show')
      .description('show where a run stands, why it waits, and how to get its work')
      .argument('<run>', RUN),
  ).action(show);
  addFleetOptions(
    fleet
      .command('logs')
      .description('show the journal of a run')
      .argument('<run>', RUN)
      .option('--follow', 'print new lines until the run has ended', false),
  ).action(logs);
}

function count(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Type a whole number from 1.');
}

async function showStatus(flags: FleetFlags): Promise<void> {
  await withFleet(flags, async (fleet, { fleetStatus }) => {
    const status = await fleetStatus(fleet);
    for (const line of flags.json ? jsonLines(status) : statusLines(status, fleet.now())) out(line);
  });
}

async function list(flags: FleetFlags & { state?: string[]; repo?: string; limit: number }): Promise<void> {
  const { repoUrl, stateNamed } = await loadFleet();
  const states = flags.state?.flatMap((text) => text.split(',').map(stateNamed));
  const repo = flags.repo === undefined ? undefined : repoUrl(flags.repo, process.cwd());
  await withFleet(flags, async (fleet, { listRuns }) => {
    const { limit } = flags;
    const { runs, more } = await listRuns(
      { limit, ...(states ? { states } : {}), ...(repo ? { repo } : {}) },
      fleet,
    );
    if (flags.json) for (const line of jsonLines({ runs, more })) out(line);
    else {
      for (const line of runs.flatMap((run) => runLines(run, fleet.now()))) out(line);
      if (runs.length === 0) out('No runs. Submit one: untildone submit "what is to be done" --repo URL');
      if (more > 0) out(`and ${more} more: --limit ${limit + more}`);
    }
  });
}

async function show(run: string, flags: FleetFlags): Promise<void> {
  await withFleet(flags, async (fleet, { showRun }) => {
    const details = await showRun(run, fleet);
    for (const line of flags.json ? jsonLines(details) : detailLines(details, fleet.now())) out(line);
  });
}

async function logs(run: string, flags: FleetFlags & { follow: boolean }): Promise<void> {
  await withFleet(flags, async (fleet, { runLog }) => {
    const { interrupted } = await untilInterrupted(async (signal) => {
      let lines = 0;
      const options = { follow: flags.follow, signal, note: (text: string) => warn(text) };
      for await (const scanned of runLog(run, options, fleet)) {
        lines++;
        for (const line of flags.json ? [scannedJson(scanned)] : scannedLines(scanned, fleet.now()))
          out(line);
      }
      if (lines === 0 && !flags.json) out('Its journal is empty so far: no worker has begun it.');
    });
    if (interrupted) process.exitCode = EXIT.interrupted;
  });
}
