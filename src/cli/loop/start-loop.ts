import { prepareHome } from '../../engine/client/settings/files.ts';
import { thisProgram } from '../../engine/home/program.ts';
import { ownerFrom, taskFrom } from '../../engine/hook/start/inputs.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { start } from '../../engine/hook/start/start.ts';
import { openProject } from '../../engine/hook/wiring/project-ports.ts';
import { out } from '../../engine/terminal/print.ts';
import { choicesFrom, firstLimits } from '../run-options.ts';
import { forgetOldSessions, packManyLoose } from './remove-loops.ts';

/** Beside the flags of options: src/engine/core/run/options.ts. */
interface StartFlags {
  session?: string;
  promptFile?: string;
}

/** `untildone start`. */
export async function startLoop(words: string[], flags: StartFlags): Promise<void> {
  const session = ownerFrom(flags.session, process.env);
  const world = openProject(session);
  if (flags.session !== undefined && flags.session !== process.env.CLAUDE_CODE_SESSION_ID) {
    refuseInsideClient('start --session', world.home, process.env);
  }
  const { promise, limits } = choicesFrom(flags);
  prepareHome(world.home.root, thisProgram());
  forgetOldSessions(world.home, world.clock.now());
  const task = taskFrom(words, flags.promptFile);
  process.exitCode = await start(
    { task, promise, limits: firstLimits(limits), session, project: world.project },
    world,
    out,
  );
  await packManyLoose(world.home, world.project);
}
