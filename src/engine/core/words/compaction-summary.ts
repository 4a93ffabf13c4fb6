import { blocks, type Verdict } from '../loop/verdict.ts';
import { keepShort, oneLine } from '../text/clip.ts';
import { howToFinish, iterationWords, nextStepOf, phaseWords, type Situation } from './reason.ts';

/** Claude Code cuts what is added to its request for a summary at 10,000 characters. */
const SUMMARY_LIMIT = 6000;
const TASK_LIMIT = 600;
const FAILURES_LIMIT = 1000;
const FAILURE_LIMIT = 300;

const OPENING =
  'untildone: this session works in a loop, and the loop goes on after the summary. Keep the following in it, as it stands here:';

/** What the summary of a compaction has to keep of a loop. Claude Code adds it to its request for that summary. */
export function compactionSummary(situation: Situation, verdicts: readonly Verdict[]): string {
  const parts = [
    OPENING,
    `Where it is: ${iterationWords(situation)}.`,
    taskInShort(situation),
    phaseWords(situation),
    situation.asked ?? '',
    failures(verdicts),
    nextStepOf(verdicts),
    howToFinish(situation.promise),
  ];
  return keepShort(parts.filter((part) => part !== '').join('\n\n'), SUMMARY_LIMIT);
}

function taskInShort({ task, taskFile }: Situation): string {
  const text = task.trim();
  const whole = text.length > TASK_LIMIT ? `\n(The whole task is in ${taskFile}.)` : '';
  return `Task:\n${keepShort(text, TASK_LIMIT)}${whole}`;
}

/** Failures without their evidence: the gates are judged again anyway. */
function failures(verdicts: readonly Verdict[]): string {
  const lines = verdicts
    .filter(blocks)
    .map(({ gate, outcome, summary }) =>
      oneLine(`${outcome === 'fail' ? 'Fails' : 'Could not be judged'}: ${gate} - ${summary}`, FAILURE_LIMIT),
    );
  return keepShort(lines.join('\n'), FAILURES_LIMIT);
}
