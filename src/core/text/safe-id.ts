/** Ids from outside become file names: letters, digits, dash and underscore, nothing that can climb. */
export function isSafeId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(id);
}
