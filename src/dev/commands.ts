/** What authors of hooks get: the scripted model, the demos, the replay of known bugs, and the proof of a hold. */

import { watchInterruption } from '../engine/terminal/interruption.ts';
import { out } from '../engine/terminal/print.ts';
import { type ConformanceOptions, conformance } from './conformance/command.ts';

export { demo } from './demo/command.ts';
export { measureHold } from './proof/measure-hold.ts';
export { simulate } from './simulator/command.ts';

/** Returns the exit code: 0 when all passed, 1 when something failed. */
export function replayBugs(options: ConformanceOptions): Promise<number> {
  return conformance(options, watchInterruption(), out);
}
