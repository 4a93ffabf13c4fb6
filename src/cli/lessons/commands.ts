import { Argument, type Command } from 'commander';
import { UsageError } from '../../core/text/errors.ts';
import { refuseInsideClient } from '../../hook/start/person.ts';
import { openWorld, openWorldToRead } from '../../hook/wiring/world.ts';
import { out } from '../../terminal/print.ts';
import { changeLesson, listLessons, showLesson } from './lessons.ts';

const ACTIONS = ['list', 'show', 'drop', 'pin'] as const;

export function addLessonsCommand(cli: Command): void {
  cli
    .command('lessons')
    .description('show what sessions are told of earlier loops, and whether it helps; drop or pin a lesson')
    .addArgument(new Argument('[action]', 'what to do').choices(ACTIONS).default('list'))
    .argument('[id]', 'the lesson, by its id or the beginning of it')
    .option('--json', 'print JSON', false)
    .action((action: (typeof ACTIONS)[number], id: string | undefined, { json }: { json: boolean }) => {
      if (action === 'list') return listLessons(json, openWorldToRead(), out);
      if (id === undefined)
        throw new UsageError(`name the lesson: untildone lessons ${action} ID; see: untildone lessons`);
      if (action === 'show') return showLesson(id, json, openWorldToRead(), out);
      const world = openWorld();
      refuseInsideClient(`lessons ${action}`, world.home, process.env);
      changeLesson(action, id, json, world, out);
    });
}
