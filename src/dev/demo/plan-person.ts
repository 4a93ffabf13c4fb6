/** The person whom the run of a demo asks: the demo itself, and it says so. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quoteForShell } from '../../core/shell-quote.ts';
import type { Stage } from './perform.ts';
import type { PlanStory } from './plan-story.ts';
import { openQuestion } from './record.ts';
import { untildone } from './scratch.ts';

const LOOK_AGAIN_MS = 100;

/** Approves what is asked for, once, and returns; without an answer when `over` comes first. */
export async function answerAsPerson(
  { scratch, view }: Stage,
  { checkpoint }: PlanStory,
  { readingMs, over }: { readingMs: number; over: AbortSignal },
): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { signal: over }).catch(() => undefined);
  let question = openQuestion(scratch);
  while (question === undefined && !over.aborted) {
    await pause(LOOK_AGAIN_MS);
    question = openQuestion(scratch);
  }
  // The run says itself that it waits.
  await pause(LOOK_AGAIN_MS);
  if (question === undefined || over.aborted) return;
  view.say('demo', `The run waits for a person: ${question}`);
  view.say('demo', `Nobody sits here, so the demo answers in your place. It reads ${checkpoint.file}:`);
  view.quote(await readFile(join(scratch.project, checkpoint.file), 'utf8'));
  await pause(readingMs);
  if (over.aborted) return;
  const args = ['approve', checkpoint.phase, '--note', checkpoint.note];
  view.heading(`$ untildone ${args.map(quoteForShell).join(' ')}`);
  view.quote(await untildone(scratch, ...args));
  view.heading('The run goes on:');
}
