import { openProjectToRead } from '../../engine/hook/wiring/project-ports.ts';
import { newestLoop } from '../../engine/run/person/find-loop.ts';
import { out } from '../../engine/terminal/print.ts';
import { log } from './log.ts';

/** `untildone log`. */
export async function showLog(
  id: string | undefined,
  options: { json: boolean; follow: boolean; subagents: boolean },
): Promise<void> {
  const { home, store, project, clock } = openProjectToRead();
  await log(options, newestLoop(store, project, id), { store, home, clock }, out);
}
