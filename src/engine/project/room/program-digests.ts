/**
 * Digests of programs that were seen, by their stamp: as long as the stamp is the same, so is the content. Hashing every
 * program takes seconds, so it is done a part at a time, small programs first. A digest that is not known yet costs nothing
 * but that a program whose stamp alone has changed counts as another one.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as otherWork } from 'node:timers/promises';
import { sha256OfFile } from '../../files/digest.ts';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import { sealedJson, unsealedJson } from '../../home/layout.ts';
import { type DigestOf, type Programs, sizeIn, stampOf } from './programs.ts';

const NAME = 'program-digests';
const PURPOSE = 'digests of programs';
const LARGEST_FILE = 16 * 1024 * 1024;
/** The oldest go first. A machine has some thousand programs. */
const MOST = 20_000;

export interface ProgramDigests {
  /** Of what lay at this path with this stamp. */
  known: DigestOf;
  /** The same, hashed now if need be: undefined when what lies there has another stamp. */
  measured: DigestOf;
  /** Hashes what is not known yet for about so long, and keeps everything that is known. */
  learn(programs: Programs, budgetMs: number): void;
  /** The same, a few milliseconds at a time, while this process waits for others. Never rejects. */
  learnMeanwhile(programs: Programs, budgetMs: number): Promise<void>;
}

const AT_A_TIME_MS = 5;

/** Kept in this folder of the home, sealed: who could write another digest there could put another program in place. */
export function programDigestsIn({ folder, key }: { folder: string; key: string }): ProgramDigests {
  const file = join(folder, NAME);
  const digests = new Map(Object.entries(kept(file, key)));
  let isNew = false;
  const known: DigestOf = (path, stamp) => digests.get(nameOf(path, stamp));
  const measured: DigestOf = (path, stamp) => {
    const before = known(path, stamp);
    if (before !== undefined) return before;
    const digest = digestWhile(path, stamp);
    if (digest === undefined) return undefined;
    digests.set(nameOf(path, stamp), digest);
    isNew = true;
    return digest;
  };
  function* learning(programs: Programs, budgetMs: number): Generator<void> {
    let [spent, began] = [0, performance.now()];
    const unknown = Object.values(programs)
      .filter(({ path, stamp }) => known(path, stamp) === undefined)
      .sort((a, b) => sizeIn(a.stamp) - sizeIn(b.stamp));
    for (const { path, stamp } of unknown) {
      measured(path, stamp);
      const took = performance.now() - began;
      if (spent + took >= budgetMs) break;
      if (took < AT_A_TIME_MS) continue;
      yield;
      spent += took;
      began = performance.now();
    }
    if (isNew) keep(file, key, digests);
  }
  return {
    known,
    measured,
    learn: (programs, budgetMs) => {
      for (const _ of learning(programs, budgetMs));
    },
    learnMeanwhile: async (programs, budgetMs) => {
      for (const _ of learning(programs, budgetMs)) await otherWork();
    },
  };
}

function nameOf(path: string, stamp: string): string {
  return `${stamp}\n${path}`;
}

/** The digest of a program, if it is the one of this stamp from beginning to end. */
function digestWhile(path: string, stamp: string): string | undefined {
  try {
    // A pipe or a device in its place would never end.
    if (!statSync(path).isFile()) return undefined;
    const digest = sha256OfFile(path);
    return stampOf(path) === stamp ? digest : undefined;
  } catch {
    return undefined;
  }
}

function kept(file: string, key: string): Record<string, string> {
  try {
    const text = readSmall(file, LARGEST_FILE);
    return (text === undefined ? undefined : unsealedJson<Record<string, string>>(text, PURPOSE, key)) ?? {};
  } catch {
    return {};
  }
}

/** Never throws: what is not kept is hashed again. */
function keep(file: string, key: string, known: ReadonlyMap<string, string>): void {
  try {
    writeWhole(file, sealedJson(Object.fromEntries([...known].slice(-MOST)), PURPOSE, key));
  } catch {
    // The disk is full, or the home cannot be written.
  }
}
