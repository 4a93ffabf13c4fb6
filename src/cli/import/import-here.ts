import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { openWorld, openWorldToRead } from '../../engine/hook/wiring/world.ts';
import { confirm, onTerminal, out } from '../../engine/terminal/print.ts';
import { trust } from '../contract/trust.ts';
import { importFrom, undoImport } from './import.ts';
import type { ImportOptions } from './report.ts';

interface ImportFlags extends Pick<ImportOptions, 'from' | 'dryRun' | 'yes' | 'keepHooks'> {
  undo: boolean;
}

/** `untildone import`. */
export async function importHere(files: string[], { undo, ...flags }: ImportFlags): Promise<void> {
  const isShown = !undo && (flags.dryRun || flags.from === undefined);
  const world = isShown ? openWorldToRead() : openWorld();
  const terminal = onTerminal();
  const io = { out, ask: confirm };
  if (!flags.dryRun && (undo || flags.from !== undefined))
    refuseInsideClient('import', world.home, process.env);
  if (undo) {
    process.exitCode = await undoImport(terminal, world, io);
    return;
  }
  const { exitCode, contractWritten } = await importFrom({ ...flags, files, terminal }, world, io);
  process.exitCode = exitCode;
  if (!contractWritten) return;
  if (terminal && !flags.yes) process.exitCode = await trust({ show: false }, world, out);
  else out('Next, in a terminal: untildone trust (none of its commands runs before you trust it)');
}
