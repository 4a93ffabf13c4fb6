/** What a command writes into the files of its own clean room belongs to nobody, unless the verdict rests on it. */
import { sources } from '../../core/chains/all.ts';
import { isUsualTest } from '../../core/proof/test-places.ts';
import type { Judgement } from '../gate.ts';

/** A command that damages the repository of its room has written what nobody can name. */
export const UNREADABLE = ['.git'];

const MOST_NAMED = 5;
const ENDING = /\.(\w+)$/;
/** Files in which runners keep what tests expect. */
const EXPECTED = /\.(?:snap|golden)$|(?:^|\/)[\w.-]*snapshots?[\w.-]*\//i;

/** The judgement of a command that passed, after it changed these files of the tree. */
export function withWritten(judgement: Judgement, changed: readonly string[]): Judgement {
  if (changed.length === 0) return judgement;
  const expected = changed.filter((path) => EXPECTED.test(path) || (isUsualTest(path) && isSource(path)));
  if (expected.length > 0)
    return {
      ...judgement,
      outcome: 'unproven',
      summary: `passed, but it rewrote what it expects: ${named(expected)}`,
      evidence: [
        'The command changed these files in its clean room, so it agreed with itself. Run it in the project, look at what it writes there, and keep that.',
      ],
    };
  const code = changed.filter((path) => isSource(path) || UNREADABLE.includes(path));
  if (code.length === 0) return judgement;
  return { ...judgement, notes: [...(judgement.notes ?? []), `it changed ${named(code)} before it passed`] };
}

function isSource(path: string): boolean {
  const ending = ENDING.exec(path)?.[1] ?? '';
  return sources.some((source) => source.test(ending));
}

function named(paths: readonly string[]): string {
  const rest = paths.length - MOST_NAMED;
  return `${paths.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
