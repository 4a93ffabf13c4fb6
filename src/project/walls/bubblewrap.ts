/** Walls around a command on Linux, by bubblewrap: it sees the system, but no secrets, and writes only where it may. */
import { spawnSync } from 'node:child_process';
import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Walls, WallsProblem, Within } from './walls.ts';

const INSTALL =
  'install it (Debian and Ubuntu: `apt-get install bubblewrap`; Fedora: `dnf install bubblewrap`)';

/** Tries bubblewrap once: it may be missing, or the system may forbid it. */
export function bubblewrap(): Walls | WallsProblem {
  const { error, status, stderr } = spawnSync('bwrap', [...BASE, '--unshare-net', 'true'], {
    encoding: 'utf8',
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
    return { problem: `bubblewrap is not on this machine: ${INSTALL}` };
  if (error || status !== 0)
    return {
      problem: `bubblewrap is there, but this system does not let it start (${stderr?.trim() || error?.message}): unprivileged user namespaces have to be allowed`,
    };
  return { name: 'bubblewrap', around: (argv, within) => ['bwrap', ...optionsFor(within), '--', ...argv] };
}

/** The whole system, read-only, with devices, processes and temporary files of its own. Everything ends with this process. */
const BASE = [
  '--die-with-parent',
  '--new-session',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  ...['--ro-bind', '/', '/'],
  ...['--dev', '/dev'],
  ...['--proc', '/proc'],
  ...['--tmpfs', '/tmp'],
];

function optionsFor({ writable, hidden, network, cwd }: Within): string[] {
  return [
    ...BASE,
    ...(network ? [] : ['--unshare-net']),
    ...hidden.flatMap(hide),
    // After what is hidden, because a room lies in the untildone home.
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...['--chdir', cwd],
  ];
}

/** Puts an empty folder over a folder, and an empty file over anything else. */
function hide(path: string): string[] {
  try {
    const real = realpathSync(path);
    return lstatSync(real).isDirectory() ? ['--tmpfs', real] : ['--ro-bind', '/dev/null', real];
  } catch {
    // There is nothing to hide.
    return [];
  }
}

/** Files and folders below a home that hold credentials. */
const CREDENTIALS = [
  '.untildone',
  '.claude',
  '.claude.json',
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.config/gh',
  '.config/op',
  '.kube',
  '.docker',
  '.netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.cargo/credentials.toml',
  '.cargo/credentials',
  '.git-credentials',
  '.config/git/credentials',
  '.password-store',
  '.local/share/keyrings',
  '.terraform.d',
  '.vault-token',
];
/** Sockets through which programs outside of the walls take orders. */
const SOCKETS = ['/run/docker.sock', '/run/containerd', '/run/user', '/run/dbus', '/run/podman'];

export function secretsOf(home: string, untildoneHome: string): string[] {
  return [...CREDENTIALS.map((path) => join(home, path)), untildoneHome, ...SOCKETS];
}
