import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    sharedFolder: string;
  }
}

/** Makes the folder of `shared`, and removes it when all tests have ended. */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-shared-'));
  // Tests run parts of it as another user.
  chmodSync(folder, 0o755);
  project.provide('sharedFolder', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
