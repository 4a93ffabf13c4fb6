import { quoteForShell } from '../../engine/core/shell/words.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { ImportRecord } from '../../engine/home/records/import-record.ts';
import { standingFiles } from '../../engine/home/trust.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { openProject, openProjectToRead, type ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { confirm, onTerminal, out } from '../../engine/terminal/print.ts';
import { trust } from '../contract/trust.ts';
import { askingFiles, importCommand } from './from-command.ts';
import { importHarness, planHarness } from './from-harness.ts';
import type { ImportIo, ImportOptions, ImportResult } from './report.ts';

interface ImportFlags extends Pick<ImportOptions, 'from' | 'dryRun' | 'yes' | 'keepHooks'> {
  undo: boolean;
}

/** `untildone import`. */
export async function importHere(files: string[], { undo, ...flags }: ImportFlags): Promise<void> {
  const isShown = !undo && (flags.dryRun || flags.from === undefined);
  const world = isShown ? openProjectToRead() : openProject();
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

export async function importFrom(
  options: ImportOptions,
  world: ProjectPorts,
  io: ImportIo,
): Promise<ImportResult> {
  if (options.from === 'command') return importCommand(options, world, io);
  if (options.files?.length)
    throw new UsageError('files are only named with: untildone import --from command');
  return options.from === undefined ? listImportable(world, io.out) : importHarness(options, world, io);
}

/** Shows what can be imported, and what to type for it. */
function listImportable(world: ProjectPorts, out: (line: string) => void): ImportResult {
  const hooks = planHarness(world).fates.filter(({ becomes }) => becomes !== undefined);
  const commands = askingFiles(world.project);
  if (hooks.length > 0) {
    out(`harness: ${hooks.length} of the hooks in your settings can become gates`);
    out('  untildone import --from harness --dry-run');
  }
  if (commands.length > 0) {
    out(
      `command: ${commands.length} of your command files ask you something: their stages can become phases`,
    );
    out(`  untildone import --from command --dry-run ${commands.map(quoteForShell).join(' ')}`);
  }
  if (hooks.length + commands.length === 0) out(`Found nothing to import in ${world.project}.`);
  return { exitCode: EXIT.ok };
}

/** Puts back what the last import changed. Asks before it leaves files alone that were changed since. */
export async function undoImport(
  terminal: boolean,
  { home, project }: ProjectPorts,
  { out, ask }: ImportIo,
): Promise<number> {
  const record = ImportRecord.latest(home, project);
  if (!record) throw new UsageError(`nothing was imported in ${project}, or it was undone already`);
  const conflicts = record.conflicts();
  for (const conflict of conflicts) out(`Left as it is: ${conflict}`);
  if (conflicts.length > 0 && !(terminal && (await ask('Put back the rest?')))) {
    out('Nothing was put back.');
    return EXIT.refused;
  }
  const { loop } = record;
  for (const line of record.undo()) out(line);
  if (loop !== undefined) out(`The loop that this import began goes on. To end it: untildone cancel ${loop}`);
  if (standingFiles(home).contract(project))
    out(
      'What you trusted for this project stays in force until you type: untildone trust (or: untildone trust --revoke)',
    );
  return EXIT.ok;
}
