import { homedir } from 'node:os';

/** Waits without letting anything else happen in this process. */
export function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Returns the user's home: that of the environment, else that of the account. */
export function userHome(env: NodeJS.ProcessEnv): string {
  return env.HOME || homedir();
}
