/** Every demo, from its first line to its exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Interruption } from '../../commands/interruption.ts';
import { type Simulator, startSimulator } from '../simulator/server.ts';
import type { LiveView } from './live-view.ts';
import { readJournal } from './record.ts';
import {
  furnish,
  type Installation,
  openScratch,
  ownEnvironment,
  removeScratch,
  type Scratch,
} from './scratch.ts';
import type { Check, Observed } from './shared-checks.ts';
import type { Story } from './story.ts';

export interface DemoOptions {
  claude: string;
  installation: Installation;
  /** With the user's own login and model instead of the simulator. */
  real: boolean;
  keep: boolean;
  /** Before each answer of the scripted model, so that a person can follow. */
  pauseMs: number;
}

/** Where a demo is played. */
export interface Stage {
  scratch: Scratch;
  view: LiveView;
  /** Absent when the model is a real one. */
  simulator: Simulator | undefined;
  interrupted: AbortSignal;
}

/** One kind of demo. */
export interface Act<Evidence extends Observed> {
  story: Story;
  /** Whether our hooks are in the settings of the project. */
  hooks: boolean;
  /** Plays the story; returns what is only to be seen in this kind. */
  play(stage: Stage): Promise<Omit<Evidence, keyof Observed>>;
  /** Shows what is left of it. */
  show(scratch: Scratch, view: LiveView, evidence: Observed): Promise<void>;
  checks: readonly Check<Evidence>[];
  /** What to type in a project of one's own. */
  next: string;
}

/** Exit code: 0 every step happened, 1 one did not, else that of the interruption. */
export async function perform<Evidence extends Observed>(
  act: Act<Evidence>,
  options: DemoOptions,
  openView: (project: string) => LiveView,
  interruption: Interruption,
): Promise<number> {
  const scratch = await openScratch();
  const view = openView(scratch.project);
  try {
    const evidence = await playedIn(scratch, act, options, view, interruption.signal);
    if (evidence) await act.show(scratch, view, evidence);
    const complete = evidence !== undefined && showChecks(evidence, act, options, view);
    return interruption.exitCode() ?? (complete ? 0 : 1);
  } finally {
    if (options.keep) sayKept(scratch, view);
    else await removeScratch(scratch);
  }
}

/** Undefined when it was interrupted. */
async function playedIn<Evidence extends Observed>(
  scratch: Scratch,
  act: Act<Evidence>,
  options: DemoOptions,
  view: LiveView,
  interrupted: AbortSignal,
): Promise<Evidence | undefined> {
  const { story, hooks } = act;
  await furnish(scratch, story, { ...options.installation, hooks });
  const before = await runTest(scratch, story);
  const names = Object.keys(story.files).join(', ');
  view.say('demo', `a project with ${names}; "${story.test}" ${before === 0 ? 'passes' : 'fails'} in it`);
  if (hooks) view.say('demo', 'hooks of untildone installed in its .claude/settings.json');
  if (interrupted.aborted) return undefined;
  const simulator = options.real ? undefined : await openSimulator(story, options, scratch);
  try {
    const own = await act.play({ scratch, view, simulator, interrupted });
    if (interrupted.aborted) return undefined;
    const observed: Observed = {
      test: { before, after: await runTest(scratch, story) },
      files: await readFiles(scratch, story),
      journal: await readJournal(scratch),
      asked: simulator?.requests().filter(({ kind }) => kind === 'messages') ?? [],
    };
    return { ...observed, ...own } as Evidence;
  } finally {
    await simulator?.close();
  }
}

function openSimulator(story: Story, { pauseMs }: DemoOptions, scratch: Scratch): Promise<Simulator> {
  const turns = story.turns(scratch.project).map((turn) => ({ delayMs: pauseMs, ...turn }));
  return startSimulator({ script: { turns } });
}

async function runTest(scratch: Scratch, story: Story): Promise<number | null> {
  const env = ownEnvironment(scratch);
  const test = spawn(story.test, { cwd: scratch.project, env, shell: true, stdio: 'ignore' });
  const [code] = (await once(test, 'close')) as [number | null];
  return code;
}

async function readFiles({ project }: Scratch, story: Story): Promise<Observed['files']> {
  const entries = Object.keys(story.files).map(async (path) => {
    return [path, await readFile(join(project, path), 'utf8').catch(() => undefined)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

function showChecks<Evidence extends Observed>(
  evidence: Evidence,
  { checks, next }: Act<Evidence>,
  { real }: DemoOptions,
  view: LiveView,
): boolean {
  const asked = checks.filter(({ scriptedOnly }) => !(real && scriptedOnly));
  const results = asked.map(({ name, happened }) => ({ name, ok: happened(evidence) }));
  const missing = results.filter(({ ok }) => !ok);
  view.heading('What happened, as the journal, the files and the log of the model show it');
  for (const { name, ok } of results) view.check(name, ok);
  if (missing.length === 0) view.heading(`Every step happened. In a project of your own: ${next}`);
  else view.heading(`${missing.length} of ${results.length} steps did NOT happen:`);
  for (const { name } of missing) view.quote(name);
  return missing.length === 0;
}

function sayKept(scratch: Scratch, view: LiveView): void {
  view.heading('Kept:');
  view.quote(scratch.root);
}
