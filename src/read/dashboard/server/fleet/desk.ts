/** Follows a fleet through its engine, and takes what you ask of it. */
import { setTimeout as pause } from 'node:timers/promises';
import { EngineAway, RemoteAway } from '../../../../engine/core/fleet/errors.ts';
import type { Receipt } from '../../../../engine/core/loop/receipt.ts';
import { isDone } from '../../../../engine/core/loop/state.ts';
import { oneLine } from '../../../../engine/core/text/clip.ts';
import { defined } from '../../../../engine/core/text/defined.ts';
import { UsageError } from '../../../../engine/core/text/errors.ts';
import { clockOf } from '../../../../engine/core/text/moment.ts';
import { redact } from '../../../../engine/core/text/redact.ts';
import type { KnownRun } from '../../../../fleet/mirror/known-run.ts';
import { type Mirror, repoName } from '../../../../fleet/mirror/mirror.ts';
import { refNames } from '../../../../fleet/names.ts';
import type { Fleet } from '../../../../fleet/operate/fleet.ts';
import { retryRun } from '../../../../fleet/operate/retry.ts';
import type { FleetFacts } from '../../../../fleet/operate/situation.ts';
import { askOfRun, cancelRun } from '../../../../fleet/operate/steer.ts';
import { comparableFleet, fleetView, jobWords } from '../../view/fleet.ts';
import type { FleetAnswer, FleetRequest, FleetView } from '../../view/fleet-types.ts';
import type {
  ActionAnswer,
  ActionName,
  ActionRequest,
  Need,
  Problem,
  RequestView,
} from '../../view/overview-types.ts';
import { type Asked, asCommand } from './command.ts';
import { RunRequests } from './requests.ts';
import type { FleetSide, FleetTold, SeenOfRun } from './side.ts';

const EVERY_MS = 1_000;
const MOST_DEAD = 50;
const GIT_EVERY_MS = 2_000;
/** A store that does not answer for so long counts as away. */
const ANSWERS_WITHIN_MS = 5_000;
/** So long the page of a run waits for what has to be fetched from git. */
const OPENS_WITHIN_MS = 1_500;

export interface DeskOptions {
  fleet: Fleet;
  mirror: Mirror;
  /** The time between two looks. */
  everyMs?: number;
  /** Called last. */
  closed?: () => void;
}

export class FleetDesk implements FleetSide {
  readonly place: string;
  private readonly options: DeskOptions;
  private readonly requests = new RunRequests();
  private readonly asked = new Map<string, 'drain' | 'undrain'>();
  private readonly closing = new AbortController();
  private away: { since: number; why: string } | undefined;
  private told: FleetTold | undefined;
  private viewSent = '';
  private problemsSent = '[[],null]';
  private readonly jobsSent = new Map<string, string>();
  private following: Promise<unknown> = Promise.resolve();

  constructor(options: DeskOptions) {
    this.options = options;
    this.place = options.fleet.engine.place;
  }

  begin(told: FleetTold): void {
    this.told = told;
    this.following = Promise.all([this.follow(), this.fetchMissing()]);
  }

  private async follow(): Promise<void> {
    while (!this.closing.signal.aborted) {
      const late = setTimeout(() => this.lose('the store of the queue does not answer'), ANSWERS_WITHIN_MS);
      try {
        const { rebuilt } = await this.options.mirror.look();
        this.away = undefined;
        for (const run of rebuilt) this.told?.reloaded(run);
      } catch (error) {
        this.lose(
          error instanceof EngineAway
            ? error.message
            : `the queue cannot be read: ${(error as Error).message}`,
        );
      }
      clearTimeout(late);
      this.tell();
      await pause(this.options.everyMs ?? EVERY_MS, undefined, { signal: this.closing.signal }).catch(
        () => {},
      );
    }
  }

  /** Git is asked beside the rest: a slow remote keeps nobody waiting. */
  private async fetchMissing(): Promise<void> {
    while (!this.closing.signal.aborted) {
      const run = await this.options.mirror.fetchNext();
      if (run !== undefined) this.told?.reloaded(run);
      else await pause(GIT_EVERY_MS, undefined, { signal: this.closing.signal }).catch(() => {});
    }
  }

  private lose(why: string): void {
    if (this.closing.signal.aborted || this.away) return;
    this.away = { since: this.options.fleet.now(), why: oneLine(redact(why), 300) };
    this.tell();
  }

  /** Tells what differs from what was told before. */
  private tell(): void {
    const { mirror, fleet } = this.options;
    const now = fleet.now();
    const changed: string[] = [];
    for (const { job, journal } of mirror.runs.values()) {
      for (const request of this.requests.look(job.run, journal.state, job, now))
        this.told?.taken(job.run, request);
      const mark = `${job.state} ${job.worker} ${job.why} ${this.requests.open(job.run)}`;
      if (this.jobsSent.get(job.run) === mark) continue;
      this.jobsSent.set(job.run, mark);
      changed.push(job.run);
    }
    const problems = JSON.stringify([this.problems(), this.awayWords]);
    if (problems !== this.problemsSent) {
      this.problemsSent = problems;
      this.told?.problems();
    }
    const text = comparableFleet(this.view());
    if (text === this.viewSent && changed.length === 0) return;
    this.viewSent = text;
    this.told?.changed(changed);
  }

  has(run: string): boolean {
    return this.options.mirror.runs.has(run);
  }

  seenOf(run: string): SeenOfRun {
    const known = this.options.mirror.runs.get(run);
    const command = `untildone fleet logs ${run}`;
    if (!known)
      return {
        repo: '',
        command,
        requested: [],
        unheld: 'the queue does not know it; if it was lost there: untildone fleet reconcile',
      };
    const { job, spec } = known;
    return {
      repo: spec.repo,
      command,
      alive: job.state === 'active',
      requested: this.requests.open(run),
      ...defined({
        worker: job.state === 'active' ? (job.worker ?? job.news?.worker) : undefined,
        waits: job.state === 'waiting' || job.state === 'delayed' ? jobWords(job, this.facts()) : undefined,
        unheld: job.state === 'dead' ? jobWords(job, this.facts()) : undefined,
      }),
    };
  }

  private facts(): FleetFacts {
    const { workers = [], paused = false } = this.options.mirror.seen ?? {};
    return { workers, paused, now: this.options.fleet.now() };
  }

  repoOf(project: string): { name: string; url: string } | undefined {
    for (const { project: folder, spec } of this.options.mirror.runs.values())
      if (folder === project) return { name: repoName(spec.repo), url: spec.repo };
    return undefined;
  }

  needs(): Need[] {
    const dead = [...this.options.mirror.runs.values()].filter(({ job }) => job.state === 'dead');
    return dead.slice(0, MOST_DEAD).flatMap(({ job, project }): Need[] => {
      const why = oneLine(redact(job.why ?? 'no cause was given'), 2_000);
      return [
        {
          id: `${job.run}/dead_letter`,
          kind: 'dead_letter',
          loop: job.run,
          project,
          title: `a run in the dead letters: ${oneLine(redact(job.title), 120)}`,
          text: why,
          since: job.endedAt ?? job.news?.at ?? job.submittedAt,
          answers: [
            { label: 'Try again', tone: 'good', action: { action: 'retry' } },
            { label: 'Cancel', tone: 'bad', action: { action: 'cancel' } },
          ],
        },
      ];
    });
  }

  get awayWords(): string | undefined {
    if (!this.away) return undefined;
    return `Since ${clockOf(this.away.since)}: ${this.away.why}. What you see is from then; runs go on.`;
  }

  problems(): Problem[] {
    const { mirror } = this.options;
    const problems: Problem[] = [];
    if (mirror.strangers.size > 0)
      problems.push({
        code: 'sealed_otherwise',
        message: `Runs that were sealed with another secret, and are not shown: ${mirror.strangers.size}.`,
        fix: 'Give this machine the secret of the fleet: the variable UNTILDONE_FLEET_SECRET, or the file fleet-secret in the home of untildone.',
      });
    if (mirror.problem !== undefined) problems.push({ code: 'mirror', message: mirror.problem });
    return problems;
  }

  actionsFor(run: string, status: string, local: readonly ActionName[]): ActionName[] {
    const job = this.options.mirror.runs.get(run)?.job;
    if (!job) return [];
    if (job.state === 'dead') return ['retry', 'cancel'];
    if (job.state === 'ended') return isDone(status) ? [] : ['retry'];
    return local.filter((name) => name !== 'limits');
  }

  requestsOf(run: string, inJournal: readonly RequestView[]): RequestView[] {
    return this.requests.merged(run, inJournal);
  }

  async opened(run: string): Promise<void> {
    const fetched = this.options.mirror.open(run).then((came) => {
      if (came) this.told?.reloaded(run);
    });
    const late = pause(OPENS_WITHIN_MS, undefined, { ref: false });
    await Promise.race([fetched, late]);
  }

  againstReceipt(run: string, { journal }: Receipt): string[] {
    const known = this.options.mirror.runs.get(run)?.journal;
    return known?.holds(journal.lastLineSha256)
      ? []
      : ['the journal of this run does not hold the line that this receipt rests on'];
  }

  workOf(run: string): string {
    const repo = this.options.mirror.runs.get(run)?.spec.repo ?? 'its repository';
    return `the work of a run is in its repository; fetch it: git fetch ${repo} ${refNames(run).work}`;
  }

  view(): FleetView {
    const { mirror, fleet } = this.options;
    const now = fleet.now();
    const seen = mirror.seen ?? {
      counts: { waiting: 0, delayed: 0, active: 0, ended: 0, dead: 0 },
      workers: [],
      paused: false,
      limits: {},
      spent: { day: '', usd: 0, byRepo: {} },
    };
    const runs = [...mirror.runs.values()].map(({ job, spec, journal }) => ({
      job,
      repo: repoName(spec.repo),
      hasLoop: journal.hasLines,
      requested: this.requests.open(job.run),
    }));
    return fleetView(
      { ...seen, place: this.place, runs, asked: this.asked, ...defined({ away: this.away }) },
      now,
    );
  }

  async act(run: string, request: ActionRequest): Promise<ActionAnswer> {
    const { fleet } = this.options;
    const state = this.known(run).journal.state;
    const at = fleet.now();
    if (request.action === 'retry') {
      const { text } = await this.reached(retryRun(run, {}, fleet));
      return this.requested(run, request, { words: 'try it again' }, text, at);
    }
    const asked = asCommand(request, state);
    const { command, words: _, ...said } = asked;
    const { text } = await this.reached(
      command === 'cancel' ? cancelRun(run, said.text, fleet) : askOfRun(run, command, said, fleet, state),
    );
    return this.requested(run, request, asked, text, at);
  }

  private known(run: string): KnownRun {
    const known = this.options.mirror.runs.get(run);
    if (!known) throw new UsageError(`the queue does not know run ${run}`);
    return known;
  }

  private requested(
    run: string,
    { action }: ActionRequest,
    { words, about, text }: Pick<Asked, 'words' | 'about' | 'text'>,
    said: string,
    at: number,
  ): ActionAnswer {
    const request = this.requests.add(run, action, words, defined({ about, text }), at);
    this.tell();
    return { request, words: [said] };
  }

  async order(request: FleetRequest): Promise<FleetAnswer> {
    const { fleet, mirror } = this.options;
    if (request.worker === undefined) {
      await this.reached(fleet.engine.pause(request.action === 'pause'));
      if (mirror.seen) mirror.seen = { ...mirror.seen, paused: request.action === 'pause' };
      this.tell();
      return { words: request.action === 'pause' ? 'Workers take nothing new.' : 'Workers take runs again.' };
    }
    const { action, worker } = request;
    if (!mirror.seen?.workers.some(({ name }) => name === worker))
      throw new UsageError(`the fleet has no worker ${oneLine(worker, 80)}`);
    await this.reached(fleet.engine.drain(worker, action === 'drain'));
    this.asked.set(worker, action);
    this.tell();
    return { words: `Worker ${worker}: asked to ${action === 'drain' ? 'drain' : 'take runs again'}.` };
  }

  /** A store that is away is no fault of what was asked. */
  private async reached<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      if (error instanceof RemoteAway)
        throw new UsageError(
          `its repository cannot be reached, so nothing was done: ${redact(error.message)}`,
        );
      if (!(error instanceof EngineAway)) throw error;
      throw new UsageError(
        `the store of the queue cannot be reached, so nothing was asked: ${redact(error.message)}`,
      );
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.told = undefined;
    await Promise.race([this.following, pause(ANSWERS_WITHIN_MS, undefined, { ref: false })]);
    this.options.mirror.close();
    await this.options.fleet.engine.close().catch(() => {});
    this.options.closed?.();
  }
}
