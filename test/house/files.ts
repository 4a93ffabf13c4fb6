import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const SRC = resolve(import.meta.dirname, '../../src');

/** All TypeScript files below a folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : path.endsWith('.ts') ? [path] : [];
  });
}
