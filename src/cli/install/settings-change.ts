/** What install and uninstall share: the file they change, how they show it, and what stops them. */

import { statSync } from 'node:fs';
import {
  prepareHome,
  readRecord,
  readSettings,
  removeRecord,
  removeSettings,
  replaceSettings,
  type Scope,
  SettingsFileRefused,
  settingsPath,
  writeRecord,
} from '../../client/settings/files.ts';
import { JsonRefused } from '../../client/settings/json-text.ts';
import { maskEnv, removeHooks } from '../../client/settings/our-hooks.ts';
import type { SettingsTexts } from '../../core/contract/installation.ts';
import { sha256 } from '../../files/digest.ts';
import { renderDiff } from '../../terminal/line-diff.ts';
import type { Change, Installation } from './install-hooks.ts';

/** All paths are absolute. */
export interface SettingsPlace {
  scope: Scope;
  dryRun: boolean;
  project: string;
  home: string;
  claudeConfigDir: string;
}

export const settingsTexts: SettingsTexts = { remove: removeHooks, fingerprint: sha256 };

/** `script` is what `hook.sh` must hold; without it the home is left alone. */
export function installationAt(place: SettingsPlace, script?: string): Installation {
  const { home } = place;
  return {
    read: () => {
      if (place.scope !== 'user' && !statSync(place.project, { throwIfNoEntry: false })?.isDirectory()) {
        throw new SettingsFileRefused(`${place.project}: no such folder; run this in the project`);
      }
      return readSettings(settingsPath(place.scope, place));
    },
    replace: replaceSettings,
    remove: removeSettings,
    readRecord: (path) => readRecord(home, path),
    writeRecord: (record) => writeRecord(home, record),
    removeRecord: (path) => removeRecord(home, path),
    prepareHome: () => {
      if (script !== undefined) prepareHome(home, script);
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
  // A settings file may come with a repository: it must not steer the terminal.
  for (const line of lines)
    out(line.replace(/\p{Cc}/gu, (sign) => (sign === '\t' || sign === '\n' ? sign : '')));
}

/** Runs `steps`; what a person has to put right becomes one line and exit code 2. */
export function refusalsTo(out: (line: string) => void, place: SettingsPlace, steps: () => void): number {
  try {
    steps();
    return 0;
  } catch (cause) {
    const file = settingsPath(place.scope, place);
    if (cause instanceof JsonRefused)
      out(`untildone: ${file}:${cause.line}:${cause.column}: ${cause.message}`);
    else if (cause instanceof SettingsFileRefused) out(`untildone: ${cause.message}`);
    else if (cause instanceof Error && 'syscall' in cause) out(`untildone: ${cause.message}`);
    else throw cause;
    return 2;
  }
}
