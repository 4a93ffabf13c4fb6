import { partMissing } from '../engine/core/text/errors.ts';
import { EXIT } from '../engine/core/words/exit-codes.ts';

/** Loads a part of the program, and ends in plain words where that is not possible. */
export async function loadProgram(load: () => Promise<unknown>): Promise<void> {
  try {
    await load();
  } catch (cause) {
    console.error(`untildone: ${partMissing(cause as Error).message}`);
    process.exitCode = EXIT.refused;
  }
}
