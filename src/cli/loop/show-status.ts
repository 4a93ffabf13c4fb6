import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACT_FILE, type SandboxRule } from '../../engine/core/contract/contract.ts';
import type { StatePlace } from '../../engine/formats/format.ts';
import { thisProgram } from '../../engine/home/program.ts';
import { programNews } from '../../engine/home/program-words.ts';
import { warnOldHooks } from '../../engine/hook/start/installed-hooks.ts';
import { mayLieHere } from '../../engine/hook/wiring/detect-foreign-state.ts';
import { openProjectToRead, type ProjectPorts, placeHere } from '../../engine/hook/wiring/project-ports.ts';
import { wallsOnMachine } from '../../engine/project/walls/walls-for.ts';
import { hooksStateOf } from '../../engine/run/person/hooks-state.ts';
import { turnEnds } from '../../engine/run/person/turn-ends.ts';
import { out } from '../../engine/terminal/print.ts';
import { loaded } from '../later.ts';
import type { ForeignStatus } from './foreign-status.ts';
import { status } from './status.ts';

interface StatusFlags {
  json: boolean;
  all: boolean;
  ended: boolean;
  watch: boolean;
}

/** `untildone status`. */
export async function showStatus(options: StatusFlags): Promise<void> {
  const world = openProjectToRead();
  if (options.watch) return watch(options, world);
  const { store, project, clock, env } = world;
  const session = process.env.CLAUDE_CODE_SESSION_ID;
  const place = placeHere(world, session);
  const foreign = mayLieHere(place) ? await foreignHere(place, world) : [];
  if (!options.json && (await hasToolRules(project))) warnOldHooks(project, env, out);
  const hooksAt = (folder: string) => hooksStateOf(folder, env);
  const wallsHere = (sandbox: SandboxRule) =>
    wallsOnMachine(sandbox, { env, untildoneHome: world.home.root });
  const turnEndOf = turnEnds(world.home, env, clock.now());
  const program = programNews(world.home.root, thisProgram(), env, clock.now());
  status({ ...options, project, foreign, program, hooksAt, wallsHere, turnEndOf }, store, clock.now(), out);
}

async function watch(options: StatusFlags, { env, project, store }: ProjectPorts): Promise<void> {
  const { watchStatus } = await loaded(() => import('../../read/dashboard/watch.ts'));
  const { dashboardWorld } = await loaded(() => import('../../read/dashboard/wiring.ts'));
  const own = !options.all && store.loops(project).length > 0;
  process.exitCode = await watchStatus(dashboardWorld(env, own ? [project] : []), options);
}

async function foreignHere(place: StatePlace, world: ProjectPorts): Promise<ForeignStatus[]> {
  const { foreignStatus, openForeign } = await loaded(() => import('./foreign-status.ts'));
  const { needsApproval } = openForeign({ home: world.home, ports: world, place });
  return foreignStatus(place, { home: world.home, store: world.store, needsApproval });
}

/** Reading a contract is most of the work of `status`: only one that may have such rules is read. */
async function hasToolRules(project: string): Promise<boolean> {
  try {
    if (!existsSync(join(project, CONTRACT_FILE))) return false;
    const { readContract } = await loaded(() => import('../../engine/contract/read.ts'));
    return readContract(project)?.contract.tools !== undefined;
  } catch {
    // The commands that use the contract say what is wrong with it.
    return false;
  }
}
