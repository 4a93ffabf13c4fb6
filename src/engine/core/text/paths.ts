/**
 * A path of the contract in its shortest form, relative to the project (`.` is the project itself); undefined when it is
 * absolute or leads out of the project.
 */
export function insideProject(path: string): string | undefined {
  if (path.startsWith('/') || path.includes('\0')) return undefined;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/') || '.';
}

/** Makes a safe file name from any text: letters, digits, dash, underscore and dot. */
export function fileNameFor(text: string): string {
  return (
    text
      .replace(/[^A-Za-z0-9_.-]+/g, '-')
      .replace(/^[.-]+/, '')
      .slice(0, 80) || 'unnamed'
  );
}

/** Whether an id from outside is safe as a file name: letters, digits, dash and underscore. */
export function isSafeId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(id);
}
