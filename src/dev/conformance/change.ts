import type { Layout } from './layouts.ts';
import { type Action, type Scenario, STATE } from './scenario.ts';
import type { World } from './world.ts';

/** A step that changes files behind the hook's back. */
export type Change = Extract<Action, { kind: 'write' | 'remove' | 'restore' | 'make' | 'git' }>;

/** The files that a path of a scenario stands for: `state` may be several. */
export function filesOf(path: string, scenario: Scenario, layout: Layout): string[] {
  return path === STATE ? layout.paths(scenario.loop?.session ?? 'S1') : [path];
}

export function change(action: Change, world: World, scenario: Scenario, layout: Layout): void {
  const main = (path: string) => filesOf(path, scenario, layout)[0] ?? path;
  switch (action.kind) {
    case 'write':
      world.write(main(action.path), action.content);
      break;
    case 'remove':
      for (const path of filesOf(action.path, scenario, layout)) world.remove(path);
      break;
    case 'restore':
      if (scenario.loop) writeAll(layout.layOut(scenario.loop), world);
      break;
    case 'make':
      world.make(main(action.path), action.what);
      break;
    case 'git':
      world.git(world.fill(action.line).split(' '));
      break;
  }
}

/** Whatever makes the given loop finished in its format; returns what the agent says then. */
export function finish(world: World, { loop }: Scenario, layout: Layout): string {
  if (!loop) throw new Error('there is no loop to finish');
  const { says, write, remove } = layout.finish(loop);
  writeAll(write, world);
  for (const path of remove) world.remove(path);
  return says;
}

function writeAll(files: Record<string, string>, world: World): void {
  for (const [path, text] of Object.entries(files)) world.write(path, text);
}
