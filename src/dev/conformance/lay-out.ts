import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quoteForShell } from '../../core/shell/shell-quote.ts';
import type { Ran } from './answer.ts';
import { type Asked, countsFor, type KnownLoop } from './compare.ts';
import type { Layout } from './layouts.ts';
import { type RunCommand, runCommand } from './run-command.ts';
import type { Scenario } from './scenario.ts';
import { World } from './world.ts';

/** In which format, laid out how, against whose hook a scenario is played. */
export interface Playing extends Asked {
  layout: Layout;
}

/** The world that a scenario begins in, for one format. */
export function layOutWorld(scenario: Scenario, playing: Playing): World {
  const world = new World(scenario.folder);
  const files = scenario.files.filter(({ only }) => countsFor(only, playing));
  for (const { path, content } of files) world.write(path, content);
  if (scenario.gitRepository) {
    world.git(['init', '-q', '-b', 'main']);
    world.git(['add', '-A']);
    world.git(['commit', '-q', '--allow-empty', '-m', 'As given']);
  }
  if (scenario.loop)
    for (const [path, text] of Object.entries(playing.layout.layOut(scenario.loop))) world.write(path, text);
  return world;
}

const PASSED_ON = ['LANG', 'LC_ALL', 'TMPDIR'];

/** Calls of untildone itself, as a person or as an agent's Bash tool makes them. */
export class UntildoneCommands {
  readonly #world: World;
  readonly #bin: string;
  readonly #run: RunCommand;

  constructor(world: World, untildone: readonly string[], run: RunCommand = runCommand) {
    this.#world = world;
    this.#run = run;
    this.#bin = join(world.root, 'bin');
    mkdirSync(this.#bin);
    const script = join(this.#bin, 'untildone');
    writeFileSync(script, `#!/bin/sh\nexec ${untildone.map(quoteForShell).join(' ')} "$@"\n`);
    chmodSync(script, 0o755);
  }

  /** Clean: what a hook finds beside this comes from the client. */
  environment(): Record<string, string> {
    const passedOn = PASSED_ON.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    });
    return {
      ...Object.fromEntries(passedOn),
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: this.#world.home,
      UNTILDONE_HOME: this.#world.untildoneHome,
    };
  }

  run(line: string, by: string | undefined, limitMs: number, unprivileged = false): Promise<Ran> {
    const session = by === undefined ? undefined : this.#world.session(by);
    const env = this.environment();
    return this.#run({
      line: this.#world.fill(line),
      cwd: this.#world.project,
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

/** What `untildone install` had the client run at every Stop. */
export function installedStopCommand(world: World): string {
  for (const name of SETTINGS) {
    const path = world.path(name);
    const found = existsSync(path) ? stopCommandIn(path) : undefined;
    if (found) return found;
  }
  throw new Error('no settings file has a Stop hook: "run untildone install" has to come first');
}

interface Settings {
  hooks?: { Stop?: { hooks?: { command?: string }[] }[] };
}

function stopCommandIn(path: string): string | undefined {
  const settings = JSON.parse(readFileSync(path, 'utf8')) as Settings;
  return settings.hooks?.Stop?.flatMap((group) => group.hooks ?? []).find((hook) => hook.command)?.command;
}
