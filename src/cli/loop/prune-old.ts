import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { openProject, openProjectToRead } from '../../engine/hook/wiring/project-ports.ts';
import { out } from '../../engine/terminal/print.ts';
import { DAY_MS } from '../flags.ts';
import { prune } from './prune.ts';

/** `untildone prune`. */
export async function pruneOld(options: {
  olderThan?: number;
  dryRun: boolean;
  receipts: boolean;
}): Promise<void> {
  const { home, store, clock } = options.dryRun ? openProjectToRead() : openProject();
  if (!options.dryRun) refuseInsideClient('prune', home, process.env);
  const { olderThan: olderThanMs = 30 * DAY_MS, dryRun, receipts } = options;
  await prune({ olderThanMs, dryRun, receipts }, { store, home, now: clock.now() }, out);
}
