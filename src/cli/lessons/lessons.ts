import type { Lesson } from '../../engine/core/lessons/lesson.ts';
import { droppedLines, lessonLines, lessonPage, reportOf } from '../../engine/core/lessons/report.ts';
import { LESSONS_LIMIT } from '../../engine/core/lessons/telling.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { jsonLines } from '../../engine/core/text/visible.ts';
import { projectFolder } from '../../engine/home/layout.ts';
import { changeLessons, dropLesson, type LessonFiles, readLessons } from '../../engine/home/lessons/files.ts';
import type { World } from '../../engine/hook/wiring/world.ts';

type Out = (line: string) => void;

export function listLessons(json: boolean, world: World, out: Out): void {
  const { kept, loops } = lessonsHere(world);
  const now = world.clock.now();
  if (json) {
    const lessons = kept.lessons.map((lesson) => reportOf(lesson, loops));
    const dropped = kept.dropped.map(({ at, ...one }) => ({ ...one, at: new Date(at).toISOString() }));
    for (const line of jsonLines({ lessons, dropped, loops: loops.length })) out(line);
    return;
  }
  if (kept.lessons.length === 0) {
    out(`No lessons yet: ${loops.length} ended loops of this project were looked at.`);
    out('A gate that fails in three of the last ten loops makes one.');
  }
  for (const lesson of kept.lessons) for (const line of lessonLines(lesson, loops)) out(line);
  if (kept.lessons.length > 0)
    out(
      `Sessions are told them when they begin, ${LESSONS_LIMIT} characters at most. More: untildone lessons show ID; away with one: untildone lessons drop ID`,
    );
  for (const line of droppedLines(kept, now)) out(line);
}

export function showLesson(id: string, json: boolean, world: World, out: Out): void {
  const files = lessonsHere(world);
  const lesson = byId(files, id);
  const lines = json
    ? jsonLines(reportOf(lesson, files.loops))
    : lessonPage(lesson, files.loops, world.clock.now());
  for (const line of lines) out(line);
}

/** Drops or pins a lesson. */
export function changeLesson(what: 'drop' | 'pin', id: string, json: boolean, world: World, out: Out): void {
  const now = world.clock.now();
  const folder = projectFolder(world.home, world.project);
  // Says first when there is nothing: the lock needs the folder.
  byId(lessonsHere(world), id);
  const report = changeLessons(world.home, folder, (files) => {
    const lesson = byId(files, id);
    const pinned: Lesson = { ...lesson, pinned: true };
    const kept =
      what === 'drop'
        ? dropLesson(files.kept, lesson, now)
        : { ...files.kept, lessons: files.kept.lessons.map((one) => (one === lesson ? pinned : one)) };
    return { files: { kept }, result: reportOf(what === 'drop' ? lesson : pinned, files.loops) };
  });
  if (json) for (const line of jsonLines(report)) out(line);
  else if (what === 'drop') out(`Dropped ${report.id}. It is not made again for 90 days.`);
  else out(`Pinned ${report.id}: it stays, with or without a gain, and does not expire.`);
}

function lessonsHere({ home, project }: World): LessonFiles {
  return readLessons(home, projectFolder(home, project));
}

function byId({ kept: { lessons } }: LessonFiles, id: string): Lesson {
  const exact = lessons.find((lesson) => lesson.id === id);
  const meant = exact ? [exact] : lessons.filter((lesson) => id !== '' && lesson.id.startsWith(id));
  const [only, second] = meant;
  if (!only) throw new UsageError(`there is no lesson "${id}" in this project; see: untildone lessons`);
  if (second) throw new UsageError(`"${id}" could be any of: ${meant.map((one) => one.id).join(', ')}`);
  return only;
}
