/** What authors of hooks use, and nobody else: the scripted model, the demos, and the replay of known bugs. */
import { watchInterruption } from './commands/interruption.ts';
import { out } from './commands/print.ts';
import { type ConformanceOptions, conformance } from './dev/conformance.ts';

export { demo } from './dev/demo.ts';
export { simulate } from './dev/simulate.ts';

/** Exit code: 0 when all passed, 1 when something failed. */
export function replayBugs(options: ConformanceOptions): Promise<number> {
  return conformance(options, watchInterruption(), out);
}
