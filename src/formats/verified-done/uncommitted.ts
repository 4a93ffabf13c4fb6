import { oneLine } from '../../core/text/clip.ts';
import type { Look } from '../format.ts';

export type Uncommitted =
  | { kind: 'clean' }
  | { kind: 'changed'; first: string[] }
  | { kind: 'no_repository' }
  | { kind: 'unknown'; problem: string };

const SHOWN = 5;
const PATH_LIMIT = 200;

/** What `git status --porcelain` says, its first lines; a folder outside git has nothing to say. */
export async function uncommittedChanges(look: Look): Promise<Uncommitted> {
  try {
    const { git } = await look.workspace();
    const { exitCode, stdout, stderr } = await git([
      'status',
      '--porcelain',
      '-z',
      '--untracked-files=normal',
    ]);
    if (exitCode !== 0) {
      if (stderr.includes('not a git repository')) return { kind: 'no_repository' };
      return { kind: 'unknown', problem: `git status failed: ${oneLine(stderr, PATH_LIMIT)}` };
    }
    const first = entriesOf(stdout).slice(0, SHOWN);
    return first.length === 0 ? { kind: 'clean' } : { kind: 'changed', first };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'unknown', problem: `git status could not be run: ${oneLine(why, PATH_LIMIT)}` };
  }
}

/** `XY path`, each ended by a NUL; what was renamed or copied is followed by its old name. */
function entriesOf(output: string): string[] {
  const parts = output.split('\0').filter((part) => part !== '');
  const entries: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? '';
    const letters = part.slice(0, 2);
    entries.push(`${letters} ${oneLine(part.slice(3), PATH_LIMIT)}`);
    if (/[RC]/.test(letters)) i++;
  }
  return entries;
}
