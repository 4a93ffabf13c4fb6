import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Script } from '../../src/dev/simulator/script.ts';
import { cleanEnvironment } from '../../src/engine/client/sdk/find-client.ts';
import { openScene } from '../../test/support/live/scene.ts';
import type { AgentWishes } from './agent.ts';
import type { BareQuery } from './bare.ts';
import { type Logged, readLog } from './log.ts';

/** A promise that is never kept, and no limit but the number of iterations. */
const NEVER_DONE = ['--promise', 'NEVER', '--max-duration', 'unlimited', '--max-cost', 'unlimited'];
/** Its window is a million tokens: nothing is handed over that was not asked to be. */
const MODEL = 'claude-opus-5-5';
const TASK = 'Build the thing';
/** The run has come to its last iteration, and is let go without being done. */
const LET_GO = 3;

/** A copy of the built program whose sessions are watched, and the bare query beside it. */
export interface Program {
  run(options: RunOptions): Promise<RunFigures>;
  bare(query: Omit<BareQuery, 'prompt' | 'model'> & { script: Script }): Promise<RunFigures>;
  close(): void;
}

export interface RunOptions {
  args: string[];
  /** Absent where the client asks no model. */
  script?: Script;
  env?: AgentWishes;
  /** The gates of the project's contract; none: only the promise. */
  contract?: string;
}

/** What one run showed. Times are milliseconds since 1970. */
export interface RunFigures {
  requests: number[];
  log: Logged[];
}

export async function openProgram(): Promise<Program> {
  // Beside the original: the Agent SDK is looked for from here upwards.
  const folder = mkdtempSync(join(resolve('dist'), 'bench-'));
  for (const name of ['untildone.cjs', 'hook.cjs', 'program'])
    cpSync(resolve('dist', name), join(folder, name), { recursive: true });
  await bundle('bench/runs/agent.ts', join(folder, 'judge.cjs'), 'cjs');
  await bundle('bench/runs/bare.ts', join(folder, 'bare.mjs'), 'esm');
  const cli = join(folder, 'untildone.cjs');
  return {
    run: ({ args, script = {}, env = {}, contract }) =>
      play(script, [cli, 'run', TASK, '--model', MODEL, ...NEVER_DONE, ...args], {
        env,
        code: LET_GO,
        ...(contract === undefined ? {} : { before: approved(cli, contract) }),
      }),
    bare: ({ script, ...wanted }) => {
      const query: BareQuery = { prompt: TASK, model: MODEL, ...wanted };
      return play(script, [join(folder, 'bare.mjs'), JSON.stringify(query)], { env: {}, code: 0 });
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function bundle(entry: string, outfile: string, format: 'cjs' | 'esm'): Promise<void> {
  await build({
    entryPoints: [resolve(entry)],
    outfile,
    format,
    bundle: true,
    platform: 'node',
    target: 'node20',
    // Like the real bundles: some packages ship a UMD main that cannot be bundled.
    mainFields: ['module', 'main'],
    external: ['@anthropic-ai/*', './*.cjs'],
    logOverride: { 'empty-import-meta': 'silent' },
  });
}

type Spawned = (args: string[]) => Promise<string>;

/** Puts a contract into the project and approves it, as a person would. */
function approved(cli: string, contract: string) {
  return async (project: string, node: Spawned): Promise<void> => {
    writeFileSync(join(project, 'untildone.yaml'), contract);
    const shown = await node([cli, 'trust', '--show']);
    await node([cli, 'trust', '--fingerprint', /Fingerprint: (\w+)/.exec(shown)?.[1] ?? '']);
  };
}

interface Playing {
  env: AgentWishes;
  code: number;
  before?: (project: string, node: Spawned) => Promise<void>;
}

/** Every run in a scene of its own, with the model in this process and everything else in others. */
async function play(script: Script, args: string[], { env, code, before }: Playing): Promise<RunFigures> {
  const scene = await openScene({ git: before !== undefined, scripts: { bench: script } });
  try {
    const log = join(scene.root, 'bench.log');
    const extra = {
      UNTILDONE_HOME: scene.untildoneHome,
      TMPDIR: join(scene.root, 'tmp'),
      CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0',
      BENCH_LOG: log,
      ...env,
    };
    const whole = cleanEnvironment({ home: scene.home, baseUrl: scene.simulator.urlFor('bench'), extra });
    const node = (wanted: number) => (more: string[]) => runNode(more, scene.project, whole, wanted);
    await before?.(scene.project, node(0));
    await node(code)(['--expose-gc', ...args]);
    const requests = scene.simulator.requests('bench').filter(({ kind }) => kind === 'messages');
    return { requests: requests.map(({ at }) => at), log: readLog(log) };
  } finally {
    await scene.close();
  }
}

function runNode(args: string[], cwd: string, env: Record<string, string>, code: number): Promise<string> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data) => {
      stdout += data;
    });
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    child.on('error', failed);
    child.on('close', (ended) => {
      if (ended === code) done(stdout);
      else failed(new Error(`${args.join(' ')} ended with ${ended}: ${stdout.slice(-2000)}${stderr}`));
    });
  });
}

/** From each time to the next. */
export function gapsBetween(times: readonly number[]): number[] {
  return times.slice(1).map((time, i) => time - (times[i] ?? time));
}
