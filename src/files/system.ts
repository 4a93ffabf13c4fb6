import { homedir } from 'node:os';

/** Returns the user's home: that of the environment, else that of the account. */
export function userHome(env: NodeJS.ProcessEnv): string {
  return env.HOME || homedir();
}
