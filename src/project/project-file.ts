import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { encodeName } from './trees/git-output.ts';

const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/**
 * The first `limit` bytes of a regular file of the project; undefined when there is none. Throws for a path that leads
 * out of the project, by dots or by links. Never waits on a pipe.
 */
export async function readProjectFile(
  root: string,
  path: string,
  limit: number,
): Promise<string | undefined> {
  const wanted = isAbsolute(path) ? path : join(root, path);
  if (!isInside(root, wanted)) throw new Error(`${path} leads out of the project`);
  const real = await unlessAbsent(realpath(encodeName(wanted), 'buffer'));
  if (real === undefined) return undefined;
  if (!isInside(root, real.toString('latin1'), 'latin1')) throw new Error(`${path} leads out of the project`);
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const file = await unlessAbsent(open(real, flags));
  if (file === undefined) return undefined;
  try {
    return (await file.stat()).isFile() ? await readStart(file, limit) : undefined;
  } finally {
    await file.close();
  }
}

async function readStart(file: FileHandle, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  for (let left = limit; left > 0; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(left, 64 * 1024)));
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function isInside(root: string, path: string, encoding: 'utf8' | 'latin1' = 'utf8'): boolean {
  const from = encoding === 'latin1' ? Buffer.from(root).toString('latin1') : root;
  const way = relative(from, path);
  return way.split(sep)[0] !== '..' && !isAbsolute(way);
}

async function unlessAbsent<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    // A socket answers ENXIO: there, but nothing that can be read.
    if ([...ABSENT, 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
