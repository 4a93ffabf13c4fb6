import type { HooksState } from '../../engine/client/settings/would-run.ts';
import type { Found } from '../../engine/run/person/find-loop.ts';
import type { ViewingPorts } from '../../read/loop/look-at-loop.ts';
import { foundJson, type LoopJson, type UnreadableLoopJson } from '../../read/loop/loop-json.ts';
import type { ForeignStatus } from './foreign-status.ts';

/** What `status --json` promises to other programs: docs/reference/json-output.md. Fields are added, never changed. */
export interface StatusJson {
  loops: (LoopJson | UnreadableLoopJson)[];
  foreign: readonly ForeignStatus[];
  /** Whether a session that begins in this project would be held, and if not, why. */
  hooks: { would_run: boolean; problem: string | null };
}

export function statusJson(
  found: readonly Found[],
  foreign: readonly ForeignStatus[],
  hooks: HooksState,
  world: ViewingPorts,
): StatusJson {
  return {
    loops: found.map((one) => foundJson(one, world)),
    foreign,
    hooks: { would_run: hooks.held, problem: hooks.held ? null : hooks.why },
  };
}
