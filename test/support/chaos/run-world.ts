import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { homeAt } from '../../../src/engine/home/layout.ts';
import { FileStore } from '../../../src/engine/home/store.ts';
import { readLoops } from '../../../src/engine/run/person/find-loop.ts';
import { MADE, PIECES } from './played-agent.ts';
import type { Random } from './random.ts';
import { newWorld, type World } from './world.ts';

/** A world whose project lacks all pieces, and whose program plays its clients itself. */
export function newRunWorld(): World {
  const world = newWorld();
  // The file is shared with other worlds: this one gets another.
  rmSync(join(world.folder, 'dist', 'judge.cjs'));
  buildSync({
    entryPoints: [resolve(import.meta.dirname, 'played-judge.ts')],
    outfile: join(world.folder, 'dist', 'judge.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    external: ['@anthropic-ai/*', './*.cjs'],
    logOverride: { 'empty-import-meta': 'silent' },
  });
  execFileSync('git', ['init', '--quiet'], { cwd: world.project, env: world.env });
  const write = (name: string, text: string) => writeFileSync(join(world.project, name), text);
  write(MADE, '');
  write('untildone.yaml', 'gates:\n  pieces: { run: sh count.sh }\n');
  const missing = `for (i = 1; i <= ${PIECES}; i++) if (!made[i]) { print "piece " i " is missing"; exit 1 }`;
  write('count.sh', `awk '{ made[$0] = 1 } END { ${missing} }' ${MADE}\n`);
  const fingerprint = /Fingerprint: (\w+)/.exec(untildone(world, 'trust', '--show'))?.[1] ?? '';
  untildone(world, 'trust', '--fingerprint', fingerprint);
  return world;
}

export function untildone(world: World, ...args: string[]): string {
  return execFileSync(process.execPath, [cliOf(world), ...args], {
    cwd: world.project,
    env: world.env,
    encoding: 'utf8',
  });
}

const cliOf = (world: World) => join(world.folder, 'dist', 'untildone.cjs');

export interface RunnerEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Runner {
  ended: Promise<RunnerEnd>;
  hasEnded(): boolean;
  /** `all`: with what it has started that is in its own process group, as when the power goes. */
  kill(all: boolean): void;
}

let runners = 0;

/** `untildone run`, writing to files: what it does depends on nothing that this process does. */
export function startRunner(world: World, args: readonly string[]): Runner {
  const name = join(world.folder, 'calls', `run-${++runners}`);
  const fds = [openSync(`${name}.out`, 'w'), openSync(`${name}.err`, 'w')];
  const child: ChildProcess = spawn(process.execPath, [cliOf(world), 'run', ...args], {
    cwd: world.project,
    env: world.env,
    detached: true,
    stdio: ['ignore', ...fds],
  });
  for (const fd of fds) closeSync(fd);
  const ended = new Promise<RunnerEnd>((done, failed) => {
    child.on('error', failed);
    child.on('exit', (code, signal) =>
      done({
        code,
        signal,
        stdout: readFileSync(`${name}.out`, 'utf8'),
        stderr: readFileSync(`${name}.err`, 'utf8'),
      }),
    );
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const kill = (all: boolean) => {
    if (child.pid === undefined || hasEnded()) return;
    if (all) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  };
  return { ended, hasEnded, kill };
}

/** The folder of the only loop that has begun; undefined before its first line is whole. */
export function runFolder({ home }: World): string | undefined {
  const store = new FileStore(homeAt(home), { now: () => Date.now() });
  const begun = readLoops(store, store.loops()).flatMap((found) => ('state' in found ? [found.ref.dir] : []));
  if (begun.length > 1) throw new Error(`more than one loop has begun: ${begun.join(', ')}`);
  return begun[0];
}

export function strokesMade({ project }: World): string[] {
  return readFileSync(join(project, MADE), 'utf8').split('\n').filter(Boolean);
}

/** Where in its life a runner is killed: at some time, or so many lines of the journal later and a little after. */
export type Moment = { afterMs: number } | { lines: number; thenMs: number };

export function someMoment(random: Random, lifeMs: number): Moment {
  if (random.chance(0.3)) return { afterMs: random.next() * lifeMs };
  // Mostly not at once: between two lines there is a lot that can be cut in two.
  return { lines: 1 + random.below(9), thenMs: random.chance(0.2) ? 0 : random.next() * 12 };
}

/** Resolves when the moment has come: at the latest with the first stroke beyond so many, or when nobody is left. */
export async function untilMoment(
  moment: Moment,
  { world, strokes, runners }: { world: World; strokes: number; runners: readonly Runner[] },
): Promise<void> {
  let journal: Growth | undefined;
  const made = new Growth(join(world.project, MADE));
  let due = 'afterMs' in moment ? performance.now() + moment.afterMs : Number.POSITIVE_INFINITY;
  while (performance.now() < due && !runners.every((runner) => runner.hasEnded())) {
    const folder = journal ? undefined : runFolder(world);
    if (folder !== undefined) journal = new Growth(join(folder, 'journal.jsonl'));
    const reached = 'lines' in moment && journal && journal.times() >= moment.lines;
    if (reached) due = Math.min(due, performance.now() + moment.thenMs);
    if (made.times() > 0 && strokesMade(world).length > strokes) return;
    // To be there right after a line, look without a pause: what is to be cut in two lasts less than a timer's tick.
    await ('lines' in moment && moment.thenMs === 0 ? nextTurn() : wait(1));
  }
}

/** Counts how often a file was seen to have grown. */
class Growth {
  readonly #path: string;
  #size: number;
  #times = 0;

  constructor(path: string) {
    this.#path = path;
    this.#size = this.#sizeNow();
  }

  times(): number {
    const size = this.#sizeNow();
    if (size !== this.#size) this.#times += 1;
    this.#size = size;
    return this.#times;
  }

  #sizeNow(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }
}
