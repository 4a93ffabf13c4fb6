import {
  type Dropped,
  LESSONS_LIMIT,
  type Lesson,
  sentence,
  withDropped,
  withPinned,
} from '../../engine/core/lessons/lesson.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { dateOf } from '../../engine/core/text/moment.ts';
import { jsonLines } from '../../engine/core/text/visible.ts';
import { projectFolder } from '../../engine/home/layout.ts';
import { chooseLessons, type ProjectLessons, readLessons } from '../../engine/home/lessons/files.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';

type Out = (line: string) => void;

export function listLessons(json: boolean, world: ProjectPorts, out: Out): void {
  const { lessons, dropped, loops } = lessonsHere(world);
  const now = world.clock.now();
  if (json) {
    const gone = dropped.map(({ at, ...one }) => ({ ...one, at: new Date(at).toISOString() }));
    for (const line of jsonLines({ lessons: lessons.map(reportOf), dropped: gone, loops })) out(line);
    return;
  }
  if (lessons.length === 0) {
    out(`No lessons now: ${loops} ended loops of this project were looked at.`);
    out('A gate that fails in three of the last ten loops makes one.');
  }
  for (const lesson of lessons) out(lessonLine(lesson));
  if (lessons.length > 0)
    out(
      `Sessions are told them when they begin, ${LESSONS_LIMIT} characters at most. More: untildone lessons show ID; away with one: untildone lessons drop ID`,
    );
  for (const one of dropped) out(droppedLine(one, now));
}

export function showLesson(id: string, json: boolean, world: ProjectPorts, out: Out): void {
  const lesson = byId(lessonsHere(world).lessons, id);
  const lines = json ? jsonLines(reportOf(lesson)) : lessonPage(lesson, world.clock.now());
  for (const line of lines) out(line);
}

/** Drops or pins a lesson. */
export function changeLesson(
  what: 'drop' | 'pin',
  id: string,
  json: boolean,
  world: ProjectPorts,
  out: Out,
): void {
  const now = world.clock.now();
  const folder = projectFolder(world.home, world.project);
  // Says first when there is nothing: the lock needs the folder.
  let lesson = byId(lessonsHere(world).lessons, id);
  chooseLessons(world.home, folder, now, (lessons, choices) => {
    lesson = byId(lessons, id);
    return what === 'drop' ? withDropped(choices, lesson, now) : withPinned(choices, lesson);
  });
  if (json)
    for (const line of jsonLines(reportOf({ ...lesson, ...(what === 'pin' ? { pinned: true } : {}) })))
      out(line);
  else if (what === 'drop') out(`Dropped ${lesson.id}. It is not made again for 90 days.`);
  else out(`Pinned ${lesson.id}: it stays, also when it no longer holds.`);
}

function lessonsHere({ home, project, clock }: ProjectPorts): ProjectLessons {
  return readLessons(home, projectFolder(home, project), clock.now());
}

function byId(lessons: readonly Lesson[], id: string): Lesson {
  const exact = lessons.find((lesson) => lesson.id === id);
  const meant = exact ? [exact] : lessons.filter((lesson) => id !== '' && lesson.id.startsWith(id));
  const [only, second] = meant;
  if (!only) throw new UsageError(`there is no lesson "${id}" in this project; see: untildone lessons`);
  if (second) throw new UsageError(`"${id}" could be any of: ${meant.map((one) => one.id).join(', ')}`);
  return only;
}

function reportOf(lesson: Lesson) {
  return {
    id: lesson.id,
    text: sentence(lesson),
    gate: lesson.gate,
    command: lesson.command ?? null,
    file: lesson.file ?? null,
    rule: lesson.rule ?? null,
    pinned: lesson.pinned === true,
    expires_at: lesson.pinned ? null : new Date(lesson.expiresAt).toISOString(),
    evidence: lesson.evidence,
  };
}

function lessonLine(lesson: Lesson): string {
  return `${lesson.id}${lesson.pinned ? ' (pinned)' : ''}  ${sentence(lesson)}`;
}

/** A lesson with its evidence. */
function lessonPage(lesson: Lesson, now: number): string[] {
  return [
    lessonLine(lesson),
    lesson.pinned
      ? 'Pinned: it stays, also when it no longer holds.'
      : `It goes by itself: when the gate failed in fewer than three of the last ten loops, or ${dateOf(lesson.expiresAt, now)}, unless the gate fails again.`,
    'Evidence:',
    ...lesson.evidence.map(
      ({ loop, iterations }) => `  untildone log ${loop}: failed at iteration ${iterations.join(', ')}`,
    ),
  ];
}

function droppedLine({ id, at, why, text }: Dropped, now: number): string {
  const reason = why === 'person' ? 'by you' : 'by the trial of an earlier version';
  return `${id}  dropped ${dateOf(at, now)} (${reason}): ${text}`;
}
