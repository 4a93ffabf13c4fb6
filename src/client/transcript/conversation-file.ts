import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { Utterance } from '../../core/loop/conversation.ts';
import { parseConversation } from './conversation.ts';

/** Of a longer transcript, the end. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The end of the conversation in a transcript, oldest first. Never throws, never waits: what is no file says nothing. */
export function readConversation(path: string, maxBytes = MAX_BYTES): Utterance[] {
  const text = endOf(path, maxBytes);
  return text === undefined ? [] : parseConversation(text.split('\n'));
}

function endOf(path: string, maxBytes: number): string | undefined {
  let fd: number | undefined;
  try {
    if (!statSync(path).isFile()) return undefined;
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const { size } = fstatSync(fd);
    const start = Math.max(0, size - maxBytes);
    const bytes = Buffer.alloc(size - start);
    const read = readSync(fd, bytes, 0, bytes.length, start);
    const text = bytes.toString('utf8', 0, read);
    // The first line of a part is the end of another one.
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
