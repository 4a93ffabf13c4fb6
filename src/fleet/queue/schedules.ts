/**
 * Schedules are BullMQ's job schedulers. Each due time is a job: taken by one worker, locked while it submits, done when it
 * says so. The job of a worker that died, or that did not say so in time, is given to another.
 */
import { randomUUID } from 'node:crypto';
import type { Worker } from 'bullmq';
import { UsageError } from '../../engine/core/text/errors.ts';
import type { Schedule } from '../../engine/ports/fleet.ts';
import { isRefusal, type Lanes, SCHEDULES_LANE } from './lanes.ts';
import { BACKEND_OPTIONS, LOCK_MS, type Store } from './store.ts';

interface Due {
  job: string;
  token: string;
  id: string;
  at: number;
  since: number;
}

/** A worker that has not said `handled` for so long gets no more time. */
const HANDLING_MS = 60_000;
/** What nobody could submit so often is dropped. */
const MOST_TRIES = 100;

export class Schedules {
  readonly #store: Store;
  readonly #lanes: Lanes;
  readonly #due = new Map<string, Due>();
  #worker: Worker | undefined;

  constructor(store: Store, lanes: Lanes) {
    this.#store = store;
    this.#lanes = lanes;
  }

  async schedule({ id, when, template }: Schedule): Promise<void> {
    if (id === '' || id.includes(':'))
      throw new UsageError(`the id of a schedule has no colon: ${JSON.stringify(id)}`);
    const { queue } = this.#lanes.get(SCHEDULES_LANE);
    const known = await queue.getJobScheduler(id);
    const repeat =
      'cron' in when
        ? { pattern: when.cron, tz: 'UTC' }
        : {
            every: when.everyMs,
            ...(known?.every === when.everyMs ? {} : { startDate: Date.now() + when.everyMs }),
          };
    if ('everyMs' in when && !(when.everyMs >= 1_000))
      throw new UsageError('a schedule comes once a second at most');
    const options = { removeOnComplete: true, removeOnFail: true, attempts: 1 };
    try {
      await queue.upsertJobScheduler(id, repeat, { name: 'due', data: { template } as never, opts: options });
    } catch (error) {
      if (!('cron' in when) || (error instanceof Error && 'code' in error)) throw error;
      throw new UsageError(
        `the schedule ${JSON.stringify(when.cron)} cannot be read (${error instanceof Error ? error.message : error}); it has five fields, such as 0 3 * * 1-5`,
      );
    }
  }

  async unschedule(id: string): Promise<boolean> {
    return this.#lanes.get(SCHEDULES_LANE).queue.removeJobScheduler(id);
  }

  async schedules(): Promise<Schedule[]> {
    const found = await this.#lanes.get(SCHEDULES_LANE).queue.getJobSchedulers(0, -1, true);
    return found.map(({ key, pattern, every, next, template }) => ({
      id: key,
      when: pattern === undefined ? { everyMs: Number(every) } : { cron: pattern },
      template: (template?.data as { template?: string } | undefined)?.template ?? '',
      ...(next === undefined ? {} : { next }),
    }));
  }

  async due(): Promise<{ id: string; at: number; template: string }[]> {
    const found: { id: string; at: number; template: string }[] = [];
    const worker = this.#open();
    for (;;) {
      const token = randomUUID();
      const job = await worker.getNextJob(token, { block: false });
      if (!job) return found;
      const at = Number(job.opts.prevMillis ?? job.timestamp + (job.delay ?? 0));
      const id = job.repeatJobKey ?? '';
      this.#due.set(keyOf(id, at), { job: job.id ?? '', token, id, at, since: Date.now() });
      if ((job.attemptsStarted ?? 0) > MOST_TRIES) await this.handled(id, at);
      else found.push({ id, at, template: (job.data as { template: string }).template });
    }
  }

  async handled(id: string, at: number): Promise<void> {
    const due = this.#due.get(keyOf(id, at));
    if (due === undefined) return;
    const job = await this.#lanes.get(SCHEDULES_LANE).queue.getJob(due.job);
    try {
      await job?.moveToCompleted(null, due.token, false);
    } catch (error) {
      // Another worker has it already, and submits the same once more.
      if (!isRefusal(error)) throw error;
    }
    this.#due.delete(keyOf(id, at));
  }

  /** With every beat, while they are being submitted. */
  async renew(): Promise<void> {
    const held = [...this.#due.values()].filter(({ since }) => Date.now() - since < HANDLING_MS);
    for (const [key, { since }] of this.#due) if (Date.now() - since >= HANDLING_MS) this.#due.delete(key);
    if (held.length === 0) return;
    const { backend } = this.#lanes.get(SCHEDULES_LANE);
    await backend.extendLocks(
      held.map(({ job }) => job),
      held.map(({ token }) => token),
      LOCK_MS,
    );
  }

  /** Only BullMQ's Worker makes the job of the next time when one is taken. */
  #open(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const { bull, backend } = this.#store;
    const worker = new bull.Worker(
      SCHEDULES_LANE,
      null,
      { connection: {}, autorun: false, ...BACKEND_OPTIONS, runRetryDelay: 500 },
      () => backend.forQueue(SCHEDULES_LANE),
    ) as unknown as Worker;
    worker.on('error', () => undefined);
    this.#worker = worker;
    return worker;
  }
}

function keyOf(id: string, at: number): string {
  return `${at} ${id}`;
}
