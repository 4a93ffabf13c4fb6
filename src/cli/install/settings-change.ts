/** The steps of install and uninstall: the file that they change, how they show the change, and what stops them. */

import { statSync } from 'node:fs';
import {
  prepareHome,
  readRecord,
  readSettings,
  realSettingsPath,
  removeRecord,
  removeSettings,
  replaceSettings,
  type Scope,
  SettingsFileRefused,
  settingsPath,
  writeRecord,
} from '../../engine/client/settings/files.ts';
import { JsonRefused } from '../../engine/client/settings/json-text.ts';
import { maskEnv, removeHooks } from '../../engine/client/settings/our-hooks.ts';
import { removeSandbox } from '../../engine/client/settings/our-sandbox.ts';
import { removeStatusline } from '../../engine/client/settings/our-statusline.ts';
import {
  type InstallRecord,
  recordFor,
  type SettingsFile,
  type SettingsTexts,
  withoutUs,
} from '../../engine/core/contract/installation.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { sha256 } from '../../engine/files/digest.ts';
import type { Program } from '../../engine/home/program.ts';
import { renderDiff } from '../../engine/terminal/line-diff.ts';

/** All paths are absolute. */
export interface SettingsPlace {
  scope: Scope;
  dryRun: boolean;
  /** Prints every line that changes; a dry run always does. */
  diff?: boolean;
  project: string;
  home: string;
  claudeConfigDir: string;
}

export const settingsTexts: SettingsTexts = {
  remove: (text, original) => ({
    text: removeStatusline(removeSandbox(removeHooks(text, original).text, original)),
  }),
  fingerprint: sha256,
};

/** What the hooks are to run. `chosen`: a person has asked for exactly this program. */
export interface HomeChange {
  program: Program;
  chosen: boolean;
}

/** Opens the settings file and the home on disk. Without a change of the home, that stays as it is. */
export function installationAt(place: SettingsPlace, change?: HomeChange): Installation {
  const { home } = place;
  return {
    read: () => {
      if (place.scope !== 'user' && !statSync(place.project, { throwIfNoEntry: false })?.isDirectory()) {
        throw new SettingsFileRefused(`${place.project}: no such folder; run this in the project`);
      }
      const named = settingsPath(place.scope, place);
      // Your own settings may be a link to where you keep them. An older version followed every link: that can be undone.
      const mayLeave =
        place.scope === 'user' ||
        (change === undefined && readRecord(home, realSettingsPath(named)) !== undefined);
      return readSettings(named, mayLeave ? undefined : place.project);
    },
    replace: replaceSettings,
    remove: removeSettings,
    readRecord: (path) => readRecord(home, path),
    writeRecord: (record) => writeRecord(home, record),
    removeRecord: (path) => removeRecord(home, path),
    prepareHome: () => {
      if (change !== undefined) prepareHome(home, change.program, change);
    },
  };
}

export function describePath(place: SettingsPlace, real: string): string {
  const named = settingsPath(place.scope, place);
  return named === real ? real : `${real} (which ${named} leads to)`;
}

export function printDiff(change: Change, out: (line: string) => void): void {
  const mask = (text: string | undefined) => (text === undefined ? undefined : maskEnv(text));
  const lines = renderDiff(mask(change.before), mask(change.after));
  if (lines.length === 0) return;
  out(`--- ${change.before === undefined ? '/dev/null' : change.path}`);
  out(`+++ ${change.after === undefined ? '/dev/null' : change.path}`);
  for (const line of lines) out(line);
}

/** Runs `steps`. A problem that you have to put right is printed as one line, with exit code 2. */
export function refusalsTo(out: (line: string) => void, place: SettingsPlace, steps: () => void): number {
  try {
    steps();
    return EXIT.ok;
  } catch (cause) {
    const words = refusalIn(cause, place);
    if (words === undefined) throw cause;
    out(`untildone: ${words}`);
    return EXIT.refused;
  }
}

/** The words of a problem that you have to put right; undefined for a mistake of ours. */
export function refusalIn(cause: unknown, place: SettingsPlace): string | undefined {
  if (cause instanceof JsonRefused)
    return `${settingsPath(place.scope, place)}:${cause.line}:${cause.column}: ${cause.message}`;
  const isOfFile = cause instanceof SettingsFileRefused || (cause instanceof Error && 'syscall' in cause);
  return isOfFile ? cause.message : undefined;
}

/** The disk as the steps need it: one settings file and one home. */
export interface Installation {
  read(): SettingsFile;
  /** Whole or not at all; throws if the file is no longer what was read. */
  replace(file: SettingsFile, text: string): void;
  /** Deletes the file, and the folders from `createdFolder` down that are empty then. */
  remove(file: SettingsFile, createdFolder: string | null): void;
  readRecord(path: string): InstallRecord | undefined;
  writeRecord(record: InstallRecord): void;
  removeRecord(path: string): void;
  /** Makes the home and its `hook.sh`, which the installed line looks for. */
  prepareHome(): void;
}

export interface Change {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Adds the hooks. Makes the home and the record first: an installed line must never point at nothing. */
export function installHooks<Added extends { readonly text: string }>(
  at: Installation,
  add: (text: string | undefined, original: string | undefined) => Added,
  texts: SettingsTexts,
  { dryRun }: { dryRun: boolean },
): { change: Change; added: Added } {
  const file = at.read();
  const record = at.readRecord(file.path);
  const added = add(file.text, record && (record.original ?? ''));
  const change = { path: file.path, before: file.text, after: added.text };
  if (dryRun) return { change, added };
  at.prepareHome();
  if (added.text !== file.text) {
    at.writeRecord(recordFor(file, added.text, record, texts));
    at.replace(file, added.text);
  }
  return { change, added };
}

/** Removes the hooks, and the record last: after a crash in between the next call finds the file clean. */
export function uninstallHooks(
  at: Installation,
  texts: SettingsTexts,
  { dryRun }: { dryRun: boolean },
): Change & { restored: boolean } {
  const file = at.read();
  const record = at.readRecord(file.path);
  const after = withoutUs(file.text, record, texts);
  const restored = record !== undefined && after === (record.original ?? undefined);
  const outcome = { path: file.path, before: file.text, after, restored };
  if (dryRun) return outcome;
  if (after === undefined) at.remove(file, record?.createdFolder ?? null);
  else if (after !== file.text) at.replace(file, after);
  if (record !== undefined) at.removeRecord(file.path);
  return outcome;
}
