/** What has to have happened in the demo of a plan. */
import type { Scanned } from '../../adapters/journal-scan.ts';
import { CHUNKS_GATE } from '../../wire/contract/plan.ts';
import type { JournalLine } from '../../wire/journal-line.ts';
import type { PlanStory } from './plan-story.ts';
import { endsWell, type RunEvidence } from './run-checks.ts';
import { type Check, entriesOf, failsAtFirst, linesOf, type Observed } from './shared-checks.ts';

export type PlanEvidence = RunEvidence;

export function planChecksOf(story: PlanStory): Check<PlanEvidence>[] {
  const { phases, chunks, checkpoint } = story;
  const names = chunks.map(({ name }) => name);
  return [
    failsAtFirst,
    {
      name: `the phases pass in their order: ${phases.join(', ')}`,
      happened: ({ journal }) => {
        const passed = entriesOf('stop', journal).flatMap(({ seen }) => seen.phase?.passed ?? []);
        return (
          passed.join() === phases.slice(0, -1).join() &&
          linesOf(journal).at(-1)?.state.phase?.name === phases.at(-1)
        );
      },
    },
    {
      name: `a person is asked about ${checkpoint.file}, and approves it`,
      happened: ({ journal }) => {
        const { asked, answered } = questionIn(journal);
        const entry = answered?.entry;
        const approved = entry?.kind === 'answered' && entry.said === 'approved';
        return asked !== undefined && approved && entry.note === checkpoint.note;
      },
    },
    {
      name: 'the model is not asked anything until they have answered',
      happened: ({ journal, asked: requests }) => {
        const { asked, answered } = questionIn(journal);
        if (!asked || !answered) return false;
        const [from, to] = [Date.parse(asked.at), Date.parse(answered.at)];
        return requests.length > 0 && !requests.some(({ at }) => at > from && at < to);
      },
    },
    {
      name: 'then it is told what they said',
      happened: ({ asked }) =>
        isRead(asked, `a person approved ${checkpoint.phase}_approved`, checkpoint.note),
    },
    {
      name: `the chunks pass one after the other: ${names.join(', ')}`,
      happened: ({ journal }) => {
        const grown = passingChunks(journal).map((passing) => passing.join());
        const steps = grown.filter((passing, i) => passing !== '' && passing !== grown[i - 1]);
        return steps.join(' | ') === names.map((_, i) => names.slice(0, i + 1).join()).join(' | ');
      },
    },
    {
      name: 'the model is told which one comes next, and what it is',
      happened: ({ asked }) =>
        chunks.every(({ name, instruction }, i) =>
          isRead(asked, `chunk ${i + 1} of ${chunks.length}, "${name}": ${instruction}`),
        ),
    },
    {
      name: `only ${story.stumbles} is sent back by its tests, and corrected`,
      happened: ({ journal }) => {
        const tries = names.map(
          (_, i) => passingChunks(journal).filter((passing) => passing.length === i).length,
        );
        return tries.every((count, i) => count === (names[i] === story.stumbles ? 2 : 1));
      },
    },
    ...endsWell(story),
  ];
}

/** The lines of the journal with the question to a person, and with their answer. */
function questionIn(journal: readonly Scanned[]): { asked?: JournalLine; answered?: JournalLine } {
  const lines = linesOf(journal);
  const asked = lines.find(({ state }) => state.waiting?.why === 'approval');
  const answered = lines.find(({ entry }) => entry.kind === 'answered');
  return { ...(asked ? { asked } : {}), ...(answered ? { answered } : {}) };
}

/** At every Stop that looked at the chunks: those that passed. */
function passingChunks(journal: readonly Scanned[]): string[][] {
  return entriesOf('stop', journal).flatMap(({ verdicts }) => {
    const chunks = verdicts.find(({ gate }) => gate === CHUNKS_GATE);
    if (!chunks) return [];
    return [(chunks.children ?? []).flatMap(({ gate, outcome }) => (outcome === 'pass' ? [gate] : []))];
  });
}

function isRead(asked: Observed['asked'], ...parts: string[]): boolean {
  const written = parts.map((part) => JSON.stringify(part).slice(1, -1));
  return asked.some(({ body }) => {
    const text = JSON.stringify(body ?? '');
    return written.every((part) => text.includes(part));
  });
}
