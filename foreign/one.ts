/** Plays one source, wherever it comes from. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findClone, missingProgram } from './place.ts';
import { play } from './play.ts';
import type { Row } from './row.ts';
import { cloneLine, type Source } from './source.ts';

export interface Playing {
  /** The folder of clones. */
  clones: string;
  /** Everything that is made lies here. */
  folder: string;
  /** The commit of untildone that was built. */
  program: string;
  /** Longest time for one project. */
  minutes: number;
  /** Leave what was made. */
  keep: boolean;
}

export async function playOne(source: Source, playing: Playing): Promise<Row> {
  const { name, ecosystem, licence, commit, scale } = source;
  const common = {
    ...{ name, ecosystem, licence, commit, ...(scale === undefined ? {} : { scale }) },
    ...{ program: playing.program, at: new Date().toISOString() },
  };
  const missing = missingProgram(source);
  if (missing !== undefined) return { ...common, result: 'not played', why: `${missing} is not on PATH` };
  const root = join(playing.folder, name.replace('/', '+'));
  const clone = cloneOf(source, playing.clones, root);
  if (clone === undefined) return { ...common, result: 'not played', why: cloneLine(source, 'DIR') };
  const row = { ...common, ...(await play(source, clone, root, { seconds: playing.minutes * 60 })) };
  if (!playing.keep) for (const path of [root, madeAt(root)]) rmSync(path, { recursive: true, force: true });
  return row;
}

function cloneOf(source: Source, clones: string, root: string): string | undefined {
  if (source.make === undefined) return findClone(source, clones);
  const made = madeAt(root);
  rmSync(made, { recursive: true, force: true });
  source.make(made);
  return made;
}

function madeAt(root: string): string {
  return `${root}.made`;
}
