/** Walls around the commands of gates, which run code that the agent wrote. */
export interface Within {
  cwd: string;
  /** Folders that the command may write to. Everything else is read-only or absent. */
  writable: readonly string[];
  /** Files and folders below these that the command may read only. */
  readOnly?: readonly string[];
  /** Paths at which nothing lies and nothing may be made. Bubblewrap cannot hold them: who calls takes back what was made. */
  absent?: readonly string[];
  /** Files and folders that the command does not see. A folder that it may write to is seen, wherever it lies. */
  hidden: readonly string[];
  network: boolean;
}

export interface Walls {
  name: 'bubblewrap' | 'sandbox-exec';
  /**
   * The words of a command that runs `argv` within walls. `statusFd`: where the walls say that the command has really
   * run; walls that say nothing leave it out.
   */
  around(argv: readonly string[], within: Within, statusFd?: number): string[];
  /** Whether they use `statusFd`, and a process of theirs waits for the command. */
  stands: boolean;
}

export interface WallsProblem {
  /** Why there are no walls, and what to do. */
  problem: string;
}

/** Walls as a contract asks for them. */
export interface Enclosure {
  walls: Walls;
  /** What no command of this machine's user may see. */
  hidden: readonly string[];
  /** Whether commands that do not say it themselves reach the network. */
  network: boolean;
}

/** How a verdict names the walls that its command ran in. */
export function wallsName({ walls, network }: Pick<Enclosure, 'walls' | 'network'>): string {
  return network ? `${walls.name} with network` : walls.name;
}

export type Mount = { path: string; as: 'writable' | 'readOnly' | 'hidden' };

/**
 * What lies where, the outer folders first, so that the inner one decides: a room in the hidden home is seen, and a key
 * in a project that is somebody's whole home is not. At the same path a folder to work in wins. Paths have to be real.
 */
export function layered({
  writable,
  readOnly = [],
  hidden,
}: Pick<Within, 'writable' | 'readOnly' | 'hidden'>): Mount[] {
  const byPath = new Map<string, Mount>();
  for (const path of hidden) byPath.set(path, { path, as: 'hidden' });
  for (const path of readOnly) byPath.set(path, { path, as: 'readOnly' });
  for (const path of writable) byPath.set(path, { path, as: 'writable' });
  const depth = ({ path }: Mount) => path.split('/').filter(Boolean).length;
  return [...byPath.values()].sort((a, b) => depth(a) - depth(b) || (a.path < b.path ? -1 : 1));
}

export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}
