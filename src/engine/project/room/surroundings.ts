/**
 * Settings that tools find in the folders above a room. Rooms lie in the untildone home, so that what somebody puts into
 * your own home would be found by every tool that looks upwards.
 */
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { settings } from '../../core/chains/all.ts';
import { hmacSha256 } from '../../files/digest.ts';
import { namesIn, readSmall } from '../../files/whole-file.ts';

/** By path: a keyed digest of a file, because it may hold secrets, or the names in a folder. */
export type Surroundings = Record<string, string>;

/** Also those of tools for all languages. */
const NAMES = [...settings.flat(), '.env', '.editorconfig', '.tool-versions', 'mise.toml'];
const LARGEST = 1024 * 1024;

/** What lies above a folder. */
export function surroundingsOf(folder: string, key: string): Surroundings {
  const found: Surroundings = {};
  for (let above = dirname(folder); ; above = dirname(above)) {
    for (const name of NAMES) {
      const path = join(above, name);
      const digest = digestOf(path, key);
      if (digest !== undefined) found[path] = digest;
    }
    if (above === dirname(above)) return found;
  }
}

function digestOf(path: string, key: string): string | undefined {
  try {
    const stat = lstatSync(path);
    if (stat.isDirectory()) return hmacSha256(key, `folder\n${namesIn(path).sort().join('\n')}`);
    if (stat.size > LARGEST) return `${stat.size} ${stat.ctimeMs}`;
    return hmacSha256(key, `file\n${readSmall(path, LARGEST) ?? ''}`);
  } catch {
    return undefined;
  }
}

/** The paths that are new, gone or different. */
export function changedSurroundings(start: Surroundings, now: Surroundings): string[] {
  const paths = new Set([...Object.keys(start), ...Object.keys(now)]);
  return [...paths].filter((path) => start[path] !== now[path]);
}
