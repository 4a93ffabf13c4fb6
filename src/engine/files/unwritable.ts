/** Errors that say that nothing can be written or read now, although nothing is wrong with what was asked for. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);
const UNUSABLE = new Set([...FULL, 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'EACCES', 'EPERM']);

/** What git, a program of its own, says instead. */
const FULL_IN_WORDS = /No space left on device|Disk quota exceeded/;
const UNUSABLE_IN_WORDS =
  /No space left on device|Disk quota exceeded|Input\/output error|Read-only file system|Too many open files|Permission denied/;

/** Whether there is no room left, for anybody or for this user. */
export function isDiskFull(error: unknown): boolean {
  return isOf(error, FULL, FULL_IN_WORDS);
}

/** Whether files cannot be written now: no room, no right, no free descriptor, or a device that fails. */
export function cannotBeWritten(error: unknown): boolean {
  return isOf(error, UNUSABLE, UNUSABLE_IN_WORDS);
}

function isOf(error: unknown, codes: ReadonlySet<string>, words: RegExp): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && codes.has(code)) return true;
  return words.test(error.message) || isOf(error.cause, codes, words);
}
