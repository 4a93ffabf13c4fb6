import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isSafeId } from '../../core/text/paths.ts';
import { readSmall } from '../../files/whole-file.ts';
import type { TaskList } from '../../ports/ports.ts';

interface Task {
  id: string;
  subject: string;
  status: string;
}

/** The task lists in the config folder of Claude Code, one file a task. */
export function taskListIn(configDir: string): TaskList {
  return {
    async open(session) {
      if (!isSafeId(session)) return undefined;
      const folders = [session, `session-${session.slice(0, 8)}`].map((name) =>
        join(configDir, 'tasks', name),
      );
      const tasks = folders.flatMap(tasksIn);
      if (tasks.length === 0) return undefined;
      const open = tasks.filter(({ status }) => status !== 'completed' && status !== 'deleted');
      return open.sort((a, b) => Number(a.id) - Number(b.id));
    },
  };
}

function tasksIn(folder: string): Task[] {
  return filesIn(folder)
    .filter((name) => /^\d+\.json$/.test(name))
    .flatMap((name) => readTask(join(folder, name), name.replace('.json', '')) ?? []);
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

/** Undefined for a task that was deleted meanwhile. Throws for one that cannot be read, because it may be open. */
function readTask(path: string, id: string): Task | undefined {
  const text = readSmall(path);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`task ${id} cannot be read: ${path} is not JSON`);
  }
  const { subject, status } = (value ?? {}) as Record<string, unknown>;
  return {
    id,
    subject: typeof subject === 'string' ? subject : `task ${id}`,
    status: typeof status === 'string' ? status : 'unknown',
  };
}
