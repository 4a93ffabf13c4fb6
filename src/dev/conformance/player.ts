import { difference, isAsked, type KnownLoop, type Observed } from './compare.ts';
import { installedStopCommand, type Layout, type Playing, UntildoneCommands } from './layouts.ts';
import { type Look, lookAt } from './observe.ts';
import { answerOf, type CommandLine, type Ran, type RunCommand, runCommand } from './run-command.ts';
import type { Sandbox } from './sandbox.ts';
import {
  type Action,
  type Check,
  type Expected,
  type Scenario,
  STATE,
  type Step,
  type StopGiven,
} from './scenario.ts';
import type { Session } from './session.ts';

/** A hook that has not answered until then hangs. */
const HANG_MS = 30_000;

type StopAction = Extract<Action, { kind: 'stop' }>;

/** Plays the steps of a scenario in its sandbox. */
export class Player {
  readonly #scenario: Scenario;
  readonly #playing: Playing;
  /** The command under test. */
  readonly #line: string;
  readonly #sandbox: Sandbox;
  readonly #commands: UntildoneCommands;
  readonly #run: RunCommand;
  readonly #unprivileged: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #patience: number;
  #stops = 0;

  constructor(
    scenario: Scenario,
    playing: Playing,
    sandbox: Sandbox,
    options: {
      line: string;
      untildone: readonly string[];
      run: RunCommand | undefined;
      unprivileged: boolean;
      signal: AbortSignal | undefined;
      patience: number;
    },
  ) {
    this.#scenario = scenario;
    this.#playing = playing;
    this.#sandbox = sandbox;
    this.#line = options.line;
    const { run = runCommand, patience } = options;
    this.#run = (command) => run({ ...command, limitMs: command.limitMs * patience });
    this.#patience = patience;
    this.#commands = new UntildoneCommands(sandbox, options.untildone, this.#run);
    this.#unprivileged = options.unprivileged;
    this.#signal = options.signal;
  }

  /** Does one step and compares; returns the first difference. */
  async play(step: Step): Promise<{ line: number; difference: string } | undefined> {
    const expected = step.expected.filter((e) => isAsked(e, this.#playing));
    const before = this.#lookBefore(expected);
    const limitMs = Math.min(
      HANG_MS,
      ...expected.map((e) => (e.check.kind === 'within' ? e.check.ms : HANG_MS)),
    );
    const ran = await this.#do(step.action, limitMs);
    if (ran?.timedOut)
      return { line: step.line, difference: `no answer within ${(limitMs * this.#patience) / 1000} s` };
    const seen = this.#observed(ran, before);
    for (const { check, line } of expected) {
      const found = await difference(this.#patiently(check), seen);
      if (found !== undefined) return { line, difference: found };
    }
    return undefined;
  }

  #patiently(check: Check): Check {
    return check.kind === 'within' ? { ...check, ms: check.ms * this.#patience } : check;
  }

  #lookBefore(expected: readonly Expected[]): Map<string, Look> {
    const paths = expected.flatMap(({ check }) => (check.kind === 'file' ? this.#files(check.path) : []));
    return new Map(paths.map((path) => [path, lookAt(this.#sandbox.path(path))]));
  }

  #observed(ran: Ran | undefined, before: Map<string, Look>): Observed {
    const now = (path: string) => lookAt(this.#sandbox.path(path));
    return {
      ran,
      before: (path) => before.get(path) ?? { kind: 'nothing' },
      now,
      files: (path) => this.#files(path),
      fill: (text) => this.#sandbox.fill(text),
      fillBytes: (content) => this.#sandbox.fillBytes(content),
      counter: () => this.#counter(now),
      loops: (session) => this.#loops(session),
    };
  }

  #files(path: string): string[] {
    return filesOf(path, this.#scenario, this.#playing.layout);
  }

  #counter(now: (path: string) => Look): string | undefined {
    const { counter } = this.#playing.layout;
    if (!counter) return undefined;
    const look = now(counter.path);
    return look.kind === 'file' ? (counter.find(look.bytes.toString('utf8')) ?? '') : '';
  }

  async #loops(name: string): Promise<KnownLoop[]> {
    const { id } = this.#sandbox.session(name);
    const loops = await this.#commands.status();
    return loops.filter((loop) => loop.session === id);
  }

  async #do(action: Action, limitMs: number): Promise<Ran | undefined> {
    const sandbox = this.#sandbox;
    switch (action.kind) {
      case 'stop':
        return this.#stop(action, limitMs);
      case 'prompt':
        sandbox.session(action.session).prompt(sandbox.fill(action.text));
        return this.#tell(action.session, 'UserPromptSubmit', { prompt: sandbox.fill(action.text) }, limitMs);
      case 'tool':
        sandbox.session(action.session).transcript.tool();
        return this.#tell(action.session, 'PostToolUse', TOOL, limitMs);
      case 'event':
        return this.#tell(action.session, ...eventOf(action.name, action.detail), limitMs);
      case 'client-killed':
        await sandbox.session(action.session).kill();
        return undefined;
      case 'run':
        return this.#commands.run(action.line, action.by, limitMs, this.#unprivileged);
      default:
        change(action, sandbox, this.#scenario, this.#playing.layout);
        return undefined;
    }
  }

  /** Sends one Stop, or as many as the scenario allows until the hook lets go. Between them the agent works. */
  async #stop(action: StopAction, limitMs: number): Promise<Ran> {
    const session = this.#sandbox.session(action.session);
    for (let n = 1; ; n += 1) {
      const ran = await this.#stopOnce(action, session, limitMs);
      const { held, reason } = answerOf(ran);
      session.answered(held, reason, this.#line);
      if (!held || ran.timedOut || n >= (action.upTo ?? 1)) return ran;
      session.transcript.tool();
    }
  }

  #stopOnce({ says, given }: StopAction, session: Session, limitMs: number): Promise<Ran> {
    const sandbox = this.#sandbox;
    this.#stops += 1;
    const text = this.#spoken(says);
    const project =
      given.project === undefined ? sandbox.projectThrough(given.throughLink) : sandbox.path(given.project);
    const cwd = given.cwd === undefined ? project : sandbox.cwd(given.cwd, given.throughLink);
    const input = session.stop(text, filled(given, sandbox), cwd);
    const env = {
      ...this.#commands.environment(),
      ...session.environment(project),
      ...filledEnv(given, sandbox),
    };
    const line = given.installed ? installedStopCommand(sandbox) : this.#line;
    return this.#runHook(line, arriving(input, given), { cwd, env, limitMs, fullDisk: given.fullDisk });
  }

  #spoken(says: StopAction['says']): string | undefined {
    if (says.kind === 'nothing') return undefined;
    if (says.kind === 'finished') return finish(this.#sandbox, this.#scenario, this.#playing.layout);
    return this.#sandbox.fill(says.text).replaceAll('{n}', String(this.#stops));
  }

  /** Sends another event, to untildone alone: a foreign hook is registered for Stop only. */
  async #tell(
    name: string,
    event: string,
    fields: Record<string, unknown>,
    limitMs: number,
  ): Promise<Ran | undefined> {
    if (!this.#playing.isUntildone) return undefined;
    const session = this.#sandbox.session(name);
    const cwd = this.#sandbox.project;
    const env = { ...this.#commands.environment(), ...session.environment(cwd) };
    const input = JSON.stringify({ ...session.input(event, cwd), ...fields });
    return this.#runHook(this.#line, input, { cwd, env, limitMs });
  }

  #runHook(
    line: string,
    input: string,
    how: Pick<CommandLine, 'cwd' | 'env' | 'limitMs' | 'fullDisk'>,
  ): Promise<Ran> {
    return this.#run({
      line,
      input,
      unprivileged: this.#unprivileged,
      signal: this.#signal,
      ...how,
    });
  }
}

function filled(given: StopGiven, sandbox: Sandbox): StopGiven {
  const { transcript } = given;
  if (transcript?.kind !== 'lines') return given;
  return { ...given, transcript: { kind: 'lines', content: sandbox.fillBytes(transcript.content) } };
}

function arriving(event: Record<string, unknown>, { input }: StopGiven): string {
  const text = JSON.stringify(event);
  if (input === 'no') return '';
  return input === 'torn' ? text.slice(0, Math.floor(text.length / 2)) : text;
}

function filledEnv({ env }: StopGiven, sandbox: Sandbox): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, sandbox.fill(value)]));
}

const TOOL = {
  tool_name: 'Bash',
  tool_input: { command: 'true' },
  tool_use_id: 'toolu_1',
  tool_response: {},
};

function eventOf(
  name: 'session-start' | 'session-end' | 'stop-failure',
  detail: string,
): [string, Record<string, unknown>] {
  switch (name) {
    case 'session-start':
      return ['SessionStart', { source: detail || 'startup' }];
    case 'session-end':
      return ['SessionEnd', { reason: detail || 'other' }];
    case 'stop-failure':
      return ['StopFailure', { error: detail || 'unknown' }];
  }
}

/** A step that changes files between two events. */
export type Change = Extract<Action, { kind: 'write' | 'remove' | 'restore' | 'make' | 'git' }>;

/** The files that a path of a scenario stands for: `state` may be several. */
export function filesOf(path: string, scenario: Scenario, layout: Layout): string[] {
  return path === STATE ? layout.paths(scenario.loop?.session ?? 'S1') : [path];
}

export function change(action: Change, sandbox: Sandbox, scenario: Scenario, layout: Layout): void {
  const main = (path: string) => filesOf(path, scenario, layout)[0] ?? path;
  switch (action.kind) {
    case 'write':
      sandbox.write(main(action.path), action.content);
      break;
    case 'remove':
      for (const path of filesOf(action.path, scenario, layout)) sandbox.remove(path);
      break;
    case 'restore':
      if (scenario.loop) writeAll(layout.layOut(scenario.loop), sandbox);
      break;
    case 'make':
      sandbox.make(main(action.path), action.what);
      break;
    case 'git':
      sandbox.git(sandbox.fill(action.line).split(' '));
      break;
  }
}

/** Finishes the given loop as its format does. Returns what the agent says then. */
export function finish(sandbox: Sandbox, { loop }: Scenario, layout: Layout): string {
  if (!loop) throw new Error('there is no loop to finish');
  const { says, write, remove } = layout.finish(loop);
  writeAll(write, sandbox);
  for (const path of remove) sandbox.remove(path);
  return says;
}

function writeAll(files: Record<string, string>, sandbox: Sandbox): void {
  for (const [path, text] of Object.entries(files)) sandbox.write(path, text);
}
