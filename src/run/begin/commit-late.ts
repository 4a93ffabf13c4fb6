import { hasEnded } from '../../core/loop/state.ts';
import type { World } from '../../hook/wiring/world.ts';
import type { LoopRef } from '../../ports/ports.ts';
import type { RunGit } from '../git/commit-progress.ts';

/**
 * A runner that was killed between finding a run done and committing its work has left it in the tree. What lies there is
 * committed now, if it is still exactly what was judged. Returns lines for the person.
 */
export async function commitLate(ref: LoopRef, git: RunGit, world: World): Promise<string[]> {
  const { entry, state } = world.store.tail(ref).line;
  if (entry.kind !== 'stop' || !hasEnded(state) || entry.seen.tree === undefined) return [];
  if ((await git.standing()).left === 0) return [];
  const { contract, frozen } = world.store.contract(ref);
  const tree = await (await world.judges(contract)).workspace(frozen.project).tree();
  if (tree !== entry.seen.tree) return [`Not committed: ${git.folder} was changed since it was judged`];
  return git.keep(state, entry.verdicts);
}
