/** What an import shows and asks before anything is written. */

import { relative } from 'node:path';
import type { PlacedHook } from '../../engine/client/settings/other-hooks.ts';
import type { Fate } from '../../engine/core/import/import-hooks.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { renderDiff } from '../../engine/terminal/line-diff.ts';

const COMMAND_LIMIT = 160;

export function fateLines(fates: readonly Fate<PlacedHook>[]): string[] {
  return fates.flatMap(({ hook, becomes, stays, notes }) => {
    const what = oneLine(hook.command ?? hook.prompt ?? `a hook of the type "${hook.type}"`, COMMAND_LIMIT);
    const [first, ...rest] = notes;
    const fate =
      becomes === undefined ? `stays: ${first ?? ''}` : `${madeOf(becomes)}${stays ? ', and stays' : ''}`;
    const more = becomes === undefined ? rest : notes;
    return [
      `  ${hook.event} in ${hook.place}: ${what}`,
      `    -> ${fate}`,
      ...more.map((note) => `       ${note}`),
    ];
  });
}

function madeOf(becomes: string): string {
  return becomes === 'memory' || becomes === 'notify' ? becomes : `gate "${becomes}"`;
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
