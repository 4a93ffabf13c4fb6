import { openWorld } from '../../engine/hook/wiring/world.ts';
import { confirm, live, onTerminal, out } from '../../engine/terminal/print.ts';
import { setup } from './setup.ts';
import type { SetupFlags } from './setup-flags.ts';
import { undoSetup } from './undo.ts';

/** `untildone setup`. */
export async function setupHere({ undo, ...flags }: SetupFlags & { undo: boolean }): Promise<void> {
  const world = openWorld();
  process.exitCode = undo
    ? undoSetup(flags, world, out)
    : await setup(flags, world, { isThere: onTerminal(), ask: confirm, out, live: live() });
}
