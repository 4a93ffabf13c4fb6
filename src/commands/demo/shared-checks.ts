/** What every demo has to show, and how it is known: from the journal, the files and the simulator's log. */
import type { Scanned } from '../../adapters/journal-scan.ts';
import type { Entry } from '../../core/entry.ts';
import type { SimulatorRequest } from '../../simulator/server.ts';
import type { JournalLine } from '../../wire/journal-line.ts';
import type { Story } from './story.ts';

/** What is looked at after every demo. */
export interface Observed {
  /** Exit codes of the story's test, run by the demo itself. */
  test: { before: number | null; after: number | null };
  /** The project's files in the end, as far as the story names them. */
  files: Readonly<Record<string, string | undefined>>;
  /** Of the newest loop; empty when there is none. */
  journal: readonly Scanned[];
  /** What the scripted model was asked, oldest first. */
  asked: readonly SimulatorRequest[];
}

export interface Check<Evidence extends Observed> {
  name: string;
  happened(evidence: Evidence): boolean;
  /** A real model takes its own way: this need not happen on it. */
  scriptedOnly?: true;
}

export const failsAtFirst: Check<Observed> = {
  name: 'the test of the sample project fails at first',
  happened: ({ test }) => (test.before ?? 0) > 0,
};

export const passesInTheEnd: Check<Observed> = {
  name: 'the test passes when the demo itself runs it',
  happened: ({ test }) => test.after === 0,
};

export function isHeldFirst(name: string): Check<Observed> {
  return {
    name,
    scriptedOnly: true,
    happened: ({ journal }) => stopsOf(journal)[0]?.decision.kind === 'block',
  };
}

export const readsTheReason: Check<Observed> = {
  name: 'the model reads the reason, and goes on',
  scriptedOnly: true,
  happened: ({ asked }) => {
    const told = asked.findIndex(({ body }) => JSON.stringify(body ?? '').includes(REASON));
    return told > 0 && told < asked.length - 1;
  },
};

export function leavesAsTheyWere(names: string, { files: before, untouched }: Story): Check<Observed> {
  return {
    name: `it leaves ${names} as they were`,
    happened: ({ files }) => untouched.every((path) => files[path] === before[path]),
  };
}

export function endsAs(what: string, { ending }: Story): Check<Observed> {
  return {
    name: `the ${what} ends as ${ending}`,
    happened: ({ journal }) => {
      const decision = stopsOf(journal).at(-1)?.decision;
      const ended = decision?.kind === 'end' && decision.status === ending;
      return ended && linesOf(journal).at(-1)?.state.status === ending;
    },
  };
}

export const isWhole: Check<Observed> = {
  name: 'every line of the journal is whole and follows from the one before',
  happened: ({ journal }) => journal.length > 0 && journal.every((line) => line.ok && line.chained),
};

export function asksOnceATurn(story: Story): Check<Observed> {
  return {
    name: 'the model was asked once for each of its turns',
    scriptedOnly: true,
    happened: ({ asked }) => {
      const turns = story.turns('').map((_, i) => `turn ${i + 1}`);
      return asked.map(({ servedBy }) => servedBy).join() === turns.join();
    },
  };
}

const REASON = 'Stop hook feedback:\\nuntildone: iteration 2 of ';

export function linesOf(journal: readonly Scanned[]): JournalLine[] {
  return journal.flatMap((scanned) => (scanned.ok ? [scanned.line] : []));
}

export function entriesOf<Kind extends Entry['kind']>(
  kind: Kind,
  journal: readonly Scanned[],
): Extract<Entry, { kind: Kind }>[] {
  const isOfKind = (entry: Entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind;
  return linesOf(journal)
    .map(({ entry }) => entry)
    .filter(isOfKind);
}

function stopsOf(journal: readonly Scanned[]) {
  return entriesOf('stop', journal);
}
