import { sha256 } from '../engine/files/digest.ts';
import { newLoopId } from '../engine/hook/start/inputs.ts';

/** The id of a run. The same key for the same repository gives the same run. */
export function runIdFor(repo: string, key: string | undefined, now: Date): string {
  return key === undefined ? newLoopId(now) : `k-${sha256(`${repo}\n${key}`).slice(0, 20)}`;
}

const RUNS = 'refs/untildone/runs/';

export function refNames(run: string): { journal: string; work: string } {
  return { journal: `${RUNS}${run}/journal`, work: `${RUNS}${run}/work` };
}
