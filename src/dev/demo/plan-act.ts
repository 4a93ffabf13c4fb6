/** The demo of a plan: phases with a person in between, and chunk after chunk with tests of its own. */
import { dirname } from 'node:path';
import type { Act, DemoOptions, Stage } from './perform.ts';
import { type PlanEvidence, planChecksOf } from './plan-checks.ts';
import { answerAsPerson } from './plan-person.ts';
import { exampleFolder, planStory } from './plan-story.ts';
import { readReceipt, showReceipt, showStatus } from './record.ts';
import type { Observed } from './shared-checks.ts';
import { typedRun } from './typed-run.ts';

/** Each of its Stops runs tests, the last one all of them twice. */
const LIMIT_MS = 150_000;
/** As long as a person on a terminal needs for a few lines. */
const READING_MS = 2_500;

export function planAct({ claude, installation }: DemoOptions, terminal: boolean): Act<PlanEvidence> {
  const story = planStory(exampleFolder(dirname(installation.hookEntry)));
  const play = async (stage: Stage): Promise<Omit<PlanEvidence, keyof Observed>> => {
    const over = new AbortController();
    const person = answerAsPerson(stage, story, {
      readingMs: terminal ? READING_MS : 0,
      over: AbortSignal.any([over.signal, stage.interrupted]),
    }).catch((error: Error) => stage.view.say('demo', `no answer was given: ${error.message}`));
    try {
      // Lines, on a terminal too: what the person does stands between them.
      const code = await typedRun({ claude, args: [], terminal: false, limitMs: LIMIT_MS }, stage);
      return { code, receipt: readReceipt(stage.scratch) };
    } finally {
      over.abort();
      await person;
    }
  };
  return {
    story,
    // A run answers its sessions itself: it needs none.
    hooks: false,
    checks: planChecksOf(story),
    next: 'untildone init, then add phases and chunks: docs/reference/contract.md',
    play,
    show: async (scratch, view) => {
      showStatus(scratch, view);
      await showReceipt(scratch, view);
    },
  };
}
