import { UsageError } from '../../engine/core/text/errors.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { openWorld, openWorldToRead } from '../../engine/hook/wiring/world.ts';
import { out } from '../../engine/terminal/print.ts';
import { changeLesson, listLessons, showLesson } from './lessons.ts';

/** `untildone lessons`. */
export function lessons(
  action: 'list' | 'show' | 'drop' | 'pin',
  id: string | undefined,
  { json }: { json: boolean },
): void {
  if (action === 'list') {
    listLessons(json, openWorldToRead(), out);
    return;
  }
  if (id === undefined)
    throw new UsageError(`name the lesson: untildone lessons ${action} ID; see: untildone lessons`);
  if (action === 'show') {
    showLesson(id, json, openWorldToRead(), out);
    return;
  }
  const world = openWorld();
  refuseInsideClient(`lessons ${action}`, world.home, process.env);
  changeLesson(action, id, json, world, out);
}
