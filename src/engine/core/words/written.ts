/** What a command writes into the files of its own clean room belongs to nobody, unless the verdict rests on it. */

/** The files of the tree that a command changed, as far as a verdict may rest on them. */
export interface WrittenFiles {
  /** Tests, and what they expect. */
  expected: readonly string[];
  /** Other source. */
  code: readonly string[];
}

interface Found {
  outcome: string;
  summary: string;
  evidence?: string[];
  notes?: string[];
}

const MOST_NAMED = 5;

/** What was found of a command that passed, after it changed these files. */
export function withWritten<F extends Found>(found: F, { expected, code }: WrittenFiles): F {
  if (found.outcome !== 'pass') return found;
  if (expected.length > 0)
    return {
      ...found,
      outcome: 'unproven',
      summary: `passed, but it rewrote what it expects: ${named(expected)}`,
      evidence: [
        'The command changed these files in its clean room, so it agreed with itself. Run it in the project, look at what it writes there, and keep that.',
      ],
    };
  if (code.length === 0) return found;
  return { ...found, notes: [...(found.notes ?? []), `it changed ${named(code)} before it passed`] };
}

function named(paths: readonly string[]): string {
  const rest = paths.length - MOST_NAMED;
  return `${paths.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
