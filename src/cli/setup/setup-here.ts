import { openProject } from '../../engine/hook/wiring/project-ports.ts';
import { confirm, onTerminal, out } from '../../engine/terminal/print.ts';
import { type SetupFlags, setup } from './setup.ts';
import { undoSetup } from './undo.ts';

/** `untildone setup`. */
export async function setupHere({ undo, ...flags }: SetupFlags & { undo: boolean }): Promise<void> {
  const world = openProject();
  process.exitCode = undo
    ? undoSetup(flags, world, out)
    : await setup(flags, world, { isThere: onTerminal(), ask: confirm, out });
}
