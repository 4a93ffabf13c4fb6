/** Tests that a gate runs and another one compares. */
import { runsInCleanRoom } from '../../core/contract/clean-room.ts';
import { specsOf } from '../../core/loop/plan-gates.ts';
import { insideProject } from '../../core/text/paths.ts';
import type { GateContext } from '../gate.ts';

/** Which tests run, and how. */
export interface TestsToRun {
  command: string;
  cwd?: string;
  env?: Readonly<Record<string, string>>;
}

/**
 * Whether a gate of the contract compares the tests that this one runs. Then both share the run, in a room where no other
 * gate writes.
 */
export function isCompared(tests: TestsToRun, { request, name, tree, rooms }: GateContext): boolean {
  const { contract } = request;
  const own = specsOf(request.calls).get(name);
  if (tree === undefined || !rooms || !own || !runsInCleanRoom(contract, own)) return false;
  const keyOf = ({ command, cwd, env }: TestsToRun, network: boolean | undefined) =>
    JSON.stringify([command, insideProject(cwd ?? '.'), env ?? null, network ?? null]);
  const key = keyOf(tests, own.network);
  return Object.values(contract.gates).some(
    (spec) => spec.kind === 'differential' && keyOf(spec.options, spec.network) === key,
  );
}
