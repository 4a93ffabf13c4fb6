import fs from 'node:fs';

/** What lies at a path, as far as a scenario can tell it from what lay there before. */
export type Look =
  | { kind: 'nothing' }
  | { kind: 'file'; bytes: Buffer }
  /** A file that cannot be read: compared by size and time. */
  | { kind: 'closed file'; bytes: Buffer }
  | { kind: 'folder'; bytes: Buffer }
  | { kind: 'link'; bytes: Buffer }
  | { kind: 'fifo' | 'device'; bytes: Buffer };

export function lookAt(path: string): Look {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return { kind: 'nothing' };
  if (stat.isFile()) return lookInto(path, stat);
  if (stat.isDirectory())
    return { kind: 'folder', bytes: Buffer.from(fs.readdirSync(path).sort().join('\n')) };
  if (stat.isSymbolicLink()) return { kind: 'link', bytes: Buffer.from(fs.readlinkSync(path)) };
  return { kind: stat.isFIFO() ? 'fifo' : 'device', bytes: Buffer.alloc(0) };
}

function lookInto(path: string, stat: fs.Stats): Look {
  try {
    return { kind: 'file', bytes: fs.readFileSync(path) };
  } catch {
    return { kind: 'closed file', bytes: Buffer.from(`${stat.size} ${stat.mtimeMs}`) };
  }
}

export function isSame(one: Look, other: Look): boolean {
  if (one.kind === 'nothing' || other.kind === 'nothing') return one.kind === other.kind;
  return one.kind === other.kind && one.bytes.equals(other.bytes);
}

/** Where two looks begin to differ, in a few words. */
export function describeChange(before: Look, now: Look): string {
  if (now.kind === 'nothing') return 'it is gone';
  if (before.kind === 'nothing') return `now there is a ${now.kind}`;
  if (before.kind !== now.kind) return `the ${before.kind} has become a ${now.kind}`;
  return describeBytes(before.bytes, now.bytes);
}

/** The first line that differs. */
export function describeBytes(wanted: Buffer, found: Buffer): string {
  const [left, right] = [linesOf(wanted), linesOf(found)];
  const at = left.findIndex((line, index) => line !== right[index]);
  const index = at < 0 ? left.length : at;
  return `line ${index + 1} is ${shown(right[index])} instead of ${shown(left[index])}`;
}

function linesOf(bytes: Buffer): string[] {
  return bytes.toString('latin1').split(/(?<=\n)/);
}

const SHOWN = 60;

function shown(line: string | undefined): string {
  if (line === undefined) return 'missing';
  const text = Buffer.from(line, 'latin1').toString('utf8');
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text);
}
