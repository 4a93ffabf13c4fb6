import { prepareHome } from '../../engine/client/settings/files.ts';
import type { Limit } from '../../engine/core/contract/contract.ts';
import { thisProgram } from '../../engine/home/program.ts';
import { ownerFrom, taskFrom } from '../../engine/hook/start/inputs.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { start } from '../../engine/hook/start/start.ts';
import { openWorld } from '../../engine/hook/wiring/world.ts';
import { out } from '../../engine/terminal/print.ts';
import { forgetOldSessions, packManyLoose } from './remove-loops.ts';

interface StartFlags {
  promise?: string;
  maxIterations?: Limit;
  maxDuration?: Limit;
  session?: string;
  promptFile?: string;
}

/** `untildone start`. */
export async function startLoop(words: string[], flags: StartFlags): Promise<void> {
  const session = ownerFrom(flags.session, process.env);
  const world = openWorld(session);
  if (flags.session !== undefined && flags.session !== process.env.CLAUDE_CODE_SESSION_ID) {
    refuseInsideClient('start --session', world.home, process.env);
  }
  const { promptFile, session: _, ...limits } = flags;
  prepareHome(world.home.root, thisProgram());
  forgetOldSessions(world.home, world.clock.now());
  const task = taskFrom(words, promptFile);
  process.exitCode = await start({ task, ...limits, session, project: world.project }, world, out);
  await packManyLoose(world.home, world.project);
}
