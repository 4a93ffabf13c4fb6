/** What has to have happened in the demo of a run. */
import type { Scanned } from '../../adapters/journal-scan.ts';
import { receiptProblems, type SignedReceipt } from '../../adapters/receipts.ts';
import type { RunStory } from './run-story.ts';
import {
  asksOnceATurn,
  type Check,
  endsAs,
  entriesOf,
  failsAtFirst,
  isHeldFirst,
  isWhole,
  leavesAsTheyWere,
  linesOf,
  type Observed,
  passesInTheEnd,
  readsTheReason,
} from './shared-checks.ts';
import type { Story } from './story.ts';

export interface RunEvidence extends Observed {
  /** Exit code of `untildone run`. */
  code: number | null;
  receipt: SignedReceipt | undefined;
}

export function runChecksOf(story: RunStory): Check<RunEvidence>[] {
  const sessions = story.notes.length + 1;
  return [
    failsAtFirst,
    isHeldFirst('a claim to be finished is held while tests fail'),
    readsTheReason,
    {
      name: `the work goes over ${sessions} sessions`,
      happened: ({ journal }) => {
        const begun = entriesOf('intent', journal).filter(({ resume }) => !resume);
        return begun.length === sessions && new Set(begun.map(({ session }) => session)).size === sessions;
      },
    },
    {
      name: 'a session is left when its context is 80 % full, and not before',
      happened: ({ journal }) => {
        const left = handOversAsked(journal);
        return left.length === story.notes.length && left.every((share) => share >= 0.8);
      },
    },
    {
      name: 'each leaves a hand-over note',
      happened: ({ journal }) => notesIn(journal).join('\n\n') === story.notes.join('\n\n'),
    },
    {
      name: 'the next one begins with the task, that note and what still fails',
      happened: ({ asked }) =>
        story.notes.every((note) =>
          asked.some(({ body }) => isBrief(JSON.stringify(body ?? ''), note, story)),
        ),
    },
    {
      name: 'every session that was begun has come back, without an error',
      happened: ({ journal }) => {
        const begun = entriesOf('intent', journal).length;
        const ends = entriesOf('result', journal).map(({ end }) => end.kind);
        return begun > 0 && ends.length === begun && ends.every((kind) => FINE.has(kind));
      },
    },
    {
      name: 'the cost is that of all sessions together',
      happened: ({ journal }) => {
        const totals = entriesOf('result', journal).map(({ costTotalUsd }) => costTotalUsd ?? 0);
        const sum = totals.reduce((whole, one) => whole + one, 0);
        const counted = linesOf(journal).at(-1)?.state.spent.costUsd ?? 0;
        return totals.every((one) => one > 0) && sum > 0 && Math.abs(counted - sum) < 1e-9;
      },
    },
    ...endsWell(story),
  ];
}

/** How every run of a demo ends. */
export function endsWell(story: Story): Check<RunEvidence>[] {
  return [
    leavesAsTheyWere('the tests and the contract', story),
    passesInTheEnd,
    endsAs('run', story),
    hasReceipt(story),
    isWhole,
    asksOnceATurn(story),
    saysSo,
  ];
}

function hasReceipt({ ending }: Story): Check<RunEvidence> {
  return {
    name: 'there is a receipt, and it is as it was signed',
    happened: ({ receipt }) =>
      receipt !== undefined && receipt.receipt.status === ending && receiptProblems(receipt).length === 0,
  };
}

const saysSo: Check<RunEvidence> = {
  name: '"untildone run" says so with exit code 0',
  happened: ({ code }) => code === 0,
};

const FINE: ReadonlySet<string> = new Set(['completed', 'stopped_by_hook']);

/** How full the context was whenever a session was asked for its note. */
function handOversAsked(journal: readonly Scanned[]): number[] {
  return entriesOf('stop', journal).flatMap(({ decision, seen }) =>
    decision.kind === 'block' && decision.instruction === 'hand_over' ? [seen.contextShare ?? 0] : [],
  );
}

export function notesIn(journal: readonly Scanned[]): string[] {
  return entriesOf('stop', journal).flatMap(({ decision }) =>
    decision.kind === 'allow' && decision.cause === 'hand_over' ? [decision.note] : [],
  );
}

const BRIEF = ['You remember nothing of it', 'What does not hold yet'];

function isBrief(request: string, note: string, { task }: RunStory): boolean {
  return [...BRIEF, task, note].every((part) => request.includes(JSON.stringify(part).slice(1, -1)));
}
