import { jsonLines } from '../../engine/core/text/visible.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { out, warn } from '../../engine/terminal/print.ts';
import { scannedJson, scannedLines } from '../loop/log.ts';
import { type FleetFlags, loadFleet, withFleet } from './load.ts';
import { untilInterrupted } from './wait.ts';
import { detailLines, runLines, statusLines } from './words.ts';

/** `untildone fleet status`. */
export async function showStatus(flags: FleetFlags): Promise<void> {
  await withFleet(flags, async (fleet, { fleetStatus }) => {
    const status = await fleetStatus(fleet);
    for (const line of flags.json ? jsonLines(status) : statusLines(status, fleet.now())) out(line);
  });
}

/** `untildone fleet list`. */
export async function list(
  flags: FleetFlags & { state?: string[]; repo?: string; limit: number },
): Promise<void> {
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

/** `untildone fleet show`. */
export async function show(run: string, flags: FleetFlags): Promise<void> {
  await withFleet(flags, async (fleet, { showRun }) => {
    const details = await showRun(run, fleet);
    for (const line of flags.json ? jsonLines(details) : detailLines(details, fleet.now())) out(line);
  });
}

/** `untildone fleet logs`. */
export async function logs(run: string, flags: FleetFlags & { follow: boolean }): Promise<void> {
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
