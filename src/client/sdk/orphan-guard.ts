/** Ends a client that its driver left behind: nobody answers its hooks any more, so each of its calls fails, and is paid for. */
import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Its input ends without a line when the driver was killed. SIGTERM first: the client then writes down what it has
 * spent, and ends the commands that it runs.
 */
const SCRIPT = 'read -r _ && exit; kill -s TERM -- "-$1"; sleep 3; kill -s KILL -- "-$1"';

/** For a client that leads a group of its own. Where there is no `sh` nothing is guarded. */
export function guardOrphan(client: ChildProcess): void {
  if (client.pid === undefined || process.platform === 'win32') return;
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'untildone-guard', String(client.pid)], {
    // Ctrl-C in the terminal is the driver's to hear.
    detached: true,
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  client.once('exit', () => guard.stdin.end('\n'));
}
