import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Everything in a folder but `.git`: names byte by byte, modes, contents, and how many names a file has. */
export function contentOf(folder: string): string[] {
  const visitFolder = (at: Buffer): string[] =>
    readdirSync(at, { encoding: 'buffer' }).flatMap((name) => {
      if (name.toString() === '.git') return [];
      const path = Buffer.concat([at, Buffer.from('/'), name]);
      const stat = lstatSync(path);
      const inside = path.subarray(folder.length).toString('latin1');
      const head = `${inside} ${stat.mode.toString(8)}`;
      if (stat.isSymbolicLink()) return [`${head} -> ${readlinkSync(path)}`];
      if (stat.isDirectory()) return [head, ...visitFolder(path)];
      return [`${head} ${stat.nlink} ${readFileSync(path, 'latin1')}`];
    });
  return visitFolder(Buffer.from(folder)).sort();
}
