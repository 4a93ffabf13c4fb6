/** The demo of a run: `untildone run`, as a person types it, over as many sessions as its contexts make it need. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { endMarked } from '../../adapters/process-tree.ts';
import { quoteForShell } from '../../core/shell-quote.ts';
import type { LiveView } from './live-view.ts';
import type { Act, DemoOptions, Stage } from './perform.ts';
import { readReceipt } from './record.ts';
import { notesIn, type RunEvidence, runChecksOf } from './run-checks.ts';
import { runOurs } from './run-ours.ts';
import { RUN_STORY } from './run-story.ts';
import { type Scratch, simulatedEnvironment, untildone } from './scratch.ts';
import type { Observed } from './shared-checks.ts';

const LIMIT_MS = 60_000;
/** A line of a run begins with the time. */
const CLOCK = '00:00:00 '.length;

/** With `terminal` the run draws its own view there; else it prints lines, which are quoted. */
export function runAct(options: DemoOptions, terminal: boolean): Act<RunEvidence> {
  return {
    story: RUN_STORY,
    // A run answers its sessions itself: it needs none.
    hooks: false,
    checks: runChecksOf(RUN_STORY),
    next: 'untildone run "what is to be done"',
    play: (stage) => play(options.claude, terminal, stage),
    show,
  };
}

async function play(
  claude: string,
  terminal: boolean,
  { scratch, view, simulator, interrupted }: Stage,
): Promise<Omit<RunEvidence, keyof Observed>> {
  if (!simulator) throw new Error('the demo of a run is played by script');
  // Found first on PATH, as a person's own one is.
  await symlink(claude, join(scratch.bin, 'claude'));
  const args = ['run', RUN_STORY.task, ...RUN_STORY.flags];
  view.heading(`$ untildone ${args.map(quoteForShell).join(' ')}`);
  const end = await runOurs({
    command: join(scratch.bin, 'untildone'),
    args,
    cwd: scratch.project,
    environment: { ...simulatedEnvironment(scratch, simulator.url), ...lookOf(process.env) },
    signal: interrupted,
    limitMs: LIMIT_MS,
    ...(terminal ? {} : { onLine: (line: string) => view.quote(line, CLOCK) }),
  });
  // A runner that had to be killed could not end what it had started.
  await endMarked(`UNTILDONE_HOME=${scratch.untildoneHome}`);
  if (end.timedOut) view.say('demo', 'the run took too long and was ended');
  if (end.stderr !== '') view.quote(end.stderr);
  return { code: end.code, receipt: readReceipt(scratch) };
}

/** How the terminal is, for whoever draws on it. */
function lookOf({ TERM, NO_COLOR }: NodeJS.ProcessEnv): Record<string, string> {
  return { ...(TERM === undefined ? {} : { TERM }), ...(NO_COLOR === undefined ? {} : { NO_COLOR }) };
}

async function show(scratch: Scratch, view: LiveView, { journal }: Observed): Promise<void> {
  for (const [i, note] of notesIn(journal).entries()) {
    view.heading(`What session ${i + 1} left for session ${i + 2}`);
    view.quote(note);
  }
  if (!readReceipt(scratch)) return;
  view.heading('$ untildone receipt');
  view.quote(await untildone(scratch, 'receipt'));
}
