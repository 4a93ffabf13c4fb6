import { hasEnded } from '../../core/loop/state.ts';
import { quoteForShell } from '../../core/shell/words.ts';
import { UsageError } from '../../core/text/errors.ts';
import { EXIT } from '../../core/words/exit-codes.ts';
import { FORMAT_NAMES } from '../../formats/format.ts';
import { ImportRecord } from '../../home/records/import-record.ts';
import { standingFiles } from '../../home/trust.ts';
import type { World } from '../../hook/wiring/world.ts';
import { askingFiles, importCommand } from './from-command.ts';
import { importHarness, planHarness } from './from-harness.ts';
import { foreignStates, importState } from './from-state.ts';
import type { ImportIo, ImportOptions, ImportResult } from './report.ts';

export async function importFrom(options: ImportOptions, world: World, io: ImportIo): Promise<ImportResult> {
  if (options.from === 'command') return importCommand(options, world, io);
  if (options.files?.length)
    throw new UsageError('files are only named with: untildone import --from command');
  if (options.from === undefined) return listImportable(world, options.session, io.out);
  if (options.from === 'harness') return importHarness(options, world, io);
  return importState(options.from, options, world, io);
}

/** Shows what can be imported, and what to type for it. */
function listImportable(
  world: World,
  session: string | undefined,
  out: (line: string) => void,
): ImportResult {
  const hooks = planHarness(world).fates.filter(({ becomes }) => becomes !== undefined);
  const states = foreignStates(world, session);
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
  for (const { name, path, words } of states) {
    out(`${name}: ${path} (${words})`);
    out(`  untildone import --from ${name} --dry-run${session === undefined ? '' : ` --session ${session}`}`);
  }
  if (hooks.length + states.length + commands.length === 0)
    out(`Found nothing to import in ${world.project}.`);
  return { exitCode: EXIT.ok };
}

/** Puts back what the last import changed. Asks before it leaves files alone that were changed since. */
export async function undoImport(
  terminal: boolean,
  { home, project, store }: World,
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
  const { from, loop } = record;
  for (const line of record.undo()) out(line);
  if (loop !== undefined) cancelLoop(loop, store, out);
  if (FORMAT_NAMES.some((name) => name === from))
    out('The state file holds its session again, from its next stop on.');
  if (standingFiles(home).contract(project))
    out(
      'What you trusted for this project stays in force until you type: untildone trust (or: untildone trust --revoke)',
    );
  return EXIT.ok;
}

function cancelLoop(loop: string, store: World['store'], out: (line: string) => void): void {
  const ref = store.loops().find((other) => other.loop === loop);
  if (!ref || hasEnded(store.read(ref))) return;
  const after = store.append(ref, () => ({
    kind: 'command',
    command: 'cancel',
    note: 'the import was undone',
  }));
  store.mark(after.session, false);
  out(`Cancelled: loop ${loop}`);
}
