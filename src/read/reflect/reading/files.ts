/** The sessions of Claude Code on this machine: which transcripts there are, without reading them. */
import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { readAt, withFile } from '../../../engine/client/transcript/file.ts';

/** One session on the disk: its transcript and those of its subagents. */
export interface SessionFiles {
  /** The name of the folder in `projects`, which Claude Code makes of the path of the project. */
  folder: string;
  session: string;
  /** Absent when only transcripts of its subagents are left. */
  transcript?: string;
  /** Transcripts of subagents, oldest first. */
  subagents: string[];
  /** Of all of them together. */
  bytes: number;
  /** When the youngest of them was last written. */
  modified: number;
}

export interface FoundSessions {
  /** The folder that was searched. */
  root: string;
  /** Largest first, so that work that is shared out ends at about the same time. */
  sessions: SessionFiles[];
  /** What could not be looked at, as far as somebody should know. */
  problems: { path: string; why: string }[];
  /** Whether there is such a folder at all. */
  exists: boolean;
}

export interface FindOptions {
  /** Leaves out sessions that were last written before this time. */
  since?: number;
  /** Leaves out sessions that cannot belong to this project, by the names of their folders. */
  project?: string;
}

/** Where Claude Code keeps transcripts. */
export function projectsFolder(configDir: string): string {
  return join(configDir, 'projects');
}

const SUBAGENT = /^agent-(?!acompact).{1,200}\.jsonl$/s;
const DEEPEST = 4;

/** Never throws: what cannot be read is a problem in the answer. */
export function findSessions(root: string, options: FindOptions = {}): FoundSessions {
  const found = new SessionList();
  const isMeant = options.project === undefined ? () => true : folderTest(options.project);
  const top = found.entriesOf(root);
  for (const entry of top ?? []) {
    const path = join(root, entry.name);
    if (isMeant(entry.name) && isFolder(entry, path)) found.addProject(path);
  }
  return {
    root,
    exists: top !== undefined || found.problems.some(({ why }) => why !== 'ENOENT'),
    sessions: found.all().filter(({ modified }) => modified >= (options.since ?? Number.NEGATIVE_INFINITY)),
    problems: found.problems.filter(({ path, why }) => path !== root || why !== 'ENOENT'),
  };
}

class SessionList {
  readonly problems: FoundSessions['problems'] = [];
  private readonly sessions = new Map<string, SessionFiles>();
  /** Files and folders that were seen: links may lead to them again. */
  private readonly seen = new Set<string>();

  all(): SessionFiles[] {
    return [...this.sessions.values()].sort((a, b) => b.bytes - a.bytes || (a.session < b.session ? -1 : 1));
  }

  entriesOf(folder: string): Dirent[] | undefined {
    try {
      return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      this.problems.push({ path: folder, why: (error as NodeJS.ErrnoException).code ?? String(error) });
      return undefined;
    }
  }

  addProject(folder: string): void {
    if (!this.isNew(statOf(folder))) return;
    for (const { name } of this.entriesOf(folder) ?? []) {
      const path = join(folder, name);
      // Versions of Claude Code before 2.1 put transcripts of subagents beside those of sessions.
      if (SUBAGENT.test(name)) this.add(folder, sessionIn(path) ?? basename(name, '.jsonl'), path, true);
      else if (name.endsWith('.jsonl')) this.add(folder, basename(name, '.jsonl'), path, false);
      else this.addSubagents(folder, name, join(path, 'subagents'), 0);
    }
  }

  private addSubagents(project: string, session: string, folder: string, depth: number): void {
    const stat = statOf(folder);
    if (!stat?.isDirectory() || depth > DEEPEST || !this.isNew(stat)) return;
    for (const entry of this.entriesOf(folder) ?? []) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) this.addSubagents(project, session, path, depth + 1);
      else if (SUBAGENT.test(entry.name)) this.add(project, session, path, true);
    }
  }

  private add(project: string, id: string, path: string, isSubagent: boolean): void {
    const stat = statOf(path);
    if (!stat?.isFile() || !this.isNew(stat)) return;
    const key = `${project}/${id}`;
    const session = this.sessions.get(key) ?? {
      folder: basename(project),
      session: id,
      subagents: [],
      bytes: 0,
      modified: 0,
    };
    this.sessions.set(key, session);
    if (isSubagent) session.subagents.push(path);
    else session.transcript = path;
    session.bytes += stat.size;
    session.modified = Math.max(session.modified, stat.mtimeMs);
  }

  private isNew(stat: Stats | undefined): boolean {
    if (!stat) return false;
    const key = `${stat.dev}:${stat.ino}`;
    // Some file systems number nothing.
    if (stat.ino !== 0 && this.seen.has(key)) return false;
    this.seen.add(key);
    return true;
  }
}

function isFolder(entry: Dirent, path: string): boolean {
  return entry.isDirectory() || (entry.isSymbolicLink() && statOf(path)?.isDirectory() === true);
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

const FIRST_BYTES = 64 * 1024;

/** The session that the first lines of a transcript name. */
function sessionIn(path: string): string | undefined {
  return withFile(path, (fd, size) => {
    const start = readAt(fd, 0, Math.min(size, FIRST_BYTES)).toString('latin1');
    return /"sessionId":"([\w-]{1,100})"/.exec(start)?.[1];
  });
}

/** Claude Code cuts longer names and puts a hash behind them. */
const LONGEST_NAME = 180;

/** How Claude Code names the folder of a project, as far as it does not cut the name. */
export function folderNameOf(project: string): string {
  return resolve(project)
    .replace(/[^a-zA-Z0-9]/g, '-')
    .slice(0, LONGEST_NAME);
}

/** Whether a folder in `projects` may belong to a project or to a folder inside of it. */
function folderTest(project: string): (name: string) => boolean {
  const starts = [...new Set([project, realPathOf(project)])].map(folderNameOf);
  return (name) =>
    starts.some(
      (start) =>
        name === start ||
        name.startsWith(`${start}-`) ||
        (start.length === LONGEST_NAME && name.startsWith(start)),
    );
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
