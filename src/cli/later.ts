import { partMissing } from '../engine/core/text/errors.ts';

/** An action whose code is loaded when its command is called: `--help` and completion need only what the command is made of. */
export function later<Words extends unknown[]>(
  load: () => Promise<(...words: Words) => unknown>,
): (...words: Words) => Promise<void> {
  return async (...words) => {
    const action = await loaded(load);
    await action(...words);
  };
}

/** Loads a part of the program. */
export async function loaded<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    throw partMissing(cause as Error);
  }
}
