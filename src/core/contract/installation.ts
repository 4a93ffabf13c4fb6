/** What install and uninstall make of one settings file, decided from what is there and what was kept. */

export interface SettingsFile {
  /** Where the bytes really are: links are followed. */
  readonly path: string;
  /** `undefined`: there is no such file. */
  readonly text: string | undefined;
  /** The topmost folder that must be made before the file can be. */
  readonly missingFolder: string | undefined;
}

/** Kept in the untildone home so that uninstall can put back the very bytes that were there. */
export interface InstallRecord {
  readonly version: 1;
  readonly path: string;
  /** `null`: there was no file. */
  readonly original: string | null;
  /** Fingerprint of what install wrote. */
  readonly written: string;
  readonly createdFolder: string | null;
}

/** What is known about texts of settings. `remove` takes our hooks out, given the text before them if that is known. */
export interface SettingsTexts {
  remove(text: string, original?: string): { text: string };
  fingerprint(text: string): string;
}

/** The file as it would be without us: the kept bytes if it is still what we wrote, else the text less our hooks. */
export function withoutUs(
  text: string | undefined,
  record: InstallRecord | undefined,
  texts: SettingsTexts,
): string | undefined {
  if (text === undefined) return undefined;
  if (record === undefined) return texts.remove(text).text;
  if (texts.fingerprint(text) === record.written) return record.original ?? undefined;
  const rest = texts.remove(text, record.original ?? '').text;
  return record.original === null && isEmptyObject(rest) ? undefined : rest;
}

/** `before` may be the record of an earlier install: its original outlives later ones. */
export function recordFor(
  file: SettingsFile,
  written: string,
  before: InstallRecord | undefined,
  texts: SettingsTexts,
): InstallRecord {
  return {
    version: 1,
    path: file.path,
    original: withoutUs(file.text, before, texts) ?? null,
    written: texts.fingerprint(written),
    createdFolder: file.missingFolder ?? before?.createdFolder ?? null,
  };
}

function isEmptyObject(text: string): boolean {
  return /^\s*\{\s*\}\s*$/.test(text);
}
