import {
  type InstallRecord,
  recordFor,
  type SettingsFile,
  type SettingsTexts,
  withoutUs,
} from '../../core/contract/installation.ts';

/** What the steps need from disk. All of it concerns one settings file and one untildone home. */
export interface Installation {
  read(): SettingsFile;
  /** Whole or not at all; throws if the file is no longer what was read. */
  replace(file: SettingsFile, text: string): void;
  /** Deletes the file, and the folders from `createdFolder` down that are empty then. */
  remove(file: SettingsFile, createdFolder: string | null): void;
  readRecord(path: string): InstallRecord | undefined;
  writeRecord(record: InstallRecord): void;
  removeRecord(path: string): void;
  /** Makes the home and its `hook.sh`: what the installed line looks for. */
  prepareHome(): void;
}

export interface Change {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** `add` is given the file's text. The home and the record come first: a line must never point at nothing. */
export function installHooks<Added extends { readonly text: string }>(
  at: Installation,
  add: (text: string | undefined) => Added,
  texts: SettingsTexts,
  { dryRun }: { dryRun: boolean },
): { change: Change; added: Added } {
  const file = at.read();
  const added = add(file.text);
  const change = { path: file.path, before: file.text, after: added.text };
  if (dryRun) return { change, added };
  at.prepareHome();
  if (added.text !== file.text) {
    at.writeRecord(recordFor(file, added.text, at.readRecord(file.path), texts));
    at.replace(file, added.text);
  }
  return { change, added };
}

/** The record goes last: a crash before that leaves a file that the next call finds clean. */
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
