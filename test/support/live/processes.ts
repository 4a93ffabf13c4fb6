import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { PATIENCE_MS } from '../patience.ts';

type Falsy = undefined | null | false | 0 | '';

/** Asks again until there is an answer. A condition that throws fails the wait at once. */
export async function waitFor<Answer>(
  condition: () => Answer | Promise<Answer>,
  limitMs = PATIENCE_MS,
  what = 'the condition',
): Promise<Exclude<Answer, Falsy>> {
  const deadline = Date.now() + limitMs;
  // Rarer with time: some conditions cost a process.
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.3, 150)) {
    const answer = await condition();
    if (answer) return answer as Exclude<Answer, Falsy>;
    if (Date.now() > deadline) throw new Error(`waited ${limitMs} ms in vain for ${what}`);
    await wait(pauseMs);
  }
}

/**
 * Ends every process that was started with `root` in its environment. Hooks run in groups of their own, and shells
 * outlive a killed client, so neither parent nor group finds them all. Only Linux can be asked for environments.
 */
export async function endProcessesOf(root: string): Promise<void> {
  if (process.platform !== 'linux') return;
  await waitFor(
    async () => {
      const pids = await processesOf(root);
      for (const pid of pids) end(pid);
      return pids.length === 0;
    },
    PATIENCE_MS,
    `the processes of ${root} to end`,
  );
}

export async function processesOf(root: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid);
  const owned = await Promise.all(pids.map(async (pid) => (await environmentOf(pid)).includes(root)));
  return pids.filter((_, i) => owned[i]);
}

/** Empty when the process is gone, a zombie, or somebody else's. */
async function environmentOf(pid: number): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself since it was listed.
  }
}
