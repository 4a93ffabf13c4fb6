/** Plays a demo: lays it out, plays it, shows what is left, and compares that with what the demo expects. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import type { Interruption } from '../../engine/terminal/interruption.ts';
import { type Simulator, startSimulator } from '../simulator/server.ts';
import type { Demo } from './demo-folder.ts';
import { type Evidence, happened, linesOf, readJournal, readReceipt } from './expectation.ts';
import type { LiveView } from './live-view.ts';
import {
  furnish,
  type Installation,
  openScratch,
  ownEnvironment,
  removeScratch,
  type Scratch,
  untildone,
} from './scratch.ts';
import { typeAll } from './typing.ts';

export interface DemoOptions {
  claude: string;
  installation: Installation;
  /** With your own login and model instead of the simulator. */
  real: boolean;
  keep: boolean;
  /** Before each answer of the scripted model. */
  pauseMs: number;
  /** You watch on a terminal. */
  terminal: boolean;
}

/** Returns the exit code: 0 when every step happened, 1 when one did not, else that of the interruption. */
export async function playDemo(
  demo: Demo,
  options: DemoOptions,
  openView: (project: string) => LiveView,
  interruption: Interruption,
): Promise<number> {
  const scratch = await openScratch();
  const view = openView(scratch.project);
  try {
    const evidence = await playedIn(scratch, demo, options, view, interruption.signal);
    if (evidence) await showRest(scratch, demo, evidence, view);
    const complete = evidence !== undefined && compare(demo, evidence, options.real, view);
    return interruption.exitCode() ?? (complete ? EXIT.ok : EXIT.no);
  } finally {
    if (options.keep) sayKept(scratch, view);
    else await removeScratch(scratch);
  }
}

/** Plays the demo and collects the evidence; undefined when it was interrupted. */
async function playedIn(
  scratch: Scratch,
  demo: Demo,
  { claude, installation, real, pauseMs, terminal }: DemoOptions,
  view: LiveView,
  interrupted: AbortSignal,
): Promise<Evidence | undefined> {
  await furnish(scratch, demo, installation);
  const before = await runTest(scratch, demo);
  const names = Object.keys(demo.files).join(', ');
  view.say('demo', `a project with ${names}; "${demo.test}" ${before === 0 ? 'passes' : 'fails'} in it`);
  if (demo.session) view.say('demo', 'hooks of untildone installed in its .claude/settings.json');
  if (interrupted.aborted) return undefined;
  const simulator = real ? undefined : await openSimulator(demo, pauseMs);
  try {
    const typed = await typeAll({ demo, claude, scratch, view, simulator, terminal, interrupted });
    if (interrupted.aborted) return undefined;
    return {
      typed,
      test: { before, after: await runTest(scratch, demo) },
      files: await readFiles(scratch, demo),
      journal: await readJournal(scratch),
      receipt: readReceipt(scratch),
      asked: simulator?.requests().filter(({ kind }) => kind === 'messages') ?? [],
    };
  } finally {
    await simulator?.close();
  }
}

function openSimulator({ turns }: Demo, delayMs: number): Promise<Simulator> {
  return startSimulator({ script: { turns: turns.map((turn) => ({ delayMs, ...turn })) } });
}

async function runTest(scratch: Scratch, { test }: Demo): Promise<number | null> {
  const env = ownEnvironment(scratch);
  const child = spawn(test, { cwd: scratch.project, env, shell: true, stdio: 'ignore' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

async function readFiles({ project }: Scratch, demo: Demo): Promise<Evidence['files']> {
  const entries = Object.keys(demo.files).map(async (path) => {
    return [path, await readFile(join(project, path), 'utf8').catch(() => undefined)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Shows the hand-over notes of the sessions, and what the commands of untildone say of the loop. */
async function showRest(
  scratch: Scratch,
  { show }: Demo,
  { journal }: Evidence,
  view: LiveView,
): Promise<void> {
  const notes = linesOf(journal).flatMap(({ entry }) =>
    entry.kind === 'stop' && entry.decision.kind === 'allow' && entry.decision.cause === 'hand_over'
      ? [entry.decision.note]
      : [],
  );
  for (const [i, note] of notes.entries()) {
    view.heading(`What session ${i + 1} left for session ${i + 2}`);
    view.quote(note);
  }
  for (const command of show) {
    view.heading(`$ untildone ${command}`);
    view.quote(await untildone(scratch, command).catch(({ stderr }: { stderr: string }) => stderr));
  }
}

function compare(demo: Demo, evidence: Evidence, real: boolean, view: LiveView): boolean {
  const steps = demo.expect.filter(({ scripted }) => !(real && scripted));
  const results = steps.map((step) => ({ name: step.says, ok: happened(step, demo, evidence) }));
  const missing = results.filter(({ ok }) => !ok);
  view.heading('What happened, as the journal, the files and the log of the model show it');
  for (const { name, ok } of results) view.check(name, ok);
  if (missing.length === 0) view.heading(`Every step happened. In a project of your own: ${demo.next}`);
  else view.heading(`${missing.length} of ${results.length} steps did NOT happen:`);
  for (const { name } of missing) view.quote(name);
  return missing.length === 0;
}

function sayKept(scratch: Scratch, view: LiveView): void {
  view.heading('Kept:');
  view.quote(scratch.root);
}
