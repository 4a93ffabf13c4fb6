/** `untildone demo`: the main job, end to end, with the real client on a small project in a temporary folder. */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { type FoundClaude, findClaude } from '../../client/sdk/find-client.ts';
import { findSdk } from '../../client/sdk/sdk.ts';
import { UsageError } from '../../core/text/errors.ts';
import { homeFrom } from '../../home/layout.ts';
import { refuseInsideClient } from '../../hook/start/person.ts';
import { watchInterruption } from '../../terminal/interruption.ts';
import { ask, onTerminal, out } from '../../terminal/print.ts';
import { colourWanted } from '../../terminal/text.ts';
import { type Demo, openDemo } from './demo-folder.ts';
import { liveView } from './live-view.ts';
import { type DemoOptions, playDemo } from './play.ts';
import type { Installation } from './scratch.ts';

export interface DemoFlags {
  claude?: string;
  keep: boolean;
  plan: boolean;
  real: boolean;
  run: boolean;
  yes: boolean;
}

/**
 * How long the scripted model thinks: long enough to be followed by a person. A run looks at the transcript to know how
 * full a session is, and the client takes a tenth of a second to write it: no model is faster than that.
 */
const PAUSE_MS = { session: { watched: 700, unwatched: 0 }, run: { watched: 350, unwatched: 200 } };
/** The folders in `examples/`. */
const EXAMPLES = { session: 'one-session', run: 'many-sessions', plan: 'four-chunks' };
const WIDTH = { least: 60, most: 100 };

/** Exit code: 0 every step happened, 1 one did not or was not wanted, else that of the interruption. */
export async function demo(flags: DemoFlags, installation: Installation): Promise<number> {
  if (flags.real) refuseInsideClient('demo --real', homeFrom(process.env), process.env);
  if (flags.run && flags.plan) throw new UsageError('one at a time: demo --run, or demo --plan');
  if (flags.real && isRun(flags)) throw new UsageError(isScripted(flags));
  const claude = clientFor(flags);
  needGit();
  if (isRun(flags)) await needSdk(claude);
  const refusal = flags.real && !flags.yes ? await askForConsent() : undefined;
  return refusal ?? (await play(flags, claude, installation));
}

async function play(flags: DemoFlags, claude: FoundClaude, installation: Installation): Promise<number> {
  const began = performance.now();
  const { stdout, env } = process;
  const view = (project: string) =>
    liveView({
      colour: colourWanted(stdout, env),
      width: Math.max(WIDTH.least, Math.min(WIDTH.most, stdout.columns || WIDTH.most)),
      project,
      elapsed: () => (performance.now() - began) / 1000,
      out,
    });
  const example = flags.plan ? EXAMPLES.plan : flags.run ? EXAMPLES.run : EXAMPLES.session;
  const played = openDemo(example, dirname(installation.hookEntry));
  for (const line of firstScreen(played, flags.real)) out(line);
  const { watched, unwatched } = PAUSE_MS[isRun(flags) ? 'run' : 'session'];
  const options: DemoOptions = {
    claude: claude.path,
    installation,
    real: flags.real,
    keep: flags.keep,
    pauseMs: stdout.isTTY ? watched : unwatched,
    terminal: stdout.isTTY,
  };
  return playDemo(played, options, view, watchInterruption());
}

/** What is played, what of it is real, and what is not. */
function firstScreen({ name, title, answer }: Demo, real: boolean): string[] {
  const person = answer ? ', and what you would answer' : '';
  return [
    `untildone demo: ${title}.`,
    '',
    '  real      Claude Code, its tools, the project, its tests, and every line that untildone writes',
    real
      ? '  model     yours, with your own login: it costs money'
      : `  scripted  what the model says (examples/${name}/model.yaml)${person}`,
    `  where     in a temporary folder${real ? '' : '; no account, no key, no network'}`,
    '',
  ];
}

/** What was done is told by git: no git, no proof. */
function needGit(): void {
  const { status } = spawnSync('git', ['--version'], { stdio: 'ignore' });
  if (status !== 0)
    throw new UsageError('git was not found on PATH; untildone compares trees with it: install git');
}

/** Both drive their sessions themselves. */
function isRun({ run, plan }: DemoFlags): boolean {
  return run || plan;
}

function isScripted({ plan }: DemoFlags): string {
  return `demo --${plan ? 'plan' : 'run'} is played by script; with your own login, in a project of your own: untildone run "what is to be done"`;
}

/** A run drives its sessions through it; without it, it would try for minutes. */
async function needSdk({ path: claude }: FoundClaude): Promise<void> {
  const found = await findSdk({ env: process.env, claude });
  if ('problem' in found) throw new UsageError(found.problem);
}

/** The demo wants the client whose version is known; with their own login people mean the one they use. */
function clientFor({ claude: given, real }: DemoFlags): FoundClaude {
  const found = findClaude(given, { preferBundled: !real });
  if (found) return found;
  throw new UsageError(
    given === undefined
      ? 'no Claude Code found; install it (npm install -g @anthropic-ai/claude-code) or name one with --claude PATH'
      : `${given} is not a program that can be started; name the claude binary with --claude PATH`,
  );
}

/** Undefined is consent, a number the exit code of a refusal. */
async function askForConsent(): Promise<number | undefined> {
  if (!onTerminal()) {
    throw new UsageError('demo --real costs money and nobody can be asked here; if you mean it, add --yes');
  }
  const answer = await ask(
    'This uses your own Claude login and spends up to 1 USD in a temporary project. Go on?',
  );
  if (answer === 'yes') return undefined;
  out('Nothing was started.');
  return answer === 'interrupted' ? 130 : 1;
}
