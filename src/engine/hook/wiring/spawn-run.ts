import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopRef } from '../../ports/ports.ts';

/** The output of a run in the background, in a file beside the journal. */
export const RUN_LOG = 'run.log';

/** Starts a run in the background, which outlives this process and the session that called it. */
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
