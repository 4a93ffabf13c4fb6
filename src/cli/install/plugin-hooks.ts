import { writeFileSync } from 'node:fs';
import { prepareHome } from '../../engine/client/settings/files.ts';
import { pluginMark } from '../../engine/home/event-turns.ts';
import { createHome, homeFrom } from '../../engine/home/layout.ts';
import { thisProgram } from '../../engine/home/program.ts';

/** `untildone plugin-hooks`. */
export function pluginHooks(): void {
  const home = homeFrom(process.env);
  createHome(home);
  prepareHome(home.root, thisProgram());
  // From now on, hooks of untildone expect others beside them.
  writeFileSync(pluginMark(home.root), 'untildone\n', { mode: 0o600 });
}
