/** The demo of a run: `untildone run`, as a person types it, over as many sessions as its contexts make it need. */
import type { LiveView } from './live-view.ts';
import type { Act, DemoOptions } from './perform.ts';
import { readReceipt, showReceipt } from './record.ts';
import { notesIn, type RunEvidence, runChecksOf } from './run-checks.ts';
import { RUN_STORY } from './run-story.ts';
import type { Scratch } from './scratch.ts';
import type { Observed } from './shared-checks.ts';
import { typedRun } from './typed-run.ts';

const LIMIT_MS = 60_000;

/** With `terminal` the run draws its own view there; else it prints lines, which are quoted. */
export function runAct({ claude }: DemoOptions, terminal: boolean): Act<RunEvidence> {
  return {
    story: RUN_STORY,
    // A run answers its sessions itself: it needs none.
    hooks: false,
    checks: runChecksOf(RUN_STORY),
    next: 'untildone run "what is to be done"',
    play: async (stage) => {
      const args = [RUN_STORY.task, ...RUN_STORY.flags];
      const code = await typedRun({ claude, args, terminal, limitMs: LIMIT_MS }, stage);
      return { code, receipt: readReceipt(stage.scratch) };
    },
    show,
  };
}

async function show(scratch: Scratch, view: LiveView, { journal }: Observed): Promise<void> {
  for (const [i, note] of notesIn(journal).entries()) {
    view.heading(`What session ${i + 1} left for session ${i + 2}`);
    view.quote(note);
  }
  await showReceipt(scratch, view);
}
