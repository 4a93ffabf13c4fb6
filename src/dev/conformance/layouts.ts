import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quoteForShell } from '../../engine/core/shell/words.ts';
import { type Asked, countsFor, type KnownLoop } from './compare.ts';
import { type Ran, type RunCommand, runCommand } from './run-command.ts';
import { Sandbox } from './sandbox.ts';
import type { Format, GivenLoop, Scenario } from './scenario.ts';

/** The layouts of the formats: the files of a given loop, what finishes it, and where its iterations are counted. */

/** Files by their path in a scenario (`project/...`, `home/...`); `{S1}` and `{now}` are filled in later. */
type StateFiles = Record<string, string>;

export interface Layout {
  /** The loop as the format's own commands or documents lay it out. */
  layOut(loop: GivenLoop): StateFiles;
  /** Where the state of a session's loop is; the first is the one that makes it a loop. */
  paths(session: string): string[];
  /** What has to be true when the agent says that it is done. */
  finish(loop: GivenLoop): Finish;
  /** The number that the format's hook writes back, as it stands in the file; undefined where it writes none. */
  counter?: { path: string; find(text: string): string | undefined };
}

export interface Finish {
  says: string;
  write: StateFiles;
  remove: string[];
}

const RALPH = 'project/.claude/ralph-loop.local.md';
const FEATURES = 'project/.claude/data/ralph-loops/current';
const LOCK = 'project/.claude/runtime/locks/.lock_active';
const DONE = 'Everything is finished.';

const ralphLoop: Layout = {
  layOut: ({ session, iteration, maxIterations, promise, task }) => ({
    [RALPH]: `---
active: true
iteration: ${iteration}
session_id: {${session}}
max_iterations: ${maxIterations}
completion_promise: ${promise === undefined ? 'null' : JSON.stringify(promise)}
started_at: "{now}"
---

${task}
`,
  }),
  paths: () => [RALPH],
  finish: ({ promise }) => ({ says: `<promise>${promise ?? ''}</promise>`, write: {}, remove: [] }),
  counter: { path: RALPH, find: (text) => frontMatter(text)?.match(/^iteration:[ \t]*(.*?)[ \t]*$/m)?.[1] },
};

/** What stands between the first two lines of three dashes. */
function frontMatter(text: string): string | undefined {
  return /^\uFEFF?---\n([\s\S]*?)\n---(?:\n|$)/.exec(text.replaceAll('\r\n', '\n'))?.[1];
}

const featureList: Layout = {
  layOut: (loop) => ({
    [`${FEATURES}/feature_list.json`]: featuresOf(loop, false),
    [`${FEATURES}/progress.txt`]: `# Progress

- Status: IN_PROGRESS
- Max Iterations: ${loop.maxIterations}
- Iteration: ${loop.iteration}

## Log
Nothing yet.
`,
    [`${FEATURES}/RALPH_PROMPT.md`]: `${loop.task}\n`,
  }),
  paths: () => [`${FEATURES}/feature_list.json`, `${FEATURES}/progress.txt`],
  finish: (loop) => ({
    says: DONE,
    write: { [`${FEATURES}/feature_list.json`]: featuresOf(loop, true) },
    remove: [],
  }),
  counter: {
    path: `${FEATURES}/progress.txt`,
    find: (text) => /^- Iteration:[ \t]*(.*?)[ \t]*\r?$/m.exec(text)?.[1],
  },
};

function featuresOf({ task }: GivenLoop, passes: boolean): string {
  const features = [
    { id: 1, description: 'The first feature', steps: ['Write it', 'Try it'], passes: true },
    { id: 2, description: `The second feature: ${task}`, steps: ['Write it', 'Try it'], passes },
  ];
  return `${JSON.stringify({ total_features: features.length, features }, null, 2)}\n`;
}

const verifiedDone: Layout = {
  layOut: (loop) => ({ [loopFile(loop.session)]: verifiedLoop(loop, false) }),
  paths: (session) => [loopFile(session)],
  finish: (loop) => ({
    says: DONE,
    write: { [loopFile(loop.session)]: verifiedLoop(loop, true) },
    remove: [],
  }),
};

/** For hooks of verified-done that know orchestrator.json only. */
const orchestrator: Layout = {
  layOut: (loop) => ({ [orchestratorFile(loop.session)]: orchestratorState(loop, false) }),
  paths: (session) => [orchestratorFile(session)],
  finish: (loop) => ({
    says: DONE,
    write: { [orchestratorFile(loop.session)]: orchestratorState(loop, true) },
    remove: [],
  }),
};

function orchestratorFile(session: string): string {
  return `home/.ralph/state/{${session}}/orchestrator.json`;
}

function orchestratorState({ session, task, iteration }: GivenLoop, done: boolean): string {
  const state = {
    session_id: `{${session}}`,
    task,
    phase: done ? 'complete' : 'implementation',
    verified_done: done,
    iterations: iteration,
    created_at: '{now}',
    last_updated: '{now}',
  };
  return `${JSON.stringify(state, null, 2)}\n`;
}

function loopFile(session: string): string {
  return `home/.ralph/state/{${session}}/loop.json`;
}

function verifiedLoop({ session, task, iteration, maxIterations }: GivenLoop, done: boolean): string {
  const state = {
    session_id: `{${session}}`,
    task,
    iteration,
    max_iterations: maxIterations,
    validation_result: done ? 'passed' : 'failed',
    last_error: done ? null : 'src/auth.ts:42 - Type error',
    verified_done: done,
    created_at: '{now}',
    last_updated: '{now}',
  };
  return `${JSON.stringify(state, null, 2)}\n`;
}

const lock: Layout = {
  layOut: () => ({ [LOCK]: '' }),
  paths: () => [LOCK],
  finish: () => ({ says: DONE, write: {}, remove: [LOCK] }),
};

/** Every layout of a loop, the usual one of each format first. A hook need not know all of them. */
const LAYOUTS: Record<Format, Record<string, Layout>> = {
  'ralph-loop': { 'ralph-loop.local.md': ralphLoop },
  'feature-list': { 'feature_list.json': featureList },
  'verified-done': { 'loop.json': verifiedDone, 'orchestrator.json': orchestrator },
  lock: { '.lock_active': lock },
};

/** The files of a format that make a loop by themselves. */
export function layoutNames(format: Format): string[] {
  return Object.keys(LAYOUTS[format]);
}

/** The usual layout among those that a hook knows. */
export function layoutFor(format: Format, known: readonly string[]): Layout {
  const found = Object.entries(LAYOUTS[format]).find(([name]) => known.includes(name))?.[1];
  if (!found) throw new Error(`no layout of ${format} is among ${known.join(', ')}`);
  return found;
}

/** How a scenario is played: in which format and layout, against which hook. */
export interface Playing extends Asked {
  layout: Layout;
}

/** Makes the sandbox that a scenario begins in, for one format. */
export function layOutSandbox(scenario: Scenario, playing: Playing): Sandbox {
  const sandbox = new Sandbox(scenario.folder);
  const files = scenario.files.filter(({ only }) => countsFor(only, playing));
  for (const { path, content } of files) sandbox.write(path, content);
  if (scenario.gitRepository) {
    sandbox.git(['init', '-q', '-b', 'main']);
    sandbox.git(['add', '-A']);
    sandbox.git(['commit', '-q', '--allow-empty', '-m', 'As given']);
  }
  if (scenario.loop)
    for (const [path, text] of Object.entries(playing.layout.layOut(scenario.loop)))
      sandbox.write(path, text);
  return sandbox;
}

const PASSED_ON = ['LANG', 'LC_ALL', 'TMPDIR'];

/** Runs commands of untildone itself, as you or the Bash tool of an agent would. */
export class UntildoneCommands {
  readonly #sandbox: Sandbox;
  readonly #bin: string;
  readonly #run: RunCommand;

  constructor(sandbox: Sandbox, untildone: readonly string[], run: RunCommand = runCommand) {
    this.#sandbox = sandbox;
    this.#run = run;
    this.#bin = join(sandbox.root, 'bin');
    mkdirSync(this.#bin);
    const script = join(this.#bin, 'untildone');
    writeFileSync(script, `#!/bin/sh\nexec ${untildone.map(quoteForShell).join(' ')} "$@"\n`);
    chmodSync(script, 0o755);
  }

  /** A clean environment: Claude Code adds the rest for its hooks. */
  environment(): Record<string, string> {
    const passedOn = PASSED_ON.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    });
    return {
      ...Object.fromEntries(passedOn),
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: this.#sandbox.home,
      UNTILDONE_HOME: this.#sandbox.untildoneHome,
    };
  }

  run(line: string, by: string | undefined, limitMs: number, unprivileged = false): Promise<Ran> {
    const session = by === undefined ? undefined : this.#sandbox.session(by);
    const env = this.environment();
    return this.#run({
      line: this.#sandbox.fill(line),
      cwd: this.#sandbox.project,
      env: { ...env, ...session?.commandEnvironment(), PATH: `${this.#bin}:${env.PATH}` },
      input: '',
      limitMs,
      unprivileged,
    });
  }

  /** Newest first. */
  async status(): Promise<KnownLoop[]> {
    const { stdout, stderr } = await this.run('untildone status --json --all', undefined, 30_000);
    try {
      return (JSON.parse(stdout) as { loops: KnownLoop[] }).loops;
    } catch {
      throw new Error(`untildone status did not answer with JSON: ${stderr || stdout}`);
    }
  }
}

const SETTINGS = [
  'project/.claude/settings.local.json',
  'project/.claude/settings.json',
  'home/.claude/settings.json',
];

/** Finds the command that `untildone install` wrote into the settings. */
export function installedStopCommand(sandbox: Sandbox): string {
  for (const name of SETTINGS) {
    const path = sandbox.path(name);
    const found = existsSync(path) ? stopCommandIn(path) : undefined;
    if (found) return found;
  }
  throw new Error('no settings file has a Stop hook: the step "run untildone install" has to come first');
}

interface Settings {
  hooks?: { Stop?: { hooks?: { command?: string }[] }[] };
}

function stopCommandIn(path: string): string | undefined {
  const settings = JSON.parse(readFileSync(path, 'utf8')) as Settings;
  return settings.hooks?.Stop?.flatMap((group) => group.hooks ?? []).find((hook) => hook.command)?.command;
}
