/** `untildone demo`: plays one of four demos with the real Claude Code on a small project in a temporary folder. */

import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { type FoundClaude, findClaude } from '../../engine/client/sdk/find-client.ts';
import { findSdk } from '../../engine/client/sdk/sdk.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { homeFrom } from '../../engine/home/layout.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { watchInterruption } from '../../engine/terminal/interruption.ts';
import { ask, onTerminal, out } from '../../engine/terminal/print.ts';
import { colourWanted } from '../../engine/terminal/style.ts';
import { type Demo, openDemo } from './demo-folder.ts';
import { liveView } from './live-view.ts';
import { type DemoOptions, playDemo } from './play.ts';
import type { Installation } from './scratch.ts';

export interface DemoFlags {
  cheat: boolean;
  claude?: string;
  keep: boolean;
  plan: boolean;
  real: boolean;
  run: boolean;
  yes: boolean;
}

/**
 * How long the scripted model thinks: on a terminal so long that you can follow. In a run never less than Claude Code takes
 * to write its transcript, about a tenth of a second: the run reads there how full a session is.
 */
const PAUSE_MS = { session: { watched: 700, unwatched: 0 }, run: { watched: 350, unwatched: 200 } };
/** The folders in `examples/`. */
const EXAMPLES = { session: 'one-session', run: 'many-sessions', plan: 'four-chunks', cheat: 'eight-cheats' };
const WIDTH = { least: 60, most: 100 };

/** Returns the exit code: 0 when every step happened, 1 when one did not or you refused, else that of the interruption. */
export async function demo(flags: DemoFlags, installation: Installation): Promise<number> {
  if (flags.real) refuseInsideClient('demo --real', homeFrom(process.env), process.env);
  const chosen = (['run', 'plan', 'cheat'] as const).filter((name) => flags[name]);
  if (chosen.length > 1)
    throw new UsageError(`one at a time: ${chosen.map((name) => `demo --${name}`).join(', or ')}`);
  if (flags.real && isRun(flags)) throw new UsageError(isScripted(flags));
  if (flags.real && flags.cheat)
    throw new UsageError('demo --cheat is played by script: a model of yours would not cheat on demand');
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
  const example = EXAMPLES[flags.cheat ? 'cheat' : flags.plan ? 'plan' : flags.run ? 'run' : 'session'];
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

/** Refuses to play without git, which tells what was done. */
function needGit(): void {
  const { status } = spawnSync('git', ['--version'], { stdio: 'ignore' });
  if (status !== 0)
    throw new UsageError('git was not found on PATH, and untildone compares trees with it: install git');
}

/** Both `--run` and `--plan` play a run. */
function isRun({ run, plan }: DemoFlags): boolean {
  return run || plan;
}

function isScripted({ plan }: DemoFlags): string {
  return `demo --${plan ? 'plan' : 'run'} is played by script; with your own login, in a project of your own: untildone run "what is to be done"`;
}

/** Refuses to play a run without the Agent SDK, for which a run would wait for minutes. */
async function needSdk({ path: claude }: FoundClaude): Promise<void> {
  const found = await findSdk({ env: process.env, claude });
  if ('problem' in found) throw new UsageError(found.problem);
}

/** Finds Claude Code: the bundled one, whose version is known; with `--real` the one that you use. */
function clientFor({ claude: given, real }: DemoFlags): FoundClaude {
  const found = findClaude(given, { preferBundled: !real });
  if (found) return found;
  throw new UsageError(
    given === undefined
      ? 'no Claude Code found; install it (npm install -g @anthropic-ai/claude-code) or name one with --claude PATH'
      : `${given} is not a program that can be started; name the claude binary with --claude PATH`,
  );
}

/** Asks whether `--real` may cost money. Returns undefined for yes, else the exit code. */
async function askForConsent(): Promise<number | undefined> {
  if (!onTerminal()) {
    throw new UsageError(
      'demo --real costs money, and there is no terminal to ask you on; if you mean it, add --yes',
    );
  }
  const answer = await ask(
    'This uses your own Claude login and spends up to 1 USD in a temporary project. Go on?',
  );
  if (answer === 'yes') return undefined;
  out('Nothing was started.');
  return answer === 'interrupted' ? EXIT.interrupted : EXIT.no;
}
