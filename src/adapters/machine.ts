import { readFileSync } from 'node:fs';

/** What the hook asks about the machine; `node:os`, which takes longer than most of these answers, only where it has to be asked. */

export function userHome(env: NodeJS.ProcessEnv): string {
  return env.HOME || nodeOs().homedir();
}

export function temporaryFolder(): string {
  return nodeOs().tmpdir();
}

export function hostName(): string {
  try {
    return readFileSync('/proc/sys/kernel/hostname', 'utf8').trim();
  } catch {
    // Only Linux tells it there.
    return nodeOs().hostname();
  }
}

function nodeOs(): typeof import('node:os') {
  // Node before 20.16 cannot be asked like this; everything is a CommonJS bundle there.
  return process.getBuiltinModule?.('node:os') ?? require('node:os');
}
