/** Walls around a command on macOS, by sandbox-exec, as a profile in Apple's own language. */
import { spawnSync } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { layered, type Mount, type Walls, type WallsProblem, type Within } from './walls.ts';

const PROGRAM = '/usr/bin/sandbox-exec';

/** Tries it once: inside another sandbox it refuses to start. */
export function sandboxExec(): Walls | WallsProblem {
  const within: Within = { cwd: '/', writable: [], hidden: [], network: false };
  const { error, status, stderr } = spawnSync(PROGRAM, ['-p', profileFor(within), '/bin/sh', '-c', ':'], {
    encoding: 'utf8',
    env: {},
  });
  if (error || status !== 0) {
    const said = stderr?.trim().split('\n', 1)[0] || error?.message;
    return { problem: `${PROGRAM}, which comes with macOS, does not start here (${said})` };
  }
  return {
    name: 'sandbox-exec',
    stands: false,
    around: (argv, given) => [PROGRAM, '-p', profileFor(given), ...argv],
  };
}

/** The last rule that fits counts. */
export function profileFor(within: Within): string {
  const folders = layered({
    writable: within.writable.map(realOr),
    readOnly: [...(within.readOnly ?? []), ...(within.absent ?? [])].map(realOr),
    hidden: within.hidden.map(realOr),
  });
  return [
    '(version 1)',
    '(allow default)',
    // Programs outside that would do something on behalf of the command.
    '(deny appleevent-send)',
    '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd.xpc"))',
    '(deny mach-lookup (global-name "com.apple.coreservices.launchservicesd") (global-name "com.apple.lsd.open"))',
    '(deny signal)',
    '(allow signal (target same-sandbox))',
    '(deny process-info*)',
    '(allow process-info* (target same-sandbox))',
    '(deny file-write*)',
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    ...networkRules(within.network),
    ...folders.flatMap(rulesFor),
  ].join('\n');
}

/** Tests that listen reach themselves. */
function networkRules(network: boolean): string[] {
  if (network) return [];
  return [
    '(deny network*)',
    '(allow network-bind network-inbound (local ip "localhost:*"))',
    '(allow network-outbound (remote ip "localhost:*"))',
  ];
}

function rulesFor({ path, as }: Mount): string[] {
  const where = `(${isFile(path) ? 'literal' : 'subpath'} ${quoted(path)})`;
  switch (as) {
    case 'hidden':
      return [`(deny file-read* file-write* ${where})`, `(deny network-outbound ${where})`];
    case 'readOnly':
      return [`(allow file-read* ${where})`, `(deny file-write* ${where})`];
    case 'writable':
      return [`(allow file-read* file-write* ${where})`, `(allow network-bind network-outbound ${where})`];
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** A string of the profile's language. */
function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&')}"`;
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}
