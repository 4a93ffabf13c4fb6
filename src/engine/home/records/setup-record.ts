import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from '../../files/lock.ts';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import { type Home, projectFolder, readKey, realPath, sealedJson, unsealedJson } from '../layout.ts';

/** What `untildone setup` did in a project, so that it can be taken back. Each part is noted before it is done. */
export interface SetupRecord {
  v: 1;
  /** SHA-256 of the contract that setup wrote. */
  contract?: string;
  /** Fingerprints that were not trusted before. */
  trusted?: string[];
  /** Settings files that had no hooks of ours before. */
  hooks?: { scope: 'project' | 'local' | 'user' }[];
}

/** Empty when setup did nothing here, or when the record is damaged. */
export function setupRecord(home: Home, project: string): SetupRecord {
  const text = readSmall(recordFile(home, project));
  const record = text && unsealedJson<SetupRecord>(text, purpose(project), readKey(home));
  return record || { v: 1 };
}

export function noteSetup(home: Home, project: string, more: Omit<SetupRecord, 'v'>): void {
  const file = recordFile(home, project);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  withLock(`${file}.lock`, () => {
    const record = withMore(setupRecord(home, project), more);
    writeWhole(file, sealedJson(record, purpose(project), readKey(home)));
  });
}

function withMore(before: SetupRecord, more: Omit<SetupRecord, 'v'>): SetupRecord {
  const hooks = [...(before.hooks ?? []), ...(more.hooks ?? [])];
  return {
    v: 1,
    contract: more.contract ?? before.contract,
    trusted: [...new Set([...(before.trusted ?? []), ...(more.trusted ?? [])])],
    hooks: hooks.filter(({ scope }, index) => hooks.findIndex((one) => one.scope === scope) === index),
  };
}

export function forgetSetup(home: Home, project: string): void {
  rmSync(recordFile(home, project), { force: true });
}

function recordFile(home: Home, project: string): string {
  return join(projectFolder(home, project), 'setup.json');
}

function purpose(project: string): string {
  return `setup of ${realPath(project)}`;
}
