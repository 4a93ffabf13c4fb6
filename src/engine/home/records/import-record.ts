import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../files/digest.ts';
import { freeName, readSmall, writeWhole } from '../../files/whole-file.ts';
import { type Home, projectFolder } from '../layout.ts';

/** What one import did, in its order, so that every byte can be put back. */
interface Manifest {
  v: 1;
  at: string;
  from: string;
  done: Done[];
  /** The loop that an import of a state file began, which earlier versions did. */
  loop?: string;
}

type Done =
  | {
      kind: 'file';
      path: string;
      /** The copy of the old file in the import's folder; null when there was no file. */
      copy: string | null;
      mode: number;
      /** SHA-256 of what the import wrote; null when it removed the file. */
      after: string | null;
    }
  /** A folder that an import of a state file put aside, which earlier versions did. */
  | { kind: 'renamed'; path: string; to: string };

const MANIFEST = 'import.json';
const LARGEST = 64 * 1024 * 1024;

/** The old files of one import, kept in the untildone home before they are changed. */
export class ImportRecord {
  readonly dir: string;
  private readonly manifest: Manifest;

  constructor(dir: string, manifest: Manifest) {
    this.dir = dir;
    this.manifest = manifest;
  }

  static begin(home: Home, project: string, from: string, now: number): ImportRecord {
    const at = new Date(now).toISOString();
    const dir = freeName(join(importsFolder(home, project), at.replace(/[-:]/g, '').slice(0, 15)));
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return new ImportRecord(dir, { v: 1, at, from, done: [] });
  }

  /** The last import of a project that was not undone. */
  static latest(home: Home, project: string): ImportRecord | undefined {
    const folder = importsFolder(home, project);
    const names = existsSync(folder) ? readdirSync(folder).sort().reverse() : [];
    for (const name of names) {
      const manifest = manifestIn(join(folder, name));
      if (manifest) return new ImportRecord(join(folder, name), manifest);
    }
    return undefined;
  }

  get loop(): string | undefined {
    return this.manifest.loop;
  }

  /** Copies a file before it is changed. `after` is its new text. */
  keep(path: string, after: string): void {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat && (!stat.isFile() || stat.size > LARGEST))
      throw new Error(
        `${path} cannot be imported: it is not a regular file, or larger than ${LARGEST / 1024 / 1024} MiB`,
      );
    const copy = stat ? `${this.manifest.done.length}-${basename(path)}` : null;
    if (copy !== null) writeWhole(join(this.dir, copy), readFileSync(path));
    const mode = (stat?.mode ?? 0o644) & 0o777;
    this.add({ kind: 'file', path, copy, mode, after: sha256(after) });
  }

  /** Changes since the import that undoing it would lose, one line each. */
  conflicts(): string[] {
    return this.manifest.done.flatMap((done) => this.conflictOf(done) ?? []);
  }

  private conflictOf(done: Done): string | undefined {
    if (done.kind === 'renamed') {
      const inTheWay = existsSync(done.path) && existsSync(done.to);
      return inTheWay ? `${done.path} was created again; the old one is ${done.to}` : undefined;
    }
    const now = bytesAt(done.path);
    if (isSame(now, this.bytesBefore(done)) || isAfter(now, done.after)) return undefined;
    const kept = done.copy === null ? 'there was none before' : `the old one is ${join(this.dir, done.copy)}`;
    return `${done.path} was changed since the import (${kept})`;
  }

  /** Puts back what was not changed since, last first, and returns a line for each. Drops the record when all is back. */
  undo(): string[] {
    const { done } = this.manifest;
    const left = done.filter((each) => this.conflictOf(each) !== undefined);
    const back = [...done].reverse().flatMap((each) => (left.includes(each) ? [] : this.putBack(each)));
    if (left.length === 0) rmSync(this.dir, { recursive: true, force: true });
    else {
      this.manifest.done = left;
      this.write();
    }
    return back;
  }

  private putBack(done: Done): string[] {
    if (done.kind === 'renamed') {
      if (!existsSync(done.to)) return [];
      renameSync(done.to, done.path);
      return [`Put back: ${done.path}`];
    }
    const before = this.bytesBefore(done);
    if (isSame(bytesAt(done.path), before)) return [];
    if (before === undefined) {
      unlinkSync(done.path);
      return [`Removed: ${done.path}, which the import had created`];
    }
    mkdirSync(dirname(done.path), { recursive: true });
    writeWhole(done.path, before, done.mode);
    return [`Put back: ${done.path}`];
  }

  private bytesBefore({ copy }: Extract<Done, { kind: 'file' }>): Buffer | undefined {
    return copy === null ? undefined : readFileSync(join(this.dir, copy));
  }

  private add(done: Done): void {
    this.manifest.done.push(done);
    this.write();
  }

  private write(): void {
    writeWhole(join(this.dir, MANIFEST), `${JSON.stringify(this.manifest, null, 2)}\n`);
  }
}

function importsFolder(home: Home, project: string): string {
  return join(projectFolder(home, project), 'imports');
}

function manifestIn(dir: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(readSmall(join(dir, MANIFEST)) ?? 'null') as Manifest | null;
    return manifest?.v === 1 && Array.isArray(manifest.done) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

function bytesAt(path: string): Buffer | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : undefined;
}

function isSame(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

function isAfter(now: Buffer | undefined, after: string | null): boolean {
  if (now === undefined || after === null) return now === undefined && after === null;
  return sha256(now.toString('utf8')) === after;
}
