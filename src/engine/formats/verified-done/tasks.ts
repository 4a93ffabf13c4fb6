import { oneLine } from '../../core/text/clip.ts';
import type { ForeignFiles } from '../../ports/ports.ts';
import type { Damage } from '../format.ts';
import { plainText, readObject } from './fields.ts';

export interface OpenTask {
  /** `tasks/3.json` is `3`. */
  id: string;
  status: string;
  subject: string;
}

export interface Tasks {
  open: OpenTask[];
  total: number;
  /** There are more files than are read. */
  more?: true;
}

export interface Unreadable {
  /** The name of the file in the state folder. */
  name: string;
  problem: string;
  damage?: Damage;
}

/** More files are not read. As nobody knows what stands in them, they hold the session, and it is told. */
export const MOST_FILES = 100_000;
const NAME_LIMIT = 120;

export interface TasksRead {
  tasks: Tasks;
  unreadable: Unreadable[];
}

/** The task files of a state folder, those in subfolders too. */
export function readTasks(folder: string, files: ForeignFiles, most = MOST_FILES): TasksRead {
  const { paths, more } = jsonFiles(`${folder}/tasks`, files, most);
  const tasks: Tasks = { open: [], total: 0, ...(more ? { more } : {}) };
  const unreadable: Unreadable[] = [];
  for (const path of paths) {
    const name = path.slice(folder.length + 1);
    const read = readObject(path, files);
    if (read.kind === 'unusable') unreadable.push({ ...read, name });
    if (read.kind !== 'object') continue;
    tasks.total++;
    const status = plainText(read.fields.status) ?? '';
    if (!isOpen(status)) continue;
    const id = oneLine(name.slice('tasks/'.length, -'.json'.length), NAME_LIMIT);
    const { subject, title, description } = read.fields;
    const said = [subject, title, description].map((text) => oneLine(plainText(text) ?? '', NAME_LIMIT));
    tasks.open.push({ id, status: oneLine(status, 30), subject: said.find((text) => text !== '') ?? id });
  }
  return { tasks, unreadable };
}

/** Whether an id can be typed without quotes and stays inside the folder. */
export function isTaskId(id: string): boolean {
  return id.length <= 128 && /^\w[\w.-]*(?:\/\w[\w.-]*){0,3}$/.test(id);
}

/** Whether a status holds one of these words, as the format's own hook counts. */
function isOpen(status: string): boolean {
  return /pending|in_progress/.test(status);
}

/** The JSON files of a folder and its subfolders, of any depth. Links to folders do not lead out of it, nor in circles. */
export function jsonFiles(
  folder: string,
  files: ForeignFiles,
  most = MOST_FILES,
): { paths: string[]; more: boolean } {
  const paths: string[] = [];
  const seen = new Set<string>();
  const root = files.realPath(folder);
  const waiting = [folder];
  for (let inside = waiting.pop(); inside !== undefined; inside = waiting.pop()) {
    const real = files.realPath(inside);
    if (seen.has(real) || !`${real}/`.startsWith(`${root}/`)) continue;
    seen.add(real);
    const deeper: string[] = [];
    for (const name of files.list(inside)) {
      const path = `${inside}/${name}`;
      const isJson = name.endsWith('.json');
      if (isJson && paths.length === most) return { paths, more: true };
      if (isJson) paths.push(path);
      if (files.look(path)?.kind === 'folder') deeper.push(path);
    }
    waiting.push(...deeper.reverse());
  }
  return { paths, more: false };
}
