import { oneLine } from '../core/text/clip.ts';

const PROBLEM_LIMIT = 200;

/** For the person: rulings hold, only the record of them has a gap. */
export function unwrittenMessage(problem: string, folder: string): string {
  return `untildone: what happens in this session cannot be written down in ${folder} (${said(problem)}). What is refused stays refused; the journal has a gap until there is room, or the folder can be written again.`;
}

/** For the agent: a stop that could not be written down because the disk is full, which it may be able to mend. */
export function noRoomReason(folder: string): string {
  return [
    `untildone: the disk that holds ${folder} is full. This stop could not be written down, so nothing is proven yet.`,
    'Make room first: remove what this work made and can be made again (build output, caches, logs, temporary files). Remove nothing that belongs to the work or to other people, and nothing in that folder. If you cannot make room, say what fills the disk.',
    'Then go on with the task, or stop again if it is done.',
  ].join('\n\n');
}

export function noRoomMessage(folder: string, count: number, most: number): string {
  return `untildone: the disk that holds ${folder} is full. The session is held all the same, uncounted, so that it can make room (${count} of ${most}).`;
}

function said(problem: string): string {
  return oneLine(problem, PROBLEM_LIMIT);
}
