import { blocks, type Verdict } from './verdict.ts';

const REMEMBERED_SUBJECTS = 50;

/** How often in a row each subagent, task, teammate or prompt was refused; the newest last, only so many of them. */
export function guardedAfter(
  guarded: Readonly<Record<string, number>>,
  { subject, refused, verdicts }: { subject: string; refused: boolean; verdicts: readonly Verdict[] },
): Record<string, number> {
  const others = Object.entries(guarded).filter(([name]) => name !== subject);
  if (refused) {
    // Subjects come from outside: only what was counted counts, not what every object inherits.
    const before = (Object.hasOwn(guarded, subject) && guarded[subject]) || 0;
    return Object.fromEntries([...others.slice(1 - REMEMBERED_SUBJECTS), [subject, before + 1]]);
  }
  // What passes is no longer held up; what was only let go stays let go.
  return verdicts.some(blocks) ? { ...guarded } : Object.fromEntries(others);
}
