/** What `install` and `uninstall` do to one settings file of Claude Code. */

export interface SettingsFile {
  /** The real path: links are followed. */
  readonly path: string;
  /** `undefined`: there is no such file. */
  readonly text: string | undefined;
  /** The topmost folder that has to be made first. */
  readonly missingFolder: string | undefined;
}

/** Kept in the home, so that `uninstall` can restore the file byte by byte. */
export interface InstallRecord {
  readonly version: 1;
  readonly path: string;
  /** `null`: there was no file. */
  readonly original: string | null;
  /** Fingerprint of what install wrote. */
  readonly written: string;
  readonly createdFolder: string | null;
}

/** Operations on texts of settings. `remove` takes the hooks of untildone out; `original` is the text before them. */
export interface SettingsTexts {
  remove(text: string, original?: string): { text: string };
  fingerprint(text: string): string;
}

/** The file without untildone: its original when nothing else changed it since, otherwise its text without our hooks. */
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

/** The record of an install. The original of an earlier install (`before`) is kept. */
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
