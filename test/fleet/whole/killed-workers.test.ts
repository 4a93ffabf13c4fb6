/** Workers are killed at random moments, some of them with everything on their machine, and started again. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFailed, onTestFinished, test } from 'vitest';
import { type Random, seededRandom } from '../../support/chaos/random.ts';
import { expectVerified } from '../../support/fleet/expect-verified.ts';
import { Fleet } from '../../support/fleet/fleet.ts';
import { isThere, type Machine, type ProcessId, type Program } from '../../support/fleet/machine.ts';
import { waitFor } from '../../support/live/processes.ts';
import { isLong } from '../../support/long.ts';

const KILLS = isLong ? 50 : 8;
const RUNS = isLong ? 24 : 6;
const WORKERS = 3;
const LIMIT_MS = 600_000;
/** After this long nothing of a worker that was killed may be left. */
const GONE_MS = 15_000;

describe(`${KILLS} kills`, () => {
  test(
    'every run ends verified, no iteration twice, none lost, and nothing keeps running',
    async () => {
      const random = seededRandom();
      process.stderr.write(`kills: UNTILDONE_SEED=${random.seed}\n`);
      onTestFailed(() => void process.stderr.write(`repeat with UNTILDONE_SEED=${random.seed}\n`));
      const fleet = await Fleet.open({ repos: 2, pieces: 3 });
      onTestFinished(() => fleet.close());
      const score = { workMs: 150, leavesProcess: true };
      const submitted = await Promise.all(
        fleet.remotes.map((remote) =>
          fleet.submit(['--count', `${RUNS / 2}`, '--attempts', '1000'], score, remote),
        ),
      );
      const runs = submitted.flat();
      const killer = new Killer(fleet, random);
      for (let i = 1; i <= WORKERS; i++) killer.start(`w${i}`);
      const isAtWork = () => runs.some((run) => !fleet.hasEnded(run));
      while (killer.kills < KILLS || killer.hits <= KILLS / 4) await killer.killOne(isAtWork);
      await fleet.untilEnded(runs, LIMIT_MS);
      for (const run of runs) expectVerified(fleet, run);
      await killer.expectNothingLeft();
      // Else the kills did not hit what this is about.
      expect(killer.hits).toBeGreaterThan(KILLS / 4);
      process.stderr.write(`kills: ${killer.hits} of ${KILLS} while runs were worked on\n`);
      await killer.end();
      await fleet.untilGone();
    },
    LIMIT_MS * 2,
  );
});

interface Victim {
  at: number;
  processes: ProcessId[];
}

class Killer {
  kills = 0;
  /** Kills of a worker that had a run. */
  hits = 0;
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #workers = new Map<string, { machine: Machine; worker: Program }>();
  readonly #victims: Victim[] = [];
  readonly #starting: Promise<void>[] = [];
  readonly #mending: NodeJS.Timeout;

  constructor(fleet: Fleet, random: Random) {
    this.#fleet = fleet;
    this.#random = random;
    this.#mending = setInterval(() => removeStaleLocks(fleet), 1_000);
    onTestFinished(() => clearInterval(this.#mending));
  }

  start(name: string): void {
    this.#workers.set(name, this.#fleet.startWorker(name, ['--concurrency', '2']));
  }

  /** Kills one worker at some moment, with its whole machine or alone, and starts it again at once or a little later. */
  async killOne(goesOn: () => boolean): Promise<void> {
    const random = this.#random;
    await this.#someMoment();
    if (!goesOn()) throw new Error(`all runs ended after ${this.kills} kills: there are too few for so many`);
    const [name, { machine, worker }] = random.pick(await this.#candidates());
    if (worker.hasEnded) return;
    const processes = await machine.processIds();
    if (processes.length > 1) this.hits += 1;
    worker.signal('SIGKILL');
    if (random.chance(0.4)) await machine.signal('SIGKILL');
    await worker.ended;
    this.kills += 1;
    this.#victims.push({ at: Date.now(), processes });
    this.#starting.push(wait(random.chance(0.5) ? 0 : random.next() * 3_000).then(() => this.start(name)));
  }

  /** Mostly those that have a run. */
  async #candidates() {
    const all = [...this.#workers];
    if (this.#random.chance(0.2)) return all;
    const counts = await Promise.all(all.map(([, { machine }]) => machine.processes()));
    const busy = all.filter((_, i) => (counts[i]?.length ?? 0) > 1);
    return busy.length === 0 ? all : busy;
  }

  /** At some time, or right after a session has noted something. */
  async #someMoment(): Promise<void> {
    const random = this.#random;
    if (random.chance(0.4)) return wait(random.next() * 1_500);
    const wanted = this.#fleet.deeds().length + 1 + random.below(4);
    await waitFor(() => this.#fleet.deeds().length >= wanted, 5_000).catch(() => undefined);
    await wait(random.next() * 120);
  }

  async expectNothingLeft(): Promise<void> {
    const last = Math.max(...this.#victims.map(({ at }) => at));
    await wait(Math.max(0, last + GONE_MS - Date.now()));
    const left = this.#victims.flatMap(({ processes }) => processes.filter(isThere));
    expect(left).toEqual([]);
  }

  async end(): Promise<void> {
    await Promise.all(this.#starting);
    const workers = [...this.#workers.values()].map(({ worker }) => worker);
    for (const worker of workers) worker.signal('SIGTERM');
    const ends = await Promise.all(workers.map(({ ended }) => ended));
    expect(ends.map(({ code }) => code)).toEqual(workers.map(() => 0));
  }
}

const STALE_MS = 5_000;

/** Git on a remote outlives the machine that pushes. Here it is a process of that machine, and dies with a lock on a ref. */
function removeStaleLocks({ remotes }: Fleet): void {
  for (const { url } of remotes)
    for (const name of readdirSync(join(url, 'refs'), { recursive: true, encoding: 'utf8' })) {
      const path = join(url, 'refs', name);
      const stat = name.endsWith('.lock') ? statSync(path, { throwIfNoEntry: false }) : undefined;
      if (stat && Date.now() - stat.mtimeMs > STALE_MS) rmSync(path, { force: true });
    }
}
