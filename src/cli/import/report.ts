/** What an import shows and asks before anything is written. */

import { relative } from 'node:path';
import { replaceSettings } from '../../engine/client/settings/files.ts';
import type { PlacedHook } from '../../engine/client/settings/other-hooks.ts';
import type { SettingsFile } from '../../engine/core/contract/installation.ts';
import type { Fate } from '../../engine/core/import/import-hooks.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import type { ImportRecord } from '../../engine/home/records/import-record.ts';
import { renderDiff } from '../../engine/terminal/line-diff.ts';

const COMMAND_LIMIT = 160;

export function fateLines(fates: readonly Fate<PlacedHook>[]): string[] {
  return fates.flatMap(({ hook, becomes, notes }) => {
    const what = oneLine(hook.command ?? hook.prompt ?? `a hook of the type "${hook.type}"`, COMMAND_LIMIT);
    const place = `  ${hook.event} in ${hook.place}: ${what}`;
    if (becomes === undefined) return [place, `    -> stays: ${notes.join('; ')}`];
    const made = becomes === 'memory' ? becomes : `gate "${becomes}"`;
    return [place, `    -> ${made}`, ...notes.map((note) => `       ${note}`)];
  });
}

export function diffLines(path: string, before: string | undefined, after: string): string[] {
  const name = relative(process.cwd(), path) || path;
  const lines = renderDiff(before, after);
  if (lines.length === 0) return [];
  return [`--- ${before === undefined ? '/dev/null' : name}`, `+++ ${name}`, ...lines];
}

/** Ends an import that must not write, or that you do not want. Undefined: it may write. Without a question it does not ask. */
export async function endBeforeWriting(
  { from, dryRun, yes, terminal }: ImportOptions,
  question: string | undefined,
  { out, ask }: ImportIo,
): Promise<ImportResult | undefined> {
  if (dryRun) {
    out('Dry run: nothing was written.');
    return { exitCode: EXIT.ok };
  }
  if (!yes && !terminal) {
    const files = from === 'command' ? ' FILE...' : '';
    out(
      `There is no terminal to ask you on. To write this unasked: untildone import --from ${from} --yes${files}`,
    );
    return { exitCode: EXIT.refused };
  }
  if (yes || question === undefined || (await ask(question))) return undefined;
  out('Nothing was written.');
  return { exitCode: EXIT.ok };
}

/** Writes a file whose old text the record keeps. */
export function write(file: SettingsFile, text: string, record: ImportRecord): void {
  record.keep(file.path, text);
  replaceSettings(file, text);
}

export interface ImportOptions {
  from?: 'harness' | 'command';
  /** The files of `--from command`. */
  files?: string[];
  dryRun: boolean;
  /** Write without asking. */
  yes: boolean;
  /** The old hooks stay in the settings. */
  keepHooks: boolean;
  /** You can be asked on a terminal. */
  terminal: boolean;
}

export interface ImportIo {
  out(line: string): void;
  ask(question: string): Promise<boolean>;
}

export interface ImportResult {
  exitCode: number;
  /** The contract is new or changed, so you have to trust it. */
  contractWritten?: true;
}
