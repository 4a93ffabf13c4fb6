/** Lessons as the page shows them. Pure. */
import {
  type Dropped,
  type LessonsKept,
  type LoopDigest,
  sentence,
  trialOf,
} from '../../../engine/core/lessons/lesson.ts';
import { type Finding, findingOf, trialWords } from '../../../engine/core/lessons/report.ts';
import type { LessonView } from './insight-types.ts';
import type { Tone } from './overview-types.ts';

const TONES: Record<Finding, Tone> = {
  too_few: 'open',
  may_be_chance: 'open',
  gain: 'done',
  no_gain: 'bad',
};

/** Those that are told to sessions, with their trial; then those that were dropped since. */
export function lessonViews(
  { lessons, dropped }: LessonsKept,
  loops: readonly LoopDigest[],
  project: string,
  since: number,
): LessonView[] {
  const alive = lessons.map((lesson): LessonView => {
    const trial = trialOf(lesson, loops);
    return {
      id: lesson.id,
      text: sentence(lesson),
      project,
      at: lesson.madeAt,
      state: lesson.pinned ? 'pinned' : 'on trial',
      tone: TONES[findingOf(trial)],
      trial: trialWords(trial),
    };
  });
  return [...alive, ...dropped.filter(({ at }) => at >= since).map((one) => droppedView(one, project))];
}

function droppedView({ id, text, at, why }: Dropped, project: string): LessonView {
  const trial = why === 'person' ? 'dropped by you' : 'dropped after its trial: no gain';
  return { id, text, project, at, state: 'dropped', tone: 'quiet', trial };
}
