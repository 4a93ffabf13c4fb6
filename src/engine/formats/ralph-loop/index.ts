import type { ForeignFiles } from '../../ports/ports.ts';
import type { Reading, StateFormat, StatePlace } from '../format.ts';
import { readingOf } from './reading.ts';

export { SAFETY_STOP } from './reading.ts';

export const RALPH_FILE = '.claude/ralph-loop.local.md';

export const ralphLoopFormat: StateFormat = {
  name: 'ralph-loop',
  path: pathOf,
  read: (place, files) => read(pathOf(place), files),
};

function pathOf({ folder }: StatePlace): string {
  return `${folder}/${RALPH_FILE}`;
}

function read(path: string, files: ForeignFiles): Reading {
  const file = files.read(path);
  return file.kind === 'text' ? readingOf(path, file.text, files) : file;
}
