import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

/** Runs the steps of `action.yml` as a runner of GitHub does: expressions, shell, files for outputs and the summary. */

export const ACTION_FILE = resolve(import.meta.dirname, '../../../action.yml');

interface Step {
  id?: string;
  name: string;
  if?: string;
  uses?: string;
  with?: Record<string, string>;
  run?: string;
  shell?: string;
  env?: Record<string, string>;
  'working-directory'?: string;
}

interface Action {
  inputs: Record<string, { description: string; default: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
}

export function readAction(): Action {
  return parse(readFileSync(ACTION_FILE, 'utf8')) as Action;
}

export interface Job {
  /** The checkout. */
  workspace: string;
  /** RUNNER_TEMP, which outlives a step. */
  temp: string;
  inputs: Record<string, string>;
  env: Record<string, string>;
  event: object;
}

export interface Played {
  /** Whether every step succeeded. */
  ok: boolean;
  exitCodes: (number | null)[];
  log: string;
  summary: string;
  outputs: Record<string, string>;
  /** Other actions that were used, with what they were given. */
  used: { uses: string; with: Record<string, string> }[];
}

type Context = Record<string, unknown>;

/** The value of `inputs.x`, `github.event.a.b` and the like; empty when there is none. */
function lookUp(path: string, context: Context): string {
  let value: unknown = context;
  for (const name of path.split('.')) value = (value as Context | undefined)?.[name];
  return value === undefined || value === null ? '' : String(value);
}

function fill(text: string, context: Context): string {
  return text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, path: string) => lookUp(path, context));
}

/** Conditions are `always()` and comparisons with texts, joined by `&&`. */
function holds(condition: string, context: Context): boolean {
  return condition.split(' && ').every((part) => {
    if (part === 'always()') return true;
    const [, path = '', sign, text] = /^([\w.-]+) (==|!=) '([^']*)'$/.exec(part) ?? [];
    if (sign === undefined) throw new Error(`a condition that is not understood: ${part}`);
    return (lookUp(path, context) === text) === (sign === '==');
  });
}

export function playAction(job: Job, only: (step: Step) => boolean = () => true): Played {
  const { inputs, outputs, runs } = readAction();
  const defaults = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default]));
  const steps: Record<string, { outputs: Record<string, string> }> = {};
  const context: Context = {
    inputs: { ...defaults, ...job.inputs },
    runner: { temp: job.temp },
    github: { event: job.event },
    steps,
  };
  mkdirSync(job.temp, { recursive: true });
  const files = Object.fromEntries(
    ['GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY', 'GITHUB_ENV', 'GITHUB_PATH'].map((name) => [
      name,
      join(job.temp, name),
    ]),
  ) as Record<string, string>;
  for (const file of Object.values(files)) writeFileSync(file, '');
  const played: Played = { ok: true, exitCodes: [], log: '', summary: '', outputs: {}, used: [] };
  for (const step of runs.steps.filter(only)) {
    if (!(step.if === undefined ? played.ok : holds(step.if, context))) continue;
    if (step.uses !== undefined) {
      const given = Object.entries(step.with ?? {}).map(([name, value]) => [name, fill(value, context)]);
      played.used.push({ uses: step.uses, with: Object.fromEntries(given) });
      continue;
    }
    writeFileSync(files.GITHUB_OUTPUT ?? '', '');
    const script = join(job.temp, 'step.sh');
    writeFileSync(script, step.run ?? '');
    const set = Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value, context)]);
    const env = { ...job.env, ...files, RUNNER_TEMP: job.temp, ...Object.fromEntries(set) };
    const cwd = resolve(job.workspace, fill(step['working-directory'] ?? '.', context));
    // As GitHub starts `shell: bash`.
    const args = ['--noprofile', '--norc', '-e', '-o', 'pipefail', script];
    const { status, stdout, stderr } = spawnSync('bash', args, { cwd, env, encoding: 'utf8' });
    played.exitCodes.push(status);
    played.log += stdout + stderr;
    played.ok &&= status === 0;
    if (step.id !== undefined) steps[step.id] = { outputs: pairsIn(files.GITHUB_OUTPUT ?? '') };
  }
  played.summary = readFileSync(files.GITHUB_STEP_SUMMARY ?? '', 'utf8');
  played.outputs = Object.fromEntries(
    Object.entries(outputs).map(([name, { value }]) => [name, fill(value, context)]),
  );
  return played;
}

function pairsIn(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('='));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
