/** Facts that gates keep between the Stops of a loop, such as what the tests of the start did on its code. */
import { mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../files/digest.ts';
import { namesIn, readSmall, writeWhole } from '../files/whole-file.ts';
import type { Kept } from '../ports/ports.ts';
import { sealedJson, unsealedJson } from './layout.ts';

/** Enough for the runs that one differential judging compares, several times over. */
const MOST_FILES = 64;
const FILE_LIMIT = 64 * 1024 * 1024;

/**
 * One sealed file a fact, in a folder of the loop. `of` is what all facts depend on: with another contract they are not
 * found. Without a key nothing is kept, because anybody could have written it.
 */
export function keptFacts(folder: string, of: string, key: string): Kept {
  const purpose = (name: string) => `kept ${folder} ${of} ${name}`;
  const fileOf = (name: string) => join(folder, `${sha256(purpose(name)).slice(0, 32)}.json`);
  return {
    read(name) {
      if (key === '') return undefined;
      try {
        const text = readSmall(fileOf(name), FILE_LIMIT);
        const found =
          text === undefined ? undefined : unsealedJson<{ value: unknown }>(text, purpose(name), key);
        if (found) touch(fileOf(name));
        return found?.value;
      } catch {
        return undefined;
      }
    },
    write(name, value) {
      if (key === '') return;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeWhole(fileOf(name), sealedJson({ value }, purpose(name), key));
        forgetOldest(folder);
      } catch {
        // The disk is full or read-only: it is found out again.
      }
    },
  };
}

function touch(file: string): void {
  const now = new Date();
  utimesSync(file, now, now);
}

function forgetOldest(folder: string): void {
  const names = namesIn(folder).filter((name) => name.endsWith('.json'));
  if (names.length <= MOST_FILES) return;
  const byAge = names
    .map((name) => ({
      path: join(folder, name),
      at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of byAge.slice(MOST_FILES)) rmSync(path, { force: true });
}
