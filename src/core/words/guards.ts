import type { HookEvent } from '../loop/event.ts';
import { blocks, type Verdict } from '../loop/verdict.ts';
import { keepShort, oneLine } from '../text/clip.ts';
import { redact } from '../text/redact.ts';
import { failuresOf, REASON_LIMIT, standingReason } from './reason.ts';

const FAILURES_LIMIT = 6000;
const NEXT_LIMIT = 1500;
const NAME_LIMIT = 150;

/** Why a piece of work is held: what it is about, what is wrong and where, what to do, and when it is looked at again. */
export function guardReason(event: HookEvent, verdicts: readonly Verdict[]): string {
  const words = wordsFor(event, verdicts);
  if (!words) return standingReason(verdicts, 'first');
  const next = verdicts.find((verdict) => blocks(verdict) && verdict.next)?.next;
  const parts = [
    `untildone: ${words.held}`,
    keepShort(failuresOf(verdicts), FAILURES_LIMIT),
    ...(next === undefined ? [] : [keepShort(/^next/i.test(next) ? next : `Next: ${next}`, NEXT_LIMIT)]),
    words.again,
  ];
  return keepShort(parts.join('\n\n'), REASON_LIMIT);
}

function wordsFor(
  event: HookEvent,
  verdicts: readonly Verdict[],
): { held: string; again: string } | undefined {
  switch (event.name) {
    case 'TaskCompleted':
      return {
        held: `task ${named(event.taskId, event.subject, verdicts)} is not completed yet. Fix this first.`,
        again: 'Then mark it as completed again: it is checked each time.',
      };
    case 'TaskCreated':
      // Its words are the ones that are refused, and whoever wrote them has them.
      return { held: 'this task was not created.', again: 'Then create it again: it is checked each time.' };
    case 'TeammateIdle':
      return {
        held: `${short(event.teammate) || 'teammate'}, your work is not finished yet. Fix this first.`,
        again: 'Then rest: it is checked each time.',
      };
    default:
      return undefined;
  }
}

/** What the task says about itself is left out when that is what is wrong with it. */
function named(id: string, subject: string, verdicts: readonly Verdict[]): string {
  const isWrong = verdicts.some((verdict) => verdict.kind === 'text' && blocks(verdict));
  const quoted = subject.trim() === '' || isWrong ? '' : ` "${short(subject)}"`;
  return `${short(id)}${quoted}`;
}

function short(text: string): string {
  return oneLine(redact(text), NAME_LIMIT);
}
