/**
 * Which tier plays a test file. A new file belongs to one at once: by its folder, and in folders of unit tests by what it
 * imports. A line such as `// Tier: world` in it says otherwise.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { SEAM_FILES } from './seams.ts';

export const TIERS = ['unit', 'world', 'seams', 'whole'] as const;
export type Tier = (typeof TIERS)[number];

const ROOT = resolve(import.meta.dirname, '../..');

const UNIT = [
  'engine/core',
  'engine/schema',
  'engine/terminal',
  'engine/client/hooks',
  'engine/client/settings',
  'engine/contract',
  'engine/judging',
  'engine/formats',
  'read/reflect',
  'engine/hook',
  'engine/run/begin',
  'engine/run/driver',
  'engine/run/parallel',
  'engine/run/view',
  'read/dashboard',
  'cli',
  'dev/conformance',
  'dev/demo',
  'library',
  'golden',
  'house',
  'foreign',
];
/** The bundles, the real client, browsers, whole fleets, kills. */
const WHOLE = ['scenarios', 'chaos', 'live', 'browser', 'fleet'];

/** Every test file, from the root of the project, with `/`. */
export function testFiles(): string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/${path.split(sep).join('/')}`)
    .sort();
}

const MARK = /^\/\/ Tier: (world|whole)$/m;

export function tierOf(file: string): Tier {
  if (SEAM_FILES.includes(file)) return 'seams';
  const path = resolve(ROOT, file);
  const mark = existsSync(path) ? MARK.exec(readFileSync(path, 'utf8'))?.[1] : undefined;
  if (mark !== undefined) return mark as Tier;
  const isIn = (folders: readonly string[]) => folders.some((folder) => file.startsWith(`test/${folder}/`));
  if (isIn(WHOLE)) return 'whole';
  return isIn(UNIT) && !leavesTheProcess(path) ? 'unit' : 'world';
}

const STARTS_PROGRAMS = /from 'node:child_process'/;
const REPOSITORIES = join(ROOT, 'test', 'support', 'repository.ts');

/** Whether a test file starts programs, or opens repositories by what it imports of `test/support`. */
function leavesTheProcess(path: string): boolean {
  return STARTS_PROGRAMS.test(readFileSync(path, 'utf8')) || opensRepositories(path);
}

const known = new Map<string, boolean>([[REPOSITORIES, true]]);

function opensRepositories(path: string): boolean {
  const before = known.get(path);
  if (before !== undefined) return before;
  known.set(path, false);
  const opens = supportsOf(path).some(opensRepositories);
  known.set(path, opens);
  return opens;
}

function supportsOf(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^(?:import|export|\}) .*from '(\..*\.ts)';$/gm)]
    .map(([, target = '']) => resolve(path, '..', target))
    .filter((target) => target.startsWith(join(ROOT, 'test', 'support') + sep));
}
