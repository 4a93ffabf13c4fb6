/** What a worker counts about itself, and the page of it for Prometheus. */
import type { JobState } from '../../engine/ports/fleet.ts';

/** Upper bounds of the time between two publications of a run, in seconds. */
const BOUNDS = [5, 15, 60, 300, 900, 3_600];

export class Figures {
  begun = 0;
  dead = 0;
  lost = 0;
  fenced = 0;
  returned = 0;
  failures = 0;
  iterations = 0;
  readonly #ended = new Map<string, number>();
  readonly #lastPublished = new Map<string, number>();
  readonly #buckets = BOUNDS.map(() => 0);
  #seconds = 0;
  #measured = 0;

  ended(status: string): void {
    this.#ended.set(status, (this.#ended.get(status) ?? 0) + 1);
  }

  putBack(failed: boolean): void {
    this.returned++;
    if (failed) this.failures++;
  }

  published(run: string, now: number): void {
    this.iterations++;
    const before = this.#lastPublished.get(run);
    this.#lastPublished.set(run, now);
    if (before === undefined) return;
    const seconds = (now - before) / 1000;
    this.#seconds += seconds;
    this.#measured++;
    BOUNDS.forEach((bound, index) => {
      if (seconds <= bound) this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
    });
  }

  forget(run: string): void {
    this.#lastPublished.delete(run);
  }

  get endedInAll(): number {
    return [...this.#ended.values()].reduce((sum, count) => sum + count, 0);
  }

  page(now: {
    active: number;
    concurrency: number;
    storeAway: boolean;
    draining: boolean;
    diskFree?: number;
    /** How many runs the queue has; absent while the store is away. */
    queue?: Record<JobState, number>;
  }): string {
    const lines = [
      ...gauge('runs_active', 'Runs that this worker holds.', now.active),
      ...gauge('runs_most', 'Runs that it works on at most at a time.', now.concurrency),
      ...counter('runs_taken_total', 'Runs that it began to work on.', this.begun),
      ...head('runs_ended_total', 'counter', 'Runs that ended here, by status.'),
      ...[...this.#ended].map(
        ([status, count]) => `untildone_worker_runs_ended_total{status="${status}"} ${count}`,
      ),
      ...counter('runs_put_back_total', 'Runs that it put back on the queue.', this.returned),
      ...counter('failures_total', 'Runs that it put back because something failed.', this.failures),
      ...counter('runs_dead_total', 'Runs that it put into the dead letters.', this.dead),
      ...counter('runs_lost_total', 'Runs whose lock it lost.', this.lost),
      ...counter('fenced_total', 'Runs that another worker had published for.', this.fenced),
      ...counter('iterations_total', 'Iterations that it published.', this.iterations),
      ...this.#histogram(),
      ...gauge('store_away', '1 while the store cannot be reached.', now.storeAway ? 1 : 0),
      ...gauge('draining', '1 while it takes nothing new and hands its runs back.', now.draining ? 1 : 0),
      ...(now.diskFree === undefined
        ? []
        : gauge('disk_free_bytes', 'Free bytes of its work folder.', now.diskFree)),
      ...(now.queue === undefined ? [] : ofQueue(now.queue)),
    ];
    return `${lines.join('\n')}\n`;
  }

  #histogram(): string[] {
    const name = 'untildone_worker_iteration_seconds';
    return [
      ...head('iteration_seconds', 'histogram', 'Time between two published iterations of a run.'),
      ...BOUNDS.map((bound, index) => `${name}_bucket{le="${bound}"} ${this.#buckets[index]}`),
      `${name}_bucket{le="+Inf"} ${this.#measured}`,
      `${name}_sum ${this.#seconds}`,
      `${name}_count ${this.#measured}`,
    ];
  }
}

/** Every worker tells the same: take the maximum, not the sum. */
function ofQueue(queue: Record<JobState, number>): string[] {
  return [
    '# HELP untildone_fleet_runs Runs of the whole queue, by state.',
    '# TYPE untildone_fleet_runs gauge',
    ...Object.entries(queue).map(([state, count]) => `untildone_fleet_runs{state="${state}"} ${count}`),
    '# HELP untildone_fleet_open_runs Runs that wait for a worker or are on one: what workers are scaled by.',
    '# TYPE untildone_fleet_open_runs gauge',
    `untildone_fleet_open_runs ${queue.waiting + queue.active}`,
  ];
}

function head(name: string, type: string, help: string): string[] {
  return [`# HELP untildone_worker_${name} ${help}`, `# TYPE untildone_worker_${name} ${type}`];
}

function gauge(name: string, help: string, value: number): string[] {
  return [...head(name, 'gauge', help), `untildone_worker_${name} ${value}`];
}

function counter(name: string, help: string, value: number): string[] {
  return [...head(name, 'counter', help), `untildone_worker_${name} ${value}`];
}
