import { visible } from '../text/visible.ts';

/** What was unusual about the project when a loop began. */
export interface StartedWith {
  /** Tests that differed from the last commit; only the first are kept. */
  changedTests: ChangedTest[];
  /** How many more there were. */
  more?: number;
}

export interface ChangedTest {
  path: string;
  /** Absent for a file that is no text. */
  added?: number;
  removed?: number;
  deleted?: true;
}

const MOST_SHOWN = 10;

/** Tells you of tests that were changed before the loop began: nothing compares them with what they were. */
export function changedTestLines(started: StartedWith | undefined): string[] {
  if (!started) return [];
  const shown = started.changedTests.slice(0, MOST_SHOWN);
  const rest = countOf(started) - shown.length;
  return [
    `${sayTests(started)} differ${countOf(started) === 1 ? 's' : ''} from the last commit. The loop takes the tests as they are now:`,
    ...shown.map((test) => `  ${visible(test.path)}: ${changeOf(test)}`),
    ...(rest > 0 ? [`  ... and ${rest} more`] : []),
    'If you did not change them, look first: git diff HEAD',
  ];
}

/** The same for an ending and a receipt, as one sentence. */
export function changedTestsBefore(started: StartedWith | undefined): string | undefined {
  return started && `${sayTests(started)} differed from the last commit when the loop began`;
}

function changeOf({ added, removed, deleted }: ChangedTest): string {
  if (deleted) return 'deleted';
  return added === undefined ? 'changed' : `+${added} -${removed ?? 0}`;
}

function countOf({ changedTests, more = 0 }: StartedWith): number {
  return changedTests.length + more;
}

function sayTests(started: StartedWith): string {
  const count = countOf(started);
  return `${count} test ${count === 1 ? 'file' : 'files'}`;
}
