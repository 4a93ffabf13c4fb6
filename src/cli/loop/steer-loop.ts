import type { PersonCommand } from '../../engine/core/loop/entry.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { openProject } from '../../engine/hook/wiring/project-ports.ts';
import { type Answer, answerQuestion, askingLoop } from '../../engine/run/person/approve-reject.ts';
import { meantLoop } from '../../engine/run/person/find-loop.ts';
import { commandLoop } from '../../engine/run/person/pause-resume-cancel-release.ts';
import { out } from '../../engine/terminal/print.ts';

/** `untildone approve` and `reject`. */
export function sayTo(command: string, said: Answer['said']) {
  return async (name: string | undefined, options: { loop?: string; note?: string }): Promise<void> => {
    const world = openProject();
    refuseInsideClient(command, world.home, process.env);
    const ref = askingLoop(world.store, world.project, options.loop);
    await answerQuestion({ said, name, note: options.note }, ref, world, out);
  };
}

/** Lets the agent resume a loop, for that holds it again. Only you may pause, cancel or release one. */
export function steerLoop(command: PersonCommand) {
  return async (id: string | undefined, options: { note?: string }): Promise<void> => {
    const world = openProject();
    const { home, store, project } = world;
    if (command !== 'resume') refuseInsideClient(command, home, process.env);
    const ref = meantLoop(store, project, id);
    await commandLoop(command, ref, options.note, world, out);
  };
}
