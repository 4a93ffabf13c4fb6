import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const SRC = resolve(import.meta.dirname, '../../src');

/** The rooms of the house, from the ground up: a file imports from its own room and from those before it. AGENTS.md shows the same list. */
export const ROOMS = [
  'core',
  'ports',
  'schema',
  'files',
  'terminal',
  'home',
  'client',
  'project',
  'gates',
  'judging',
  'contract',
  'formats',
  'read',
  'reflect',
  'hook',
  'run',
  'fleet',
  'dashboard',
  'cli',
  'dev',
  'library',
  'main',
];

/** All TypeScript files below a folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : /\.tsx?$/.test(path) ? [path] : [];
  });
}
