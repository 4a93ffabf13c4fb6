import type { Verdict } from '../loop/verdict.ts';
import { keepShort } from '../text/clip.ts';
import {
  failuresOf,
  howToFinish,
  iterationWords,
  nextStepOf,
  phaseWords,
  REASON_LIMIT,
  type Situation,
  taskOf,
} from './reason.ts';

/** What a session of a run is told at its start, and the note that it is asked for at its end. */

const BREAK = '\n\n';
const NOTE_LIMIT = 3000;

export interface Brief {
  situation: Situation;
  /** What is known of the gates. */
  verdicts: readonly Verdict[];
  /** The gates that have to pass. */
  gates: readonly string[];
  /** Lessons of earlier loops. */
  lessons?: string;
  /** Work of the run's children that was not merged; empty when there is none. */
  beside?: string;
  /** Absent in the first session of a run. */
  before?: { sessions: number; note?: string };
}

/** The first prompt of a session: everything that an agent without memory needs to go on. */
export function briefFor({ situation, verdicts, gates, lessons = '', beside = '', before }: Brief): string {
  const fails = failuresOf(verdicts);
  return keepShort(
    [
      before
        ? `untildone: you go on with work that ${before.sessions === 1 ? 'an earlier session' : `${before.sessions} earlier sessions`} began (${iterationWords(situation)}). You remember nothing of it; this is what there is to know.`
        : '',
      taskOf(situation),
      phaseWords(situation),
      beside,
      noteOf(before),
      situation.asked ?? '',
      fails === '' ? '' : `What does not hold yet, as it was last checked:\n\n${fails}`,
      gates.length === 0 ? '' : `It is checked after you stop, by: ${gates.join(', ')}.`,
      lessons,
      before ? nextStepOf(verdicts) : '',
      situation.howToAsk ?? '',
      howToFinish(situation.promise),
    ]
      .filter((part) => part !== '')
      .join(BREAK),
    REASON_LIMIT,
  );
}

function noteOf(before: Brief['before']): string {
  if (!before?.note) return '';
  const note = keepShort(before.note, NOTE_LIMIT);
  return `The last session left this note (it may be wrong; check what you rely on):\n${note}`;
}

/** Asks a session for its hand-over note. */
export function handOverReason(situation: Situation): string {
  return [
    `untildone: ${iterationWords(situation)}. This session ends here; a fresh one without its memory goes on. Do not go on with the work now.`,
    'Write a hand-over note as your final message, at most 400 words, for someone who sees only the files and this note:',
    '- what is done, and how you know\n- what is not done\n- what you tried that did not work, and why\n- which files matter\n- the very next step',
    'No tool calls, nothing else.',
  ].join(BREAK);
}
