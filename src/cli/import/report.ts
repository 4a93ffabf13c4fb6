/** What an import shows and asks before anything is written. */

import { relative } from 'node:path';
import type { PlacedHook } from '../../client/settings/other-hooks.ts';
import type { Fate } from '../../core/import/import-hooks.ts';
import { oneLine } from '../../core/text/clip.ts';
import type { FormatName } from '../../formats/format.ts';
import type { World } from '../../hook/wiring/world.ts';
import { renderDiff } from '../../terminal/line-diff.ts';

const COMMAND_LIMIT = 160;
const UNSEEN = /\p{Cc}/gu;

export function fateLines(fates: readonly Fate<PlacedHook>[]): string[] {
  return fates.flatMap(({ hook, becomes, notes }) => {
    const what = oneLine(hook.command ?? hook.prompt ?? `a hook of the type "${hook.type}"`, COMMAND_LIMIT);
    const [first, ...rest] = notes;
    const fate =
      becomes === undefined ? `stays: ${first ?? ''}` : becomes === 'memory' ? 'memory' : `gate "${becomes}"`;
    const more = becomes === undefined ? rest : notes;
    return [
      `  ${hook.event} in ${hook.place}: ${what}`,
      `    -> ${fate}`,
      ...more.map((note) => `       ${note}`),
    ];
  });
}

/** Files of a repository must not steer the terminal. */
export function diffLines(path: string, before: string | undefined, after: string): string[] {
  const name = relative(process.cwd(), path) || path;
  const lines = renderDiff(before, after);
  if (lines.length === 0) return [];
  const visible = lines.map((line) =>
    line.replace(UNSEEN, (sign) => (sign === '\t' || sign === '\n' ? sign : '')),
  );
  return [`--- ${before === undefined ? '/dev/null' : name}`, `+++ ${name}`, ...visible];
}

/** How an import ends that must not, or shall not, write; undefined: it may go on. No question: nothing to ask about. */
export async function endBeforeWriting(
  { from, dryRun, yes, terminal }: ImportOptions,
  question: string | undefined,
  { out, ask }: ImportIo,
): Promise<ImportResult | undefined> {
  if (dryRun) {
    out('Dry run: nothing was written.');
    return { exitCode: 0 };
  }
  if (!yes && !terminal) {
    const files = from === 'command' ? ' FILE...' : '';
    out(
      `There is no terminal to ask on. To write this unasked: untildone import --from ${from} --yes${files}`,
    );
    return { exitCode: 2 };
  }
  if (yes || question === undefined || (await ask(question))) return undefined;
  out('Nothing was written.');
  return { exitCode: 0 };
}

export type Importable = 'harness' | 'command' | FormatName;

export interface ImportOptions {
  from?: Importable;
  /** Of `command`. */
  files?: string[];
  session?: string;
  dryRun: boolean;
  /** Write without asking. */
  yes: boolean;
  /** The old hooks stay in the settings. */
  keepHooks: boolean;
  /** There is a person to ask. */
  terminal: boolean;
}

export type ImportWorld = World;

export interface ImportIo {
  out(line: string): void;
  ask(question: string): Promise<boolean>;
}

export interface ImportResult {
  exitCode: number;
  /** There is something new to be approved. */
  contractWritten?: true;
}
