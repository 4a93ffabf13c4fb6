/** Plays what a real client sent, without a client: our commands and hooks are calls in this process. */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Ran } from '../../../src/dev/conformance/run-command.ts';
import { prepareClientHome } from '../../../src/engine/client/sdk/find-client.ts';
import { temporaryFolder } from '../files/workers.ts';
import { loadProgram, type Program, runCli, runHook } from '../in-process.ts';
import { FINGERPRINT, withoutPlaceholders } from '../live/placeholders.ts';
import {
  type AnswerKind,
  type Content,
  type EventStep,
  kindOfAnswer,
  loopsIn,
  type Recording,
  type Step,
} from '../live/recording.ts';
import { commitAll, initRepository } from '../repository.ts';

/** What the hooks module of the plugin puts into an event. */
const ANSWERED = 'untildone_answered';

/** One event, with the answer that the recording has and the one that it got now. */
export interface PlayedEvent {
  event: string;
  recorded: AnswerKind;
  answer: AnswerKind;
}

export interface Played {
  events: PlayedEvent[];
  /** As `loops` of a recording. */
  loops: string[];
}

export async function playRecording(recording: Recording): Promise<Played> {
  const player = await Player.open(recording);
  for (const step of player.steps) await player.play(step);
  return { events: player.played, loops: await player.loops() };
}

class Player {
  readonly played: PlayedEvent[] = [];
  readonly steps: readonly Step[];
  readonly #program: Program;
  readonly #root: string;
  readonly #project: string;
  readonly #client = processOfClient();
  #session = '';

  static async open(recording: Recording): Promise<Player> {
    const root = realpathSync(temporaryFolder());
    const player = new Player(recording, root, await loadProgram());
    mkdirSync(player.#project);
    mkdirSync(join(root, 'tmp'));
    prepareClientHome(join(root, 'home'), [player.#project]);
    if (recording.git) initRepository(player.#project);
    return player;
  }

  private constructor({ steps, project }: Recording, root: string, program: Program) {
    this.steps = withoutPlaceholders(steps, root, Date.now());
    this.#root = root;
    this.#project = join(root, project);
    this.#program = program;
  }

  async play(step: Step): Promise<void> {
    switch (step.kind) {
      case 'files':
        return this.#write(step.files);
      case 'commit':
        return commitAll(this.#project);
      case 'untildone':
        return this.#command(step.by, step.args);
      case 'event':
        return this.#event(step);
    }
  }

  #write(files: Record<string, Content | null>): void {
    for (const [path, content] of Object.entries(files)) {
      const file = join(this.#project, path);
      if (content === null) {
        rmSync(file);
        continue;
      }
      mkdirSync(dirname(file), { recursive: true });
      if (typeof content === 'string') writeFileSync(file, content);
      else symlinkSync(content.link, file);
    }
  }

  async #command(by: 'person' | 'agent', args: readonly string[]): Promise<void> {
    const env = { ...this.#environment(), ...(by === 'agent' ? this.#variables() : {}) };
    const known = args.includes(FINGERPRINT) ? await this.#fingerprint() : '';
    const words = args.map((word) => (word === FINGERPRINT ? known : word));
    const ran = await runCli(this.#program, words, this.#commandLine(env, ''));
    if (ran.exitCode !== 0) throw new Error(`untildone ${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
  }

  async #fingerprint(): Promise<string> {
    return /Fingerprint: (\w+)/.exec(await this.#ask('trust', '--show'))?.[1] ?? '';
  }

  async loops(): Promise<string[]> {
    return loopsIn(await this.#ask('status', '--json', '--all'));
  }

  async #ask(...args: string[]): Promise<string> {
    const { stdout } = await runCli(this.#program, args, this.#commandLine(this.#environment(), ''));
    return stdout;
  }

  async #event({ input, env, lines, answer: recorded }: EventStep): Promise<void> {
    for (const [file, added] of Object.entries(lines)) {
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, added.map((line) => `${line}\n`).join(''));
    }
    this.#session = String(input.session_id);
    const all = { ...this.#variables(), CLAUDE_PROJECT_DIR: this.#project, CLAUDE_EFFORT: 'medium' };
    const named = Object.entries(all).filter(([name]) => env.includes(name));
    const environment = { ...this.#environment(), ...Object.fromEntries(named) };
    if (input[ANSWERED] === true) await this.#moduleFirst(input, environment);
    const ran = await runHook(this.#program, this.#commandLine(environment, JSON.stringify(input)));
    this.played.push({ event: String(input.hook_event_name), recorded, answer: answerOf(ran) });
  }

  /** The hooks module of the plugin asks a hook process of its own, and then tells the hooks beside it that it answered. */
  async #moduleFirst(told: Record<string, unknown>, environment: Record<string, string>): Promise<void> {
    const { [ANSWERED]: _, ...input } = told;
    const env = { ...environment, UNTILDONE_WAY: 'module' };
    await runHook(this.#program, this.#commandLine(env, JSON.stringify(input)));
  }

  #commandLine(env: Record<string, string>, input: string) {
    return { line: '', cwd: this.#project, env, input, limitMs: 0 };
  }

  #environment(): Record<string, string> {
    const at = (name: string) => join(this.#root, name);
    const own = { HOME: at('home'), UNTILDONE_HOME: at('untildone-home'), TMPDIR: at('tmp') };
    return { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...own };
  }

  /** What Claude Code adds. */
  #variables(): Record<string, string> {
    const entry = { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli', CLAUDE_CODE_SESSION_ATTENDED: '0' };
    return {
      CLAUDECODE: '1',
      CLAUDE_PID: `${this.#client}`,
      CLAUDE_CODE_SESSION_ID: this.#session,
      ...entry,
    };
  }
}

/** A process that stands for the client while the test lasts: not above what a person types in a terminal of their own. */
function processOfClient(): number {
  const child = spawn('sleep', ['3600'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill());
  return child.pid ?? 0;
}

/** Two events can be refused by exit code 2 alone. */
function answerOf({ exitCode, stdout }: Ran): AnswerKind {
  return exitCode === 2 ? 'block' : kindOfAnswer(stdout);
}
