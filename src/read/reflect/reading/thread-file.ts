import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { thisProgram } from '../../../engine/home/program.ts';

/** What a thread that reads is started with; undefined when the code runs from its sources. */
export function threadFile(): string | undefined {
  const file = join(dirname(thisProgram().hookEntry), 'program', 'reflect.mjs');
  return existsSync(file) ? file : undefined;
}
