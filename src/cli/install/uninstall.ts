import { uninstallHooks } from './install-2.ts';
import {
  describePath,
  installationAt,
  printDiff,
  refusalsTo,
  type SettingsPlace,
  settingsTexts,
} from './settings-change.ts';

/** Prints the diff and what was done. Exit code: 0 (nothing of ours is left there), 2 refused. */
export async function uninstall(options: SettingsPlace, out: (line: string) => void): Promise<number> {
  return refusalsTo(out, options, () => {
    const outcome = uninstallHooks(installationAt(options), settingsTexts, options);
    const { before, after, path, restored } = outcome;
    const where = describePath(options, path);
    if (before === after) {
      out(`Nothing of untildone is installed in ${where}.`);
      return;
    }
    printDiff(outcome, out);
    if (options.dryRun) out(`Dry run, nothing was written. This would change ${where}.`);
    else if (after === undefined) out(`Removed ${where}, which install had made.`);
    else if (restored) out(`Restored ${where} to what it was before install.`);
    else out(`Removed untildone's hooks from ${where}; everything else in it stays.`);
    if (!options.dryRun) out(`Journals and receipts stay in ${options.home}.`);
  });
}
