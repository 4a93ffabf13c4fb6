import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hmacSha256 } from '../files/digest.ts';
import { readSmall, writeWhole } from '../files/whole-file.ts';
import { type Home, projectFolder, readKey } from './layout.ts';

/** Fingerprints of contracts that a person approved for a project; sealed, so that a plain write does not approve. */
interface TrustFile {
  v: 1;
  /** Anything may have been written there by someone else. */
  approved: ({ fingerprint: string; at: string; seal: string } | null)[];
}

export function isTrusted(home: Home, project: string, fingerprint: string): boolean {
  const key = readKey(home);
  return readTrust(home, project).approved.some(
    (entry) => entry?.fingerprint === fingerprint && entry.seal === sealOf(project, fingerprint, key),
  );
}

export function approve(home: Home, project: string, fingerprint: string, now: number): void {
  if (isTrusted(home, project, fingerprint)) return;
  const { approved } = readTrust(home, project);
  const seal = sealOf(project, fingerprint, readKey(home));
  const entry = { fingerprint, at: new Date(now).toISOString(), seal };
  const file = trustFile(home, project);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWhole(
    file,
    `${JSON.stringify({ v: 1, approved: [...approved, entry] } satisfies TrustFile, null, 2)}\n`,
  );
}

/** Forgets every approval of a project; its loops wait for a person again, its standing gates sleep. */
export function revoke(home: Home, project: string): void {
  rmSync(trustFile(home, project), { force: true });
}

function readTrust(home: Home, project: string): TrustFile {
  const none: TrustFile = { v: 1, approved: [] };
  const text = readSmall(trustFile(home, project));
  if (text === undefined) return none;
  try {
    const value = JSON.parse(text) as Partial<TrustFile>;
    return Array.isArray(value.approved) ? (value as TrustFile) : none;
  } catch {
    return none;
  }
}

function trustFile(home: Home, project: string): string {
  return join(projectFolder(home, project), 'trust.json');
}

function sealOf(project: string, fingerprint: string, key: string): string {
  return hmacSha256(key, `trust ${project} ${fingerprint}`);
}
