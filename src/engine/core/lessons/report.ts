/** What `untildone lessons` says: each lesson with the trial that goes on. */

import { dateOf } from '../text/moment.ts';
import {
  type Lesson,
  type LessonsKept,
  type LoopDigest,
  sentence,
  TRIAL_LOOPS,
  type Trial,
  trialOf,
} from './lesson.ts';

export type Finding = 'too_few' | 'may_be_chance' | 'gain' | 'no_gain';

/** Below so many loops on a side nothing is said about a difference. */
const LEAST_SHOWN = 8;
const LEAST_WITHHELD = 3;

/** What the trial shows so far. A difference counts when it is more than twice its standard error. */
export function findingOf({ with: shown, without, gain = 0, error }: Trial): Finding {
  if (shown.loops < LEAST_SHOWN || without.loops < LEAST_WITHHELD || error === undefined) return 'too_few';
  if (Math.abs(gain) <= 2 * error) return 'may_be_chance';
  return gain > 0 ? 'gain' : 'no_gain';
}

const WORDS: Record<Finding, string> = {
  too_few: 'too few loops to tell',
  may_be_chance: 'a difference of this size may be chance',
  gain: 'fewer failures with it',
  no_gain: 'more failures with it',
};

export interface LessonReport extends Trial {
  id: string;
  text: string;
  gate: string;
  command: string | null;
  file: string | null;
  rule: string | null;
  pinned: boolean;
  made_at: string;
  expires_at: string | null;
  evidence: Lesson['evidence'];
  finding: Finding;
}

export function reportOf(lesson: Lesson, loops: readonly LoopDigest[]): LessonReport {
  const trial = trialOf(lesson, loops);
  return {
    id: lesson.id,
    text: sentence(lesson),
    gate: lesson.gate,
    command: lesson.command ?? null,
    file: lesson.file ?? null,
    rule: lesson.rule ?? null,
    pinned: lesson.pinned === true,
    made_at: new Date(lesson.madeAt).toISOString(),
    expires_at: lesson.pinned ? null : new Date(lesson.expiresAt).toISOString(),
    evidence: lesson.evidence,
    ...trial,
    finding: findingOf(trial),
  };
}

/** Two lines for the list. */
export function lessonLines(lesson: Lesson, loops: readonly LoopDigest[]): string[] {
  const pin = lesson.pinned ? ' (pinned)' : '';
  return [`${lesson.id}${pin}  ${sentence(lesson)}`, `  ${trialWords(trialOf(lesson, loops))}`];
}

/** How the trial of a lesson goes. */
export function trialWords(trial: Trial): string {
  const { with: shown, without } = trial;
  return `told in ${shown.loops}, withheld in ${without.loops} loops since: ${WORDS[findingOf(trial)]}`;
}

/** Everything about one lesson. */
export function lessonPage(lesson: Lesson, loops: readonly LoopDigest[], now: number): string[] {
  const trial = trialOf(lesson, loops);
  const { with: shown, without, gain, error } = trial;
  const size = gain === undefined ? 'no difference can be told yet' : `${signed(gain)} failures a loop saved`;
  const margin = error === undefined ? '' : `, give or take ${(2 * error).toFixed(1)}`;
  const left = TRIAL_LOOPS - shown.loops - without.loops;
  return [
    `${lesson.id}  ${sentence(lesson)}`,
    `Made ${dateOf(lesson.madeAt, now)}; ${
      lesson.pinned
        ? 'pinned: it stays'
        : `expires ${dateOf(lesson.expiresAt, now)}, unless the gate fails again`
    }.`,
    'Evidence:',
    ...lesson.evidence.map(
      ({ loop, iterations }) => `  untildone log ${loop}: failed at iteration ${iterations.join(', ')}`,
    ),
    'Trial:',
    `  with it:    ${armWords(shown)}`,
    `  without it: ${armWords(without)}`,
    `  difference: ${size}${margin}: ${WORDS[findingOf(trial)]}`,
    `  the gate never failed in ${trial.helped} loops with it, and failed more than usual (${lesson.usual.toFixed(1)}) in ${trial.harmed}`,
    ...(lesson.pinned ? [] : [fateOf(left)]),
  ];
}

function fateOf(left: number): string {
  return left > 0
    ? `After ${left} more loops it is dropped, if it shows no gain by then.`
    : 'It is dropped as soon as it shows no gain.';
}

function armWords({ loops, failures, untilPass }: Trial['with']): string {
  if (loops === 0) return 'no loops yet';
  return `${loops} loops, ${failures.toFixed(1)} failures of the gate each, it passed from iteration ${untilPass.toFixed(1)} on`;
}

function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${value.toFixed(1)}`;
}

/** The lessons that were dropped, with the reason. */
export function droppedLines({ dropped }: LessonsKept, now: number): string[] {
  return dropped.map(({ id, at, why, text }) => {
    const reason = why === 'person' ? 'by you' : 'no gain';
    return `${id}  dropped ${dateOf(at, now)} (${reason}): ${text}`;
  });
}
