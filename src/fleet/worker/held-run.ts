/** One run on a worker, from the moment it was taken until it is off its hands. */
import { setTimeout as wait } from 'node:timers/promises';
import { EngineAway, RemoteAway } from '../../engine/core/fleet/errors.ts';
import {
  afterFailure,
  badSeal,
  type Intake,
  notForThisWorker,
  notYetAfter,
  otherLabels,
  takenOut,
  triedOut,
  unknownVersion,
  waitMs,
} from '../../engine/core/fleet/intake.ts';
import { slotsFor } from '../../engine/core/fleet/limits.ts';
import { DEFAULT_ATTEMPTS, type RunSpec } from '../../engine/core/fleet/spec.ts';
import type { Engine, RunCommand, Taken } from '../../engine/ports/fleet.ts';
import type { DriveOrder, FromDriver } from '../drive/protocol.ts';
import { keyOfRun, readSpec, versionOfSpec } from '../secret.ts';
import type { Driver, StartDriver } from './driver-process.ts';
import type { Say } from './events.ts';
import type { Figures } from './figures.ts';
import { type FleetMoney, RunAccount } from './fleet-money.ts';
import { ProgressStream } from './progress-stream.ts';
import { type Settlement, settlementOf, UNTIL_TOLD_MS } from './settle.ts';
import { type AskRemote, standingsOf } from './standings.ts';
import type { StoreLink } from './store-link.ts';

/** What the runs of a worker share. */
export interface WorkerPorts {
  worker: string;
  engine: Engine;
  link: StoreLink;
  money: FleetMoney;
  secret: string;
  repos: readonly string[];
  isRoot: boolean;
  start: StartDriver;
  /** Variables that every run gets, by name. */
  env: readonly string[];
  /** The environment of the process of a run. */
  envFor(spec: RunSpec): NodeJS.ProcessEnv;
  /** Variables that the spec names and this machine does not have. */
  missing(spec: RunSpec): string[];
  askRemote: AskRemote;
  /** A command of a run was not carried out. */
  refused(run: string, why: string): void;
  /** Makes the folder of a run, for one take of it. */
  makeFolder(run: string): string;
  removeFolder(folder: string): Promise<void>;
  caches: string;
  /** Beats first when the last beat is too long ago for this worker to know what it holds. */
  fresh(): Promise<void>;
  say: Say;
  figures: Figures;
}

/** The process stops when it has not heard of its worker for as long as a lock lasts. */
const SILENCE_MS = 10_000;
/** One heartbeat: the process of a run that is lost has to be gone then. */
const LOST_MS = 2_000;
const CUT_OFF_MS = 1_000;

const DRAINED: Settlement = { do: 'give_back', afterMs: 0, why: 'its worker was drained' };
const SAFE_NAME = /^[A-Za-z0-9][\w-]{0,127}$/;

export class HeldRun {
  readonly taken: Taken;
  /** Resolves when the run is off this worker's hands, and its folder is gone. Never rejects. */
  readonly gone: Promise<void>;
  readonly #world: WorkerPorts;
  readonly #progress: ProgressStream;
  readonly #account: RunAccount;
  #driver: Driver | undefined;
  #folder: string | undefined;
  #spec: RunSpec | undefined;
  #hasSlots = false;
  #isDraining = false;
  #isCutOff = false;
  #lostWhy: string | undefined;
  #buriedWhy: string | undefined;
  #gotOn = false;
  #isSettled = false;
  /** Commands that nobody has taken into the journal yet. */
  #commands: RunCommand[] = [];

  constructor(taken: Taken, world: WorkerPorts) {
    this.taken = taken;
    this.#world = world;
    this.#progress = new ProgressStream(taken.run, world.engine, world.link);
    this.#account = new RunAccount(taken.run, world.money, () => this.#lostWhy !== undefined);
    this.gone = this.#work();
  }

  /** Whether its lock has to be renewed. */
  get isHeld(): boolean {
    return !this.#isSettled && this.#lostWhy === undefined;
  }

  /** The worker is there. */
  alive(): void {
    this.#driver?.send({ type: 'alive' });
    void this.#progress.flush();
  }

  command(commands: readonly RunCommand[]): void {
    this.#commands.push(...commands);
    if (this.#driver) this.#sendCommands(commands);
  }

  /** What was asked before the run was taken up again is about what it was then. */
  #sendCommands(commands: readonly RunCommand[]): void {
    const again = this.#spec?.again ?? 0;
    for (const command of commands) {
      if (command.at > again) this.#driver?.send({ type: 'command', command });
      else this.#refuse(command.id, `"${command.command}" was asked before the run was taken up again`);
    }
  }

  #refuse(id: string, why: string): void {
    this.#world.refused(this.taken.run, why);
    this.#over(id);
  }

  /** Nobody is asked it again. */
  #over(id: string): void {
    const { run } = this.taken;
    this.#commands = this.#commands.filter((command) => command.id !== id);
    void this.#world.link.call(() => this.#world.engine.acknowledge(run, [id])).catch(() => {});
  }

  drain(): void {
    this.#isDraining = true;
    this.#driver?.send({ type: 'stop', why: 'drain' });
  }

  /** Another worker has the run, or nobody: this one stops at once, and writes nothing about it any more. */
  lose(why: string): void {
    if (!this.isHeld) return;
    this.#lostWhy = why;
    this.#stopAtOnce();
  }

  /** Ends the process at once. The run goes back to the queue. */
  async cutOff(): Promise<void> {
    this.#isCutOff = true;
    const driver = this.#driver;
    if (!driver) return;
    driver.send({ type: 'stop', why: 'lost' });
    await Promise.race([driver.over, wait(CUT_OFF_MS)]);
    await driver.end('at_once');
  }

  #stopAtOnce(): void {
    const driver = this.#driver;
    if (!driver) return;
    driver.send({ type: 'stop', why: 'lost' });
    const timer = setTimeout(() => void driver.end('at_once'), LOST_MS);
    void driver.over.then(() => clearTimeout(timer));
  }

  async #work(): Promise<void> {
    try {
      await this.#settle(await this.#workedOn());
    } catch (error) {
      this.lose((error as Error).message);
    }
    if (this.#lostWhy !== undefined) {
      this.#world.figures.lost++;
      this.#world.say({ type: 'lost', run: this.taken.run, why: this.#lostWhy });
    }
    this.#isSettled = true;
    if (this.#folder !== undefined) await this.#world.removeFolder(this.#folder);
  }

  async #workedOn(): Promise<Settlement> {
    try {
      return (await this.#intake()) ?? (await this.#drive());
    } catch (error) {
      const why = (error as Error).message;
      if (error instanceof EngineAway || error instanceof RemoteAway)
        return { do: 'give_back', afterMs: waitMs(this.taken), why };
      return afterFailure(why, this.taken, { attempts: this.#attempts(), gotOn: this.#gotOn });
    }
  }

  #attempts(): number {
    return this.#spec?.attempts ?? DEFAULT_ATTEMPTS;
  }

  /** Whether the run may begin here and now. */
  async #intake(): Promise<Settlement | undefined> {
    const { engine, link, money, secret } = this.#world;
    const { run } = this.taken;
    if (!SAFE_NAME.test(run)) return badSeal(run);
    const key = keyOfRun(run, secret);
    const spec = readSpec(this.taken.spec, run, key);
    if (!spec) {
      const version = versionOfSpec(this.taken.spec, run, key);
      return version === undefined || version === 1 ? badSeal(run) : unknownVersion(version);
    }
    this.#spec = spec;
    const elsewhere = otherLabels(this.taken.labels, spec);
    if (elsewhere) return elsewhere;
    const notHere =
      notForThisWorker(spec, { ...this.#world, missing: this.#world.missing(spec) }) ??
      (await this.#triedOut(spec));
    if (notHere) return notHere;
    if (spec.after.length > 0) {
      const standings = await standingsOf(spec, engine, this.#world.askRemote);
      const early = notYetAfter(standings, this.taken);
      if (early) return early;
    }
    const { refused } = await money.left(spec.repo);
    if (refused)
      return { do: 'give_back', afterMs: Math.max(0, refused.untilMs - Date.now()), why: refused.why };
    const slots = slotsFor(spec, await money.limits());
    const full = slots.length === 0 ? undefined : await link.call(() => engine.claimSlots(run, slots));
    this.#hasSlots = full === undefined && slots.length > 0;
    if (full === undefined) return undefined;
    return {
      do: 'give_back',
      afterMs: waitMs(this.taken),
      why: `waits for a place: ${full}`,
      waitsFor: full,
    };
  }

  async #triedOut(spec: RunSpec): Promise<Intake | undefined> {
    const { stalls, failures } = this.taken;
    if (stalls === 0 && failures === 0) return undefined;
    const job = await this.#world.link.call(() => this.#world.engine.job(spec.run));
    const iterations = job?.news?.iteration ?? 0;
    return triedOut(this.taken, { attempts: spec.attempts, iterations, lastWhy: job?.why });
  }

  async #drive(): Promise<Settlement> {
    const spec = this.#spec;
    if (this.#isDraining || this.#isCutOff || this.#lostWhy !== undefined || !spec) return DRAINED;
    const { run, repo, title, takes } = this.taken;
    const { say, figures, secret } = this.#world;
    this.#folder = this.#world.makeFolder(run);
    const order: DriveOrder = {
      type: 'order',
      worker: this.#world.worker,
      spec: this.taken.spec,
      run,
      key: keyOfRun(run, secret),
      folder: this.#folder,
      caches: this.#world.caches,
      before: await this.#workBefore(spec),
      env: this.#world.env,
      silenceMs: SILENCE_MS,
    };
    this.#driver = this.#world.start(order, this.#world.envFor(spec), (message) => this.#hear(message, spec));
    figures.begun++;
    say({ type: 'taken', run, repo, title, takes });
    this.#sendCommands(this.#commands);
    const outcome = await this.#driver.over;
    if (outcome.kind === 'fenced') figures.fenced++;
    if (this.#buriedWhy !== undefined) return { do: 'bury', why: this.#buriedWhy };
    if (this.#isCutOff && outcome.kind !== 'ended')
      return { do: 'give_back', afterMs: 0, why: 'its worker was stopped' };
    if (outcome.kind === 'ended') this.#account.spent(repo, outcome.spent);
    const facts = { tries: this.taken, attempts: spec.attempts, gotOn: this.#gotOn, now: Date.now() };
    return settlementOf(outcome, facts);
  }

  /** The last commits of the runs that this one comes after, under the seals of those runs. */
  async #workBefore({ after, repo }: RunSpec): Promise<DriveOrder['before']> {
    const works = await Promise.all(
      after.map(async (run) => ({ run, commit: (await this.#world.askRemote(repo, run))?.work })),
    );
    return works.flatMap(({ run, commit }) => (commit === undefined ? [] : [{ run, commit }]));
  }

  #hear(message: FromDriver, spec: RunSpec): void {
    const { say, figures, worker } = this.#world;
    const { run } = this.taken;
    switch (message.type) {
      case 'claimed': {
        this.#account.spent(spec.repo, message.spent);
        const end = takenOut(message.takesSinceIteration, spec.attempts);
        if (!end) return;
        this.#buriedWhy = end.why;
        this.#stopAtOnce();
        return;
      }
      case 'may':
        void this.#answer(message, spec);
        return;
      case 'news':
        this.#progress.add({ ...message.news, worker }, message.lines, message.from);
        return;
      case 'published': {
        const { iteration, commit } = message;
        const costUsd = message.costUsd ?? this.#progress.latest?.costUsd ?? 0;
        this.#gotOn = true;
        figures.published(run, Date.now());
        this.#account.spent(spec.repo, message.spent);
        say({ type: 'iteration', run, iteration, cost_usd: costUsd, commit });
        return;
      }
      case 'applied':
        // Who takes the run next would be told once more, and do nothing.
        this.#over(message.id);
        return;
      case 'refused':
        this.#refuse(message.id, message.why);
        return;
      case 'note':
        say({ type: 'note', run, text: message.text });
        return;
    }
  }

  async #answer({ id, model, costUsd }: FromDriver & { type: 'may' }, { repo }: RunSpec): Promise<void> {
    const givenUp = () => !this.isHeld || this.#isDraining || this.#isCutOff;
    const waitsFor = (what: string) => this.#progress.doing(what);
    try {
      const told = () => this.#account.told();
      const untoldUsd = () => this.#account.untold(costUsd);
      const answer = await this.#world.money.may({ repo, model, told, untoldUsd }, { givenUp, waitsFor });
      this.#driver?.send({ type: 'may', id, ...answer });
    } catch (error) {
      const why = `the limits of the fleet cannot be read: ${(error as Error).message}`;
      this.#driver?.send({ type: 'may', id, refused: { why, untilMs: Date.now() + LOST_MS } });
    }
  }

  /** Writes what becomes of the run, now or when the store is back. Slots go first: the next one to have it takes its own. */
  async #settle(settlement: Settlement): Promise<void> {
    const { engine, link, fresh } = this.#world;
    const isLost = () => this.#lostWhy !== undefined;
    await Promise.all([this.#progress.flush(), this.#account.told()]);
    await fresh();
    if (this.#hasSlots) await link.until(() => engine.releaseSlots(this.taken.run), isLost);
    await link.until(() => this.#write(settlement), isLost);
    this.#isSettled = !isLost();
    if (!this.#isSettled) return;
    this.#tellSettled(settlement);
    if (settlement.do !== 'give_back') return;
    // What was asked too late for this process is for who takes the run next.
    for (const command of this.#commands)
      await link.until(
        () => engine.command(this.taken.run, command),
        () => this.#isCutOff,
      );
  }

  async #write(settlement: Settlement): Promise<void> {
    const { engine } = this.#world;
    switch (settlement.do) {
      case 'complete':
        return engine.complete(this.taken, settlement.result);
      case 'bury':
        return engine.bury(this.taken, settlement.why);
      case 'give_back': {
        const { afterMs, why, failed, waitsFor } = settlement;
        return engine.giveBack(this.taken, { afterMs, why, failed, waitsFor });
      }
    }
  }

  #tellSettled(settlement: Settlement): void {
    const { say, figures } = this.#world;
    const { run } = this.taken;
    if (settlement.do === 'complete') {
      const { status, cause, iterations, costUsd, branch } = settlement.result;
      figures.ended(status);
      say({ type: 'ended', run, status, cause, iterations, cost_usd: costUsd, branch: branch ?? null });
    } else if (settlement.do === 'bury') {
      figures.dead++;
      say({ type: 'dead', run, why: settlement.why });
    } else {
      const { afterMs, why, failed = false } = settlement;
      figures.putBack(failed);
      const after_s = afterMs >= UNTIL_TOLD_MS ? null : Math.round(afterMs / 1000);
      say({ type: 'put_back', run, why, after_s, failed });
    }
  }
}
