import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopRef } from '../../ports/ports.ts';

/** What it says goes into a file beside the journal: nobody looks at its terminal. */
export const RUN_LOG = 'run.log';

/** Starts a driver for a loop that lives on after this process, and after the session that it was called from. */
export function spawnRun(ref: LoopRef, env: NodeJS.ProcessEnv): void {
  const { spawn } = require('node:child_process') as typeof import('node:child_process');
  const log = openSync(join(ref.dir, RUN_LOG), 'a', 0o600);
  try {
    const child = spawn(process.execPath, [require.resolve('./untildone.cjs'), 'run', '--resume', ref.loop], {
      detached: true,
      stdio: ['ignore', log, log],
      env,
    });
    child.unref();
  } finally {
    closeSync(log);
  }
}
