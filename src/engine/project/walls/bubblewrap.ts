/** Walls around a command on Linux, by bubblewrap: it sees the system, but no secrets, and writes only where it may. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isBelow, layered, type Mount, type Walls, type WallsProblem, type Within } from './walls.ts';

/** The line that installs what walls and Claude Code's own sandbox need. */
export const INSTALL = 'apt-get install bubblewrap socat';

/** Tries bubblewrap once: it may be missing, or the system may forbid it. */
export function bubblewrap(path: string): Walls | WallsProblem {
  const program = programOn(path, 'bwrap');
  if (typeof program !== 'string') return program;
  const { error, status, stderr } = spawnSync(
    program,
    [...BASE, '--unshare-net', '--', '/bin/sh', '-c', ':'],
    {
      encoding: 'utf8',
      env: {},
    },
  );
  if (error || status !== 0) {
    const said = stderr?.trim().split('\n', 1)[0] || error?.message;
    return {
      problem: `${program} is there, but this system does not let it start (${said}): a person has to allow user namespaces (in a container: run it with --security-opt seccomp=unconfined, or choose a machine that allows them)`,
    };
  }
  return {
    name: 'bubblewrap',
    stands: true,
    around: (argv, within, statusFd) => [
      program,
      ...(statusFd === undefined ? [] : ['--json-status-fd', String(statusFd)]),
      ...optionsFor(within),
      '--',
      ...argv,
    ],
  };
}

/** A program that nobody but the system's owner can replace: what the agent may have put on PATH builds no walls. */
export function programOn(path: string, name: string): string | WallsProblem {
  const missing = `${name} is not on this machine: a person installs it with: ${INSTALL} (Fedora: dnf install bubblewrap socat)`;
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const program = realOf(join(folder, name));
    if (program === undefined || !isExecutable(program)) continue;
    if (isReplaceable(program) || isReplaceable(dirname(program)))
      return {
        problem: `${program} could be replaced by any program of yours, so it builds no walls: ${INSTALL}`,
      };
    return program;
  }
  return { problem: missing };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Root can replace everything, so for root nothing is told by this. */
function isReplaceable(path: string): boolean {
  const user = process.getuid?.();
  if (user === 0) return false;
  if (statSync(path).uid === user) return true;
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * What root keeps of its rights, so that it can work with files of other users. Bubblewrap would leave root all of them,
 * and with these the walls could be taken down from inside.
 */
const RIGHTS_OF_ROOT = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID'];

/** The whole system, read-only, with devices, processes and temporary files of its own. Everything ends with this process. */
const BASE = [
  '--die-with-parent',
  '--new-session',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  ...['--cap-drop', 'ALL'],
  ...(process.getuid?.() === 0 ? RIGHTS_OF_ROOT.flatMap((name) => ['--cap-add', `CAP_${name}`]) : []),
  ...['--ro-bind', '/', '/'],
  ...['--dev', '/dev'],
  ...['--proc', '/proc'],
  ...['--tmpfs', '/tmp'],
];

function optionsFor(within: Within): string[] {
  const real = {
    writable: within.writable.flatMap((path) => realOf(path) ?? []),
    readOnly: within.readOnly?.flatMap((path) => realOf(path) ?? []),
    hidden: within.hidden.flatMap((path) => realOf(path) ?? []),
  };
  const folders = layered(real);
  const sockets = socketsOutside(folders);
  return [
    ...BASE,
    ...(within.network ? [] : ['--unshare-net']),
    ...[...sockets, ...folders].flatMap(mount),
    ...['--chdir', realOf(within.cwd) ?? within.cwd],
  ];
}

function mount({ path, as }: Mount): string[] {
  if (as === 'writable') return ['--bind', path, path];
  if (as === 'readOnly') return ['--ro-bind', path, path];
  // An empty folder over a folder. Anything else reads as empty, and what is written to it vanishes.
  return statSync(path).isDirectory() ? ['--tmpfs', path] : ['--dev-bind', '/dev/null', path];
}

/**
 * Sockets of programs outside, which take orders from whoever connects: a file system that is read-only does not keep
 * anybody from that. Those in a folder that the command may write to stay, as they may be its own.
 */
function socketsOutside(folders: readonly Mount[]): Mount[] {
  const covered = ['/tmp', '/proc', '/dev', ...folders.map(({ path }) => path)];
  const paths = new Set(
    listOfSockets()
      .split('\n')
      .flatMap((line) => /\s(\/.*)$/.exec(line)?.[1] ?? [])
      .flatMap((path) => realOf(path) ?? []),
  );
  return [...paths]
    .filter((path) => !covered.some((folder) => isBelow(path, folder)) && isSocket(path))
    .map((path) => ({ path, as: 'hidden' }));
}

function listOfSockets(): string {
  try {
    return readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return '';
  }
}

function isSocket(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isSocket() ?? false;
}

/** Undefined when there is no such thing, or no way to it. */
function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
