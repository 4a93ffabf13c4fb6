/** `untildone run` in a demo, as a person types it. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { endMarked } from '../../adapters/process-tree.ts';
import { quoteForShell } from '../../core/shell-quote.ts';
import type { Stage } from './perform.ts';
import { runOurs } from './run-ours.ts';
import { simulatedEnvironment } from './scratch.ts';

/** A line of a run begins with the time. */
const CLOCK = '00:00:00 '.length;

export interface TypedRun {
  claude: string;
  /** What stands behind `untildone run`. */
  args: readonly string[];
  /** The run draws its own view on the terminal; else it prints lines, which are quoted. */
  terminal: boolean;
  /** After this time it is ended. */
  limitMs: number;
}

/** Its exit code. */
export async function typedRun(
  { claude, args, terminal, limitMs }: TypedRun,
  { scratch, view, simulator, interrupted }: Stage,
): Promise<number | null> {
  if (!simulator) throw new Error('the demo of a run is played by script');
  // Found first on PATH, as a person's own one is.
  await symlink(claude, join(scratch.bin, 'claude'));
  view.heading(`$ ${['untildone', 'run', ...args].map(quoteForShell).join(' ')}`);
  const end = await runOurs({
    command: join(scratch.bin, 'untildone'),
    args: ['run', ...args],
    cwd: scratch.project,
    environment: { ...simulatedEnvironment(scratch, simulator.url), ...lookOf(process.env) },
    signal: interrupted,
    limitMs,
    ...(terminal ? {} : { onLine: (line: string) => view.quote(line, CLOCK) }),
  });
  // A runner that had to be killed could not end what it had started.
  await endMarked(`UNTILDONE_HOME=${scratch.untildoneHome}`);
  if (end.timedOut) view.say('demo', 'the run took too long and was ended');
  if (end.stderr !== '') view.quote(end.stderr);
  return end.code;
}

/** How the terminal is, for whoever draws on it. */
function lookOf({ TERM, NO_COLOR }: NodeJS.ProcessEnv): Record<string, string> {
  return { ...(TERM === undefined ? {} : { TERM }), ...(NO_COLOR === undefined ? {} : { NO_COLOR }) };
}
