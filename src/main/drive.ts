/** The process that drives one run of a fleet. Its worker starts it, and talks to it over the channel of `fork`. */
import { EXIT } from '../engine/core/words/exit-codes.ts';
import { driveRun } from '../fleet/drive/drive.ts';
import { WorkerLink } from '../fleet/drive/link.ts';
import { openRemoteRuns } from '../fleet/remote/open-remote-runs.ts';

/** How long the last words may take. */
const LAST_WORDS_MS = 800;

// Ctrl-C in a terminal reaches the whole group: the worker decides what it means.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const link = new WorkerLink(process);
// Exiting ends Claude Code and the commands of gates, which have process groups of their own.
link.lost.addEventListener('abort', () => {
  const why = (link.lost.reason as Error).message;
  void link.send({ type: 'over', outcome: { kind: 'fenced', why } }).then(() => process.exit(EXIT.no));
  setTimeout(() => process.exit(EXIT.no), LAST_WORDS_MS);
});
void main();

async function main(): Promise<void> {
  const order = await link.order;
  const outcome = await driveRun(order, link, (repo, options) => openRemoteRuns(repo, options));
  if (link.lost.aborted) return;
  await link.send({ type: 'over', outcome });
  process.exit(EXIT.ok);
}
