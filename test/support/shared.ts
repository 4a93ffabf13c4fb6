import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** What many test files need and the first of them makes, such as a build: once for a whole run, and gone after it. */
export function shared(name: string, make: (folder: string) => void): string {
  const folder = join(inject('sharedFolder'), name);
  if (existsSync(folder)) return folder;
  const mine = mkdtempSync(`${folder}-`);
  make(mine);
  try {
    renameSync(mine, folder);
  } catch {
    // Another file made it meanwhile.
    rmSync(mine, { recursive: true, force: true });
  }
  return folder;
}

/** The same for what takes a while. */
export async function sharedSoon(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(inject('sharedFolder'), name);
  if (existsSync(folder)) return folder;
  const mine = mkdtempSync(`${folder}-`);
  await make(mine);
  return shared(name, (empty) => {
    rmSync(empty, { recursive: true });
    renameSync(mine, empty);
  });
}
