/** Which files are the work. */
import { isAbsolute, relative, sep } from 'node:path';

const TEMPORARY = /^(?:\/private)?\/(?:tmp|var\/folders|var\/tmp|dev)\//;
/** Plans, memories and settings of Claude Code. */
const OF_THE_CLIENT = /(?:^|[\\/])\.claude[\\/](?:plans|projects|todos|memory|agent-memory)[\\/]/;
const PROSE = /\.(?:md|mdx|markdown|rst|adoc)$/i;

/** Files inside of the project, and others but for temporary ones and those of Claude Code itself. */
export function countsAsWork(path: string, root: string | undefined): boolean {
  if (OF_THE_CLIENT.test(path)) return false;
  if (!isAbsolute(path)) return !path.startsWith('~');
  return isInside(path, root) || !(TEMPORARY.test(path) || /[\\/]\.claude[\\/]/.test(path));
}

export function isInside(path: string, root: string | undefined): boolean {
  if (root === undefined) return false;
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Texts for people, which no check of the project is about. */
export function isProse(path: string): boolean {
  return PROSE.test(path);
}
