/** The bundle for authors of hooks: the scripted model, the demos, the replay of known bugs, and the proof of a hold. */

import { type ConformanceOptions, conformance } from '../dev/conformance/command.ts';
import { watchInterruption } from '../terminal/interruption.ts';
import { out } from '../terminal/print.ts';

export { demo } from '../dev/demo/command.ts';
export { measureHold } from '../dev/proof/measure-hold.ts';
export { simulate } from '../dev/simulator/command.ts';

/** Returns the exit code: 0 when all passed, 1 when something failed. */
export function replayBugs(options: ConformanceOptions): Promise<number> {
  return conformance(options, watchInterruption(), out);
}
