import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const SRC = resolve(import.meta.dirname, '../../src');

/** The parts of the house that have rooms; the rooms that are no folder of a part lie in `src` itself. */
const PARTS = ['engine', 'read'];

/** The rooms of the house, from the ground up: a file imports from its own room and from those before it. AGENTS.md shows the same list. */
export const ROOMS = [
  'engine/core',
  'engine/ports',
  'engine/schema',
  'engine/files',
  'engine/terminal',
  'engine/home',
  'engine/client',
  'engine/project',
  'engine/gates',
  'engine/judging',
  'engine/contract',
  'engine/formats',
  'engine/hook',
  'engine/run',
  'read/loop',
  'read/reflect',
  'fleet',
  'read/dashboard',
  'cli',
  'dev',
  'library',
  'main',
];

/** The room of a file, by its path. */
export function roomOf(path: string): string {
  const [first = '', second] = relative(SRC, path).split('/');
  return PARTS.includes(first) ? `${first}/${second}` : first;
}

/** All TypeScript files below a folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : /\.tsx?$/.test(path) ? [path] : [];
  });
}
