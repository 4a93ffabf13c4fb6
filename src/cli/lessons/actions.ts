import { UsageError } from '../../engine/core/text/errors.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { openProject, openProjectToRead } from '../../engine/hook/wiring/project-ports.ts';
import { out } from '../../engine/terminal/print.ts';
import { changeLesson, listLessons, showLesson } from './lessons.ts';

/** `untildone lessons`. */
export function lessons(
  action: 'list' | 'show' | 'drop' | 'pin',
  id: string | undefined,
  { json }: { json: boolean },
): void {
  if (action === 'list') {
    listLessons(json, openProjectToRead(), out);
    return;
  }
  if (id === undefined)
    throw new UsageError(`name the lesson: untildone lessons ${action} ID; see: untildone lessons`);
  if (action === 'show') {
    showLesson(id, json, openProjectToRead(), out);
    return;
  }
  const world = openProject();
  refuseInsideClient(`lessons ${action}`, world.home, process.env);
  changeLesson(action, id, json, world, out);
}
