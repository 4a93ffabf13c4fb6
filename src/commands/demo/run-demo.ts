/** The demo from its first line to its exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClientEnd, runClient } from '../../adapters/client-process.ts';
import { FileStore } from '../../adapters/file-store.ts';
import { homeAt, readKey } from '../../adapters/home.ts';
import { JournalScan, type Scanned } from '../../adapters/journal-scan.ts';
import type { LoopRef } from '../../ports.ts';
import { type Simulator, startSimulator } from '../../simulator/server.ts';
import { type Happening, parseStreamLine } from '../../wire/client-stream.ts';
import { readLoops } from '../find-loop.ts';
import type { Interruption } from '../interruption.ts';
import { log } from '../log.ts';
import { systemClock } from '../ports.ts';
import { status } from '../status.ts';
import { checksOf, type Evidence } from './checks.ts';
import type { LiveView } from './live-view.ts';
import {
  furnish,
  type Installation,
  openScratch,
  ownEnvironment,
  realEnvironment,
  removeScratch,
  type Scratch,
  simulatedEnvironment,
} from './scratch.ts';
import type { Story } from './story.ts';

export interface DemoOptions {
  story: Story;
  claude: string;
  installation: Installation;
  /** With the user's own login and model instead of the simulator. */
  real: boolean;
  keep: boolean;
  /** Before each answer of the scripted model, so that a person can follow. */
  pauseMs: number;
}

const LIMIT_MS = { scripted: 60_000, real: 600_000 };
const BUDGET_USD = '1';

/** Exit code: 0 every step happened, 1 one did not, else that of the interruption. */
export async function runDemo(
  options: DemoOptions,
  openView: (project: string) => LiveView,
  interruption: Interruption,
): Promise<number> {
  const scratch = await openScratch();
  const view = openView(scratch.project);
  try {
    const evidence = await play(options, scratch, view, interruption.signal);
    if (evidence) await showRecord(scratch, view);
    const complete = evidence !== undefined && showChecks(evidence, options, view);
    return interruption.exitCode() ?? (complete ? 0 : 1);
  } finally {
    if (options.keep) sayKept(scratch, view);
    else await removeScratch(scratch);
  }
}

/** Undefined when it was interrupted. */
async function play(
  options: DemoOptions,
  scratch: Scratch,
  view: LiveView,
  interrupted: AbortSignal,
): Promise<Evidence | undefined> {
  const { story } = options;
  await furnish(scratch, story, options.installation);
  const before = await runTest(scratch, story);
  const names = Object.keys(story.files).join(', ');
  view.say('demo', `a project with ${names}; "${story.test}" ${before === 0 ? 'passes' : 'fails'} in it`);
  view.say('demo', 'hooks of untildone installed in its .claude/settings.json');
  if (interrupted.aborted) return undefined;
  const simulator = options.real ? undefined : await openSimulator(options, scratch);
  try {
    const seen: Happening[] = [];
    view.say('you', story.prompt);
    const end = await runSession(options, scratch, simulator, interrupted, (happening) => {
      seen.push(happening);
      view.show(happening);
    });
    if (interrupted.aborted) return undefined;
    if (end.code !== 0) view.say('demo', failureInWords(end));
    return {
      test: { before, after: await runTest(scratch, story) },
      files: await readFiles(scratch, story),
      client: { code: end.code, ...endOf(seen) },
      journal: await readJournal(scratch),
      asked: simulator?.requests().filter(({ kind }) => kind === 'messages') ?? [],
    };
  } finally {
    await simulator?.close();
  }
}

function openSimulator({ story, pauseMs }: DemoOptions, scratch: Scratch): Promise<Simulator> {
  const turns = story.turns(scratch.project).map((turn) => ({ delayMs: pauseMs, ...turn }));
  return startSimulator({ script: { turns } });
}

function runSession(
  options: DemoOptions,
  scratch: Scratch,
  simulator: Simulator | undefined,
  interrupted: AbortSignal,
  onHappening: (happening: Happening) => void,
): Promise<ClientEnd> {
  return runClient({
    binary: options.claude,
    args: argumentsOf(options),
    cwd: scratch.project,
    environment: simulator
      ? simulatedEnvironment(scratch, simulator.url)
      : realEnvironment(scratch, process.env),
    prompt: options.story.prompt,
    onLine: (line) => parseStreamLine(line).forEach(onHappening),
    signal: interrupted,
    limitMs: options.real ? LIMIT_MS.real : LIMIT_MS.scripted,
  });
}

/** The agent may edit the project and run the two commands of the story, nothing else. */
function argumentsOf({ story, real }: DemoOptions): string[] {
  return [
    ...['-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'acceptEdits'],
    ...['--allowedTools', 'Bash(untildone start:*)', `Bash(${story.test}:*)`],
    ...(real ? ['--no-session-persistence', '--max-budget-usd', BUDGET_USD] : ['--model', 'claude-opus-5-5']),
  ];
}

function failureInWords({ code, timedOut, stderr }: ClientEnd): string {
  if (timedOut) return 'Claude Code took too long and was ended';
  return `Claude Code ended ${code === null ? 'early' : `with exit code ${code}`}: ${stderr || 'it did not say why'}`;
}

function endOf(seen: readonly Happening[]): Pick<Evidence['client'], 'session' | 'failed'> {
  const began = seen.find((happening) => happening.kind === 'began');
  const finished = seen.findLast((happening) => happening.kind === 'finished');
  return { session: began?.session, failed: finished?.failed ?? true };
}

async function runTest(scratch: Scratch, story: Story): Promise<number | null> {
  const env = ownEnvironment(scratch);
  const test = spawn(story.test, { cwd: scratch.project, env, shell: true, stdio: 'ignore' });
  const [code] = (await once(test, 'close')) as [number | null];
  return code;
}

async function readFiles({ project }: Scratch, story: Story): Promise<Evidence['files']> {
  const entries = Object.keys(story.files).map(async (path) => {
    return [path, await readFile(join(project, path), 'utf8').catch(() => undefined)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

function openStore({ untildoneHome, project }: Scratch): { store: FileStore; newest: LoopRef | undefined } {
  const store = new FileStore(homeAt(untildoneHome), systemClock);
  const [newest] = readLoops(store, store.loops(project));
  return { store, newest: newest?.ref };
}

async function readJournal(scratch: Scratch): Promise<Scanned[]> {
  const { store, newest } = openStore(scratch);
  if (!newest) return [];
  const journal: Scanned[] = [];
  const scan = new JournalScan(store.journalFile(newest), readKey(homeAt(scratch.untildoneHome)));
  for await (const line of scan.next()) journal.push(line);
  return journal;
}

async function showRecord(scratch: Scratch, view: LiveView): Promise<void> {
  const { store, newest } = openStore(scratch);
  const { project } = scratch;
  view.heading('$ untildone status');
  status({ json: false, all: false, project, foreign: [] }, store, systemClock.now(), view.quote);
  if (!newest) return;
  view.heading('$ untildone log');
  await log({ json: false, follow: false }, newest, store, homeAt(scratch.untildoneHome), view.quote);
}

function showChecks(evidence: Evidence, { story, real }: DemoOptions, view: LiveView): boolean {
  const checks = checksOf(story).filter(({ scriptedOnly }) => !(real && scriptedOnly));
  const results = checks.map(({ name, happened }) => ({ name, ok: happened(evidence) }));
  const missing = results.filter(({ ok }) => !ok);
  view.heading('What happened, as the journal, the files and the log of the model show it');
  for (const { name, ok } of results) view.check(name, ok);
  if (missing.length === 0) view.heading('Every step happened. In a project of your own: untildone install');
  else view.heading(`${missing.length} of ${results.length} steps did NOT happen:`);
  for (const { name } of missing) view.quote(name);
  return missing.length === 0;
}

function sayKept(scratch: Scratch, view: LiveView): void {
  view.heading('Kept:');
  view.quote(scratch.root);
}
