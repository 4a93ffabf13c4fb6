import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Session } from '../../src/dev/conformance/session.ts';
import type { Step } from '../format.ts';
import { type Called, call } from './call.ts';
import type { DoneGate, Ending, Guarded, Stopped } from './done-gate.ts';
import type { Place } from './place.ts';

export const PROGRAM = resolve('dist/untildone.cjs');
/** Judging may take several runs of the tests. */
const STOP_LIMIT_MS = 600_000;

/** untildone as you set it up: what `init` proposes is written, trusted and installed. */
export const untildone: DoneGate = {
  prepare: async (place) => {
    await command(place, ['init', '--yes']);
    await trust(place);
    await command(place, ['install']);
  },
  prepareAgain: trust,
  start: async (place, project, played) => {
    const session = new GuardedSession(place);
    await session.begin(played.task ?? project.task);
    return session;
  },
};

async function trust(place: Place): Promise<void> {
  const { stdout } = await command(place, ['trust', '--show']);
  const fingerprint = /^Fingerprint: (\S+)$/m.exec(stdout)?.[1];
  if (fingerprint !== undefined) await command(place, ['trust', '--fingerprint', fingerprint]);
}

/** Runs a command of untildone as you would in the project. */
export async function command({ project, env }: Place, args: readonly string[]): Promise<Called> {
  const called = await call(process.execPath, [PROGRAM, ...args], {
    cwd: project,
    env,
    limitMs: STOP_LIMIT_MS,
  });
  if (called.code === 0) return called;
  throw new Error(`untildone ${args.join(' ')} ends with ${called.code}: ${called.stderr || called.stdout}`);
}

interface StatusJson {
  loops: { status: string; waiting: unknown; gates: { name: string; verdict: string }[] }[];
}

interface HookEntry {
  matcher?: string;
  hooks: { command: string }[];
}

type Hooks = Record<string, HookEntry[]>;

/** A session of a scripted agent, with the hooks that are installed in its project. */
export class GuardedSession implements Guarded {
  readonly agentEnv: Record<string, string>;
  readonly #session: Session;
  readonly #place: Place;
  /** As Claude Code knows them: a change of the settings counts when no hook refuses it. */
  #hooks: Hooks;
  #settings: string;
  #uses = 0;

  constructor(place: Place, name = 's1') {
    this.#place = place;
    this.#session = new Session(name, place);
    this.agentEnv = { ...place.env, ...this.#session.commandEnvironment() };
    this.#settings = settingsOf(place);
    this.#hooks = hooksIn(this.#settings);
  }

  async begin(task: string): Promise<void> {
    await this.#send('SessionStart', { source: 'startup' });
    await command(this.#place, ['start', '--session', this.#session.id, '--', task]);
  }

  async refuses(step: Step): Promise<string | undefined> {
    const answer = await this.#send('PreToolUse', { ...this.#tool(step) });
    const output = answer?.hookSpecificOutput as
      | { permissionDecision?: string; permissionDecisionReason?: string }
      | undefined;
    const isRefused = output?.permissionDecision === 'deny' || answer?.decision === 'block';
    return isRefused ? (output?.permissionDecisionReason ?? String(answer?.reason ?? 'refused')) : undefined;
  }

  async used(step: Step, { output = '', failed = false } = {}): Promise<void> {
    const tool = this.#tool(step);
    await this.#send('PostToolUse', { ...tool, tool_response: {} });
    this.#session.transcript.tool({ name: tool.tool_name, input: tool.tool_input, output, failed });
    this.#uses += 1;
    await this.#noticeSettings();
  }

  async #noticeSettings(): Promise<void> {
    const now = settingsOf(this.#place);
    if (now === this.#settings) return;
    this.#settings = now;
    const file_path = join(this.#place.project, '.claude/settings.json');
    const answer = await this.#send('ConfigChange', { source: 'project_settings', file_path });
    if (answer?.decision !== 'block') this.#hooks = hooksIn(now);
  }

  async stop(message: string): Promise<Stopped> {
    const input = this.#session.stop(message, { background: [], wakeUps: [] }, this.#place.project);
    const answer = await this.#send('Stop', input);
    const held = answer?.decision === 'block';
    const said = String((held ? answer?.reason : answer?.systemMessage) ?? '');
    this.#session.answered(held, said, 'hook');
    return { held, said };
  }

  async answer(args: readonly string[]): Promise<void> {
    await command(this.#place, args);
  }

  async ending(): Promise<Ending> {
    const { stdout } = await command(this.#place, ['status', '--json']);
    const { loops } = JSON.parse(stdout) as StatusJson;
    const [loop] = loops;
    if (!loop) return { status: 'gone', done: false, asks: false, receipt: '', gates: [] };
    const done = loop.status === 'verified_done';
    const receipt = done ? (await command(this.#place, ['receipt'])).stdout : '';
    const gates = loop.gates.filter(({ verdict }) => verdict === 'fail' || verdict === 'unproven');
    return {
      status: loop.status,
      done,
      asks: loop.waiting !== null,
      receipt,
      gates: gates.map(({ name }) => name),
    };
  }

  close(): Promise<void> {
    return this.#session.kill();
  }

  #tool(step: Step): ToolUse & { tool_use_id: string } {
    return { ...toolOf(step, this.#place.project), tool_use_id: `toolu_${this.#uses}` };
  }

  async #send(event: string, fields: Record<string, unknown>): Promise<Record<string, unknown> | undefined> {
    const { project, env } = this.#place;
    const input = JSON.stringify({ ...this.#session.input(event, project), ...fields });
    const lines = (this.#hooks[event] ?? [])
      .filter(({ matcher }) => fits(matcher, fields.tool_name))
      .flatMap(({ hooks }) => hooks.map((hook) => hook.command));
    for (const line of new Set(lines)) {
      const { stdout, code, stderr } = await call('/bin/sh', ['-c', line], {
        cwd: project,
        env: { ...env, ...this.#session.environment(project) },
        input,
        limitMs: STOP_LIMIT_MS,
      });
      if (code === 2) return { decision: 'block', reason: stderr };
      if (stdout.startsWith('{')) return JSON.parse(stdout) as Record<string, unknown>;
    }
    return undefined;
  }
}

function fits(matcher: string | undefined, tool: unknown): boolean {
  if (matcher === undefined || matcher === '' || typeof tool !== 'string') return true;
  return new RegExp(`^(?:${matcher === '*' ? '.*' : matcher})$`).test(tool);
}

interface ToolUse {
  tool_name: string;
  tool_input: Record<string, unknown>;
}

/** The tool by which Claude Code would do a step. */
function toolOf(step: Step, project: string): ToolUse {
  if ('write' in step) {
    const [[path, content] = ['', '']] = Object.entries(step.write);
    return { tool_name: 'Write', tool_input: { file_path: join(project, path), content } };
  }
  if ('replace' in step) {
    const { path, from, to } = step.replace;
    return {
      tool_name: 'Edit',
      tool_input: { file_path: join(project, path), old_string: from, new_string: to },
    };
  }
  const line = 'run' in step ? step.run : 'remove' in step ? `rm -r '${step.remove}'` : 'true';
  return { tool_name: 'Bash', tool_input: { command: line, description: 'the next step' } };
}

function settingsOf({ project }: Place): string {
  try {
    return readFileSync(join(project, '.claude/settings.json'), 'utf8');
  } catch {
    return '';
  }
}

function hooksIn(settings: string): Hooks {
  try {
    const { hooks, disableAllHooks } = JSON.parse(settings) as { hooks?: Hooks; disableAllHooks?: boolean };
    return disableAllHooks ? {} : (hooks ?? {});
  } catch {
    return {};
  }
}
