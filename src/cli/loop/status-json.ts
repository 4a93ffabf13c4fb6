import type { HooksState } from '../../client/settings/would-run.ts';
import type { Found } from '../../read/loop/find-loop.ts';
import { lookAtLoop, type ViewingWorld } from '../../read/loop/look-at-loop.ts';
import { type LoopJson, loopJson } from '../../read/loop/loop-json.ts';
import type { ForeignStatus } from './foreign-status.ts';

/** What `status --json` promises to other programs: docs/reference/json-output.md. Fields are added, never changed. */
export interface StatusJson {
  loops: (LoopJson | { id: string; status: 'unreadable'; problem: string })[];
  foreign: readonly ForeignStatus[];
  /** Whether a session that begins in this project would be held, and if not, why. */
  hooks: { would_run: boolean; problem: string | null };
}

export function statusJson(
  found: readonly Found[],
  foreign: readonly ForeignStatus[],
  hooks: HooksState,
  world: ViewingWorld,
): StatusJson {
  return {
    loops: found.map((one) => jsonOf(one, world)),
    foreign,
    hooks: { would_run: hooks.held, problem: hooks.held ? null : hooks.why },
  };
}

function jsonOf(found: Found, world: ViewingWorld): StatusJson['loops'][number] {
  if (!('state' in found)) return { id: found.ref.loop, status: 'unreadable', problem: found.problem };
  return loopJson(lookAtLoop(found.ref, found.state, world));
}
