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
}

export interface Unreadable {
  /** The name of the file in the state folder. */
  name: string;
  problem: string;
  damage?: Damage;
}

/** More files are not read, and a note says so. */
const MAX_FILES = 1000;
const MAX_DEPTH = 4;
const NAME_LIMIT = 120;

export interface TasksRead {
  tasks: Tasks;
  unreadable: Unreadable[];
  note?: string;
}

/** The task files of a state folder, those in subfolders too. */
export function readTasks(folder: string, files: ForeignFiles): TasksRead {
  const { paths, more } = jsonFiles(`${folder}/tasks`, files);
  const tasks: Tasks = { open: [], total: 0 };
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
  return {
    tasks,
    unreadable,
    note: more ? `only ${MAX_FILES} files in ${folder}/tasks are read` : undefined,
  };
}

/** Whether an id can be typed without quotes and stays inside the folder. */
export function isTaskId(id: string): boolean {
  return id.length <= 128 && /^\w[\w.-]*(?:\/\w[\w.-]*){0,3}$/.test(id);
}

/** Whether a status holds one of these words, as the format's own hook counts. */
function isOpen(status: string): boolean {
  return /pending|in_progress/.test(status);
}

export function jsonFiles(folder: string, files: ForeignFiles): { paths: string[]; more: boolean } {
  const paths: string[] = [];
  let seen = 0;
  let more = false;
  const walk = (inside: string, depth: number): void => {
    for (const name of files.list(inside)) {
      const path = `${inside}/${name}`;
      const isJson = name.endsWith('.json');
      const isFolder = files.look(path)?.kind === 'folder';
      if (!isJson && !isFolder) continue;
      if (seen === MAX_FILES) {
        more = true;
        return;
      }
      seen++;
      if (isFolder && !isJson && depth < MAX_DEPTH) walk(path, depth + 1);
      if (isJson) paths.push(path);
    }
  };
  walk(folder, 1);
  return { paths, more };
}
