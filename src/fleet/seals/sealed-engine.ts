/**
 * An engine whose store may be written by others. Operators and workers see the fleet through it: what changes what a worker
 * does or believes is sealed on the way in, and counts on the way out only with its seal.
 */

import { titleOf } from '../../engine/core/fleet/spec.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import type { Beat, Engine, JobView, ProgressReport } from '../../engine/ports/fleet.ts';
import { limitsIn } from '../queue/readable.ts';
import type { StoredEngine } from '../queue/stored.ts';
import { sealedFieldsOf } from '../secret.ts';
import { sealCommand, whyRefused } from './commands.ts';
import { type OrderMemory, Orders } from './orders.ts';
import { Refusals } from './refusals.ts';
import { Seals } from './seal.ts';
import { Spendings } from './spendings.ts';

const ORDERS = 'orders';
const LIMITS = 'limits';
const PAUSE = 'pause';

interface DrainOrder {
  startedAt: number;
  on: boolean;
}

export interface SealedBy {
  /** The secret of the fleet. '' where this machine has none: then nothing is asked, and what is seen counts for nothing. */
  secret: string;
  memory: OrderMemory;
  refusals?: Refusals;
  now?: () => number;
}

export function sealedEngine(raw: StoredEngine, by: SealedBy): Engine {
  return { ...raw, ...new Sealing(raw, by) };
}

/** What of an engine is sealed. Each call is a field of its own, so that it takes the place of the raw one. */
class Sealing implements Partial<Engine> {
  readonly #raw: StoredEngine;
  readonly #secret: string;
  readonly #seals: Seals;
  readonly #orders: Orders;
  readonly #spendings: Spendings;
  readonly #refusals: Refusals;
  readonly #now: () => number;
  /** The newest news of the runs that are held here. */
  readonly #news = new Map<string, ProgressReport>();
  /** Iterations that began here, by model and minute. */
  readonly #begun = new Map<string, { minute: number; count: number }>();
  #toldUnsealed = '';

  constructor(raw: StoredEngine, { secret, memory, refusals = new Refusals(), now = Date.now }: SealedBy) {
    this.#raw = raw;
    this.#secret = secret;
    this.#seals = new Seals(secret);
    this.#orders = new Orders(this.#seals, memory);
    this.#spendings = new Spendings(raw, this.#seals);
    this.#refusals = refusals;
    this.#now = now;
  }

  readonly command: Engine['command'] = async (run, command) => {
    this.#needSecret();
    await this.#raw.command(run, sealCommand(run, command, this.#seals));
  };

  readonly take: Engine['take'] = async (...given) => {
    const taken = await this.#raw.take(...given);
    if (!taken) return undefined;
    const before = await this.#raw.job(taken.run).catch(() => undefined);
    const news = before?.news && this.#sealedNews(taken.run, before.news);
    this.#refusals.begin(taken.run, news?.refused);
    if (news) this.#news.set(taken.run, news);
    return taken;
  };

  readonly beat: Engine['beat'] = async (view, held) => {
    const { count: refused } = this.#refusals;
    const shown = refused > 0 ? { ...view, refused } : view;
    const beat = await this.#raw.beat(this.#seals.sealed(shown, viewPurpose(view.name)), held);
    this.#takeOrders(beat.orders ?? {});
    const commands: Beat['commands'] = {};
    for (const [run, count] of Object.entries(beat.unreadable ?? {}))
      await this.#refuse(run, 'a command that cannot be read', [], count);
    for (const [run, asked] of Object.entries(beat.commands)) {
      const genuine = [];
      for (const command of asked) {
        const why = whyRefused(run, command, this.#seals, this.#now());
        if (why === undefined) genuine.push(command);
        else await this.#refuse(run, why, [command.id]);
      }
      if (genuine.length > 0) commands[run] = genuine;
    }
    const order = this.#orders.value(drainName(view.name)) as DrainOrder | undefined;
    const drain = order?.on === true && order.startedAt === view.startedAt;
    if (beat.drain && !drain) this.#once(`that worker ${view.name} drains`);
    return { ...beat, commands, drain, paused: beat.paused || this.#isPausedByOrder() };
  };

  async #refuse(run: string, why: string, ids: readonly string[], count = 1): Promise<void> {
    this.#refusals.add(run, why, count);
    if (ids.length > 0) await this.#raw.acknowledge(run, ids);
    const news = this.#news.get(run);
    if (news) await this.tell(run, news, []);
  }

  readonly giveBack: Engine['giveBack'] = async (taken, options) => {
    const { run } = taken;
    const why =
      options.why === undefined ? {} : { why: this.#seals.sealedWords(options.why, whyPurpose(run)) };
    await this.#raw.giveBack(taken, { ...options, ...why });
    this.#forget(run);
  };

  readonly complete: Engine['complete'] = async (taken, result) => {
    await this.#raw.complete(taken, this.#seals.sealed(result, resultPurpose(taken.run)));
    this.#forget(taken.run);
  };

  readonly bury: Engine['bury'] = async (taken, why) => {
    await this.#raw.bury(taken, this.#seals.sealedWords(why, whyPurpose(taken.run)));
    this.#forget(taken.run);
  };

  readonly endUnheld: Engine['endUnheld'] = async (run, result) => {
    this.#needSecret();
    return this.#raw.endUnheld(run, this.#seals.sealed(result, resultPurpose(run)));
  };

  readonly tell: Engine['tell'] = async (run, news, lines, from) => {
    this.#news.set(run, news);
    const refused = this.#refusals.of(run);
    const told = { ...news, ...(refused ? { refused } : {}) };
    await this.#raw.tell(run, this.#seals.sealed(told, newsPurpose(run)), lines, from);
  };

  readonly job: Engine['job'] = async (run) => {
    const job = await this.#raw.job(run);
    return job && this.#seen(job);
  };

  readonly jobs: Engine['jobs'] = async (...given) => {
    return (await this.#raw.jobs(...given)).map((job) => this.#seen(job));
  };

  /** A run as its sealed spec, its workers and its operators tell of it. Without a secret it is shown as it lies there. */
  #seen(job: JobView): JobView {
    if (this.#secret === '') return job;
    const { news, result, why, ...rest } = job;
    const { run } = job;
    const spec = sealedFieldsOf(job.spec, run, this.#secret);
    const fields = spec && { repo: spec.repo, labels: spec.labels, submittedAt: spec.submittedAt };
    const words = why === undefined ? undefined : this.#seals.words(why, whyPurpose(run));
    const told = news && this.#sealedNews(run, news);
    return {
      ...rest,
      ...(fields ? { ...fields, title: titleOf(spec.task) } : { isStranger: true }),
      ...(told ? { news: told } : {}),
      ...(result && this.#seals.fits(result, resultPurpose(run)) ? { result: without(result) } : {}),
      ...(words === undefined ? {} : { why: words }),
    };
  }

  #sealedNews(run: string, news: ProgressReport): ProgressReport | undefined {
    return this.#seals.fits(news, newsPurpose(run)) ? without(news) : undefined;
  }

  readonly workers: Engine['workers'] = async () => {
    const views = await this.#raw.workers();
    if (this.#secret === '') return views;
    return views.map((view) =>
      this.#seals.fits(view, viewPurpose(view.name))
        ? without(view)
        : {
            ...view,
            note: 'its entry does not have the seal of this fleet: another version, or not a worker of yours',
          },
    );
  };

  readonly drain: Engine['drain'] = async (worker, on) => {
    const view = (await this.#raw.workers()).find(({ name }) => name === worker);
    if (view) await this.#order(drainName(worker), { startedAt: view.startedAt, on });
    await this.#raw.drain(worker, on);
  };

  readonly pause: Engine['pause'] = async (on) => {
    await this.#order(PAUSE, { on });
    await this.#raw.pause(on);
  };

  readonly isPaused: Engine['isPaused'] = async () => {
    await this.#readOrders();
    return this.#isPausedByOrder() || this.#raw.isPaused();
  };

  #isPausedByOrder(): boolean {
    return (this.#orders.value(PAUSE) as { on?: unknown } | undefined)?.on === true;
  }

  /** Limits without a seal limit, too, where no operator has set any that have one. */
  readonly limits: Engine['limits'] = async () => {
    const [found] = await Promise.all([this.#raw.limits(), this.#readOrders()]);
    const ordered = this.#orders.value(LIMITS);
    const isFound = Object.keys(found).length > 0;
    if (ordered === undefined) {
      if (isFound && this.#secret !== '') this.#once(`the limits ${JSON.stringify(found)}`);
      return found;
    }
    const limits = limitsIn(ordered);
    if (this.#seals.of(found, '') !== this.#seals.of(limits, ''))
      this.#once(`the limits ${JSON.stringify(found)}`);
    return limits;
  };

  readonly setLimits: Engine['setLimits'] = async (limits) => {
    await this.#order(LIMITS, limits);
    await this.#raw.setLimits(limits);
  };

  readonly spend: Engine['spend'] = async (...given) => {
    await this.#spendings.spend(...given);
    await this.#raw.spend(...given);
  };

  readonly spent: Engine['spent'] = async (day) => {
    const spent = await this.#raw.spent(day);
    return this.#secret === '' ? spent : this.#spendings.withSealed(spent);
  };

  /** A minute that the store has forgotten is not begun anew by this worker. */
  readonly countIteration: Engine['countIteration'] = async (model, most) => {
    const full = await this.#raw.countIteration(model, most);
    if (full > 0) return full;
    const minute = Math.floor(this.#now() / MINUTE_MS);
    const before = this.#begun.get(model);
    const count = (before?.minute === minute ? before.count : 0) + 1;
    if (count > most) return Math.max(1, (minute + 1) * MINUTE_MS - this.#now());
    this.#begun.set(model, { minute, count });
    return 0;
  };

  async #order(name: string, value: object): Promise<void> {
    this.#needSecret();
    await this.#readOrders();
    const text = this.#orders.make(name, value, this.#now());
    this.#orders.take({ [name]: text });
    await this.#raw.keep(ORDERS, name, text);
  }

  async #readOrders(): Promise<void> {
    this.#takeOrders(await this.#raw.kept(ORDERS));
  }

  #takeOrders(found: Record<string, string>): void {
    for (const why of this.#orders.take(found)) this.#refusals.add(null, why);
  }

  /** Says of an entry without a seal that it is there, once. */
  #once(what: string): void {
    if (this.#toldUnsealed === what) return;
    this.#toldUnsealed = what;
    this.#refusals.add(
      null,
      `the queue says ${what}, which does not have the seal of this fleet: upgrade operator and worker to the same version, and order it again`,
    );
  }

  #needSecret(): void {
    if (this.#secret !== '') return;
    throw new UsageError(
      'this machine does not have the secret of the fleet, so no worker would believe what it asks: copy it from a machine that has it (untildone fleet secret --show), or make one where the fleet begins (untildone fleet secret)',
    );
  }

  #forget(run: string): void {
    this.#news.delete(run);
    this.#refusals.forget(run);
  }
}

const MINUTE_MS = 60_000;

function without<T extends { seal?: string }>({ seal: _, ...rest }: T): T {
  return rest as T;
}

function drainName(worker: string): string {
  return `drain ${worker}`;
}

const viewPurpose = (worker: string) => `entry of worker ${worker}`;
const newsPurpose = (run: string) => `news of run ${run}`;
const resultPurpose = (run: string) => `result of run ${run}`;
const whyPurpose = (run: string) => `why run ${run} is where it is`;
