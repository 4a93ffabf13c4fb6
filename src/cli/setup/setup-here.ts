import { openProject } from '../../engine/hook/wiring/project-ports.ts';
import { confirm, live, onTerminal, out } from '../../engine/terminal/print.ts';
import { setup } from './setup.ts';
import type { SetupFlags } from './setup-flags.ts';
import { undoSetup } from './undo.ts';

/** `untildone setup`. */
export async function setupHere({ undo, ...flags }: SetupFlags & { undo: boolean }): Promise<void> {
  const world = openProject();
  process.exitCode = undo
    ? undoSetup(flags, world, out)
    : await setup(flags, world, { isThere: onTerminal(), ask: confirm, out, live: live() });
}
