import type { ForeignFiles } from '../../ports/ports.ts';
import type { Reading, StateFormat, StatePlace } from '../format.ts';
import { AGENT_FILES, readFolder } from './reading.ts';

const USUAL_FOLDER = '.claude/data/ralph-loops/current';

/** A folder with `RALPH_PROMPT.md`, `feature_list.json` and `progress.txt`, worked through one feature at a time. */
export const featureListFormat: StateFormat = {
  name: 'feature-list',
  path: pathOf,
  read,
  agentWrites,
  handsOver: true,
};

function agentWrites(path: string, place: StatePlace, files: ForeignFiles): boolean {
  const folder = files.realPath(pathOf(place));
  return AGENT_FILES.some((name) => path === `${folder}/${name}`);
}

/** The path as it is named. Links are not resolved: `current` stays the same place when it leads to another task. */
function pathOf({ folder, ralphLoopDir }: StatePlace): string {
  const named = ralphLoopDir || USUAL_FOLDER;
  const parts = (named.startsWith('/') ? named : `${folder}/${named}`).split('/');
  return `/${parts.filter((part) => part !== '' && part !== '.').join('/')}`;
}

function read(place: StatePlace, files: ForeignFiles): Reading {
  const path = pathOf(place);
  const look = files.look(path);
  return look ? readFolder(path, look, place, files) : { kind: 'none' };
}
