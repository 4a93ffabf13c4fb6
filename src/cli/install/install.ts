import { hookScriptPath } from '../../client/settings/files.ts';
import { type AddedHooks, addHooks } from '../../client/settings/our-hooks.ts';
import { hookScript } from '../../home/hook-line.ts';
import { type Change, installHooks } from './install-2.ts';
import { rivalHooks } from './rival-hooks.ts';
import {
  describePath,
  installationAt,
  printDiff,
  refusalsTo,
  type SettingsPlace,
  settingsTexts,
} from './settings-change.ts';

export interface InstallOptions extends SettingsPlace {
  hookEntry: string;
  nodePath: string;
  /** Seconds; long enough for the slowest gates. */
  judgeTimeout?: number;
  /** State of a format that we obey lies here: something may be held as soon as the hooks are there. */
  hasForeignState?: boolean;
}

/** Prints the diff and what comes next. Exit code: 0 installed (or already there), 2 refused. */
export async function install(options: InstallOptions, out: (line: string) => void): Promise<number> {
  const plan = options.judgeTimeout === undefined ? {} : { judgeTimeout: options.judgeTimeout };
  return refusalsTo(out, options, () => {
    const at = installationAt(options, hookScript(options));
    const { change, added } = installHooks(at, (text) => addHooks(text, plan), settingsTexts, options);
    printDiff(change, out);
    for (const line of installReport(options, change, added)) out(line);
  });
}

function installReport(options: InstallOptions, change: Change, added: AddedHooks): string[] {
  const { scope, dryRun, home } = options;
  const where = describePath(options, change.path);
  const lines = [];
  if (!added.changed) lines.push(`Already installed in ${where}.`);
  else if (dryRun)
    lines.push(`Dry run, nothing was written. This would change ${where} and ${hookScriptPath(home)}.`);
  else lines.push(`Installed in ${where}.`);
  if (added.capKept !== undefined) {
    lines.push(
      `Kept your CLAUDE_CODE_STOP_HOOK_BLOCK_CAP of ${added.capKept}: Claude Code lets go after so many blocks in a row ` +
        'without a tool call. "0" means never.',
    );
  }
  if (added.hooksDisabled) {
    lines.push('Warning: "disableAllHooks" is true in this file. Until you remove it, no session is held.');
  }
  lines.push(...rivalHooks(options));
  if (dryRun) return lines;
  if (scope === 'project')
    lines.push('Commit the file to share it; on a machine without untildone its hooks do nothing.');
  if (scope === 'local' && change.before === undefined)
    lines.push('Keep the file out of git: it is yours alone.');
  const flag = scope === 'project' ? '' : ` --scope ${scope}`;
  lines.push(
    options.hasForeignState
      ? 'Next: go on as before. The state of a loop is here already; whom it holds from now on: untildone status'
      : 'Next: in a Claude Code session, let it run: untildone start "<task>". Until then nothing is held.',
  );
  lines.push(`To undo this: untildone uninstall${flag}`);
  return lines;
}
