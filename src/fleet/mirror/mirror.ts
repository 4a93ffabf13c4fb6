/**
 * The runs of a fleet in a home of their own on this machine: journals, tasks, contracts, receipts. What shows the loops of a
 * home shows the fleet's, too. Everything comes from the engine, which tells soon, and from git, which knows all that was
 * published.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EngineAway } from '../../engine/core/fleet/errors.ts';
import type { FleetLimits } from '../../engine/core/fleet/limits.ts';
import { isDone } from '../../engine/core/loop/state.ts';
import { isSafeId } from '../../engine/core/text/paths.ts';
import { sha256 } from '../../engine/files/digest.ts';
import { writeWhole } from '../../engine/files/whole-file.ts';
import { copyOfEndFile, createHome, type Home, homeAt } from '../../engine/home/layout.ts';
import type { JobState, JobView, Spent, WorkerView } from '../../engine/ports/fleet.ts';
import type { Fleet } from '../operate/fleet.ts';
import type { RunFiles } from '../remote/remote-runs.ts';
import { keyOfRun, readSpec } from '../secret.ts';
import { type KnownRun, newsMark, publishedMark } from './known-run.ts';
import { MirroredJournal } from './mirrored-journal.ts';

export interface MirrorOptions {
  fleet: Pick<Fleet, 'engine' | 'secret' | 'remoteRunsOf' | 'now'>;
  /** An empty folder for the home. */
  folder: string;
}

/** The fleet besides its runs. */
export interface FleetSeen {
  counts: Record<JobState, number>;
  workers: WorkerView[];
  paused: boolean;
  limits: FleetLimits;
  spent: Spent;
}

export interface Looked {
  /** Runs whose journal lost lines again, because another worker went on from an earlier one. */
  rebuilt: string[];
}

const PAGE = 500;
const MOST_ENDED = 1000;
/** Journals that are read in one look, and how many of them at a time. */
const MOST_READ = 100;
const AT_A_TIME = 8;
const LINES = 500;
const SLOW_MS = 5_000;
/** Git is asked again about the same run after this time at the earliest. */
const GIT_AGAIN_MS = 15_000;
const FILES = ['contract.json', 'receipt.json'] as const;

export class Mirror {
  readonly home: Home;
  readonly runs = new Map<string, KnownRun>();
  seen: FleetSeen | undefined;
  /** Runs on the queue that were sealed with another secret. */
  readonly strangers = new Set<string>();
  /** Why a journal could not be mirrored. */
  problem: string | undefined;
  private readonly fleet: MirrorOptions['fleet'];
  private slowAt = 0;
  private countsBefore = '';
  private readonly opened = new Set<string>();

  constructor({ fleet, folder }: MirrorOptions) {
    this.fleet = fleet;
    this.home = homeAt(folder);
    createHome(this.home);
  }

  /** Takes in what is new. Throws `EngineAway` when the store cannot be reached: what is here stays as it is. */
  async look(): Promise<Looked> {
    const { engine } = this.fleet;
    const now = this.fleet.now();
    const [counts, workers, paused] = await Promise.all([
      engine.counts(),
      engine.workers(),
      engine.isPaused(),
    ]);
    const before = this.seen;
    const countsText = JSON.stringify({ ...counts, active: 0 });
    const isSlow = now - this.slowAt >= SLOW_MS;
    const hasMoved = countsText !== this.countsBefore;
    const isAll = before === undefined || isSlow || hasMoved;
    const listed = await this.listed(isAll ? ALL : ['active']);
    const [limits, spent] = isAll
      ? await Promise.all([engine.limits(), engine.spent(new Date(now).toISOString().slice(0, 10))])
      : [before.limits, before.spent];
    if (isSlow) this.slowAt = now;
    this.countsBefore = countsText;
    this.seen = { counts, workers, paused, limits, spent };
    await this.takeJobs(listed, isAll);
    this.dropOldest();
    return { rebuilt: await this.readChanged() };
  }

  private async listed(states: readonly JobState[]): Promise<JobView[]> {
    const { engine } = this.fleet;
    const jobs: JobView[] = [];
    for (const state of states) {
      const most = state === 'ended' ? MOST_ENDED : PAGE;
      for (let from = 0; from < most; ) {
        const page = await engine.jobs([state], from, Math.min(PAGE, most - from));
        jobs.push(...page);
        from += page.length;
        // Those that ended earlier are known.
        if (page.length < PAGE || page.some((job) => this.runs.get(job.run)?.isOver)) break;
      }
    }
    return jobs;
  }

  private async takeJobs(listed: readonly JobView[], isAll: boolean): Promise<void> {
    const found = new Set<string>();
    for (const job of listed) {
      found.add(job.run);
      this.takeJob(job);
    }
    if (!isAll) return;
    // Lists are bounded, and a run may have moved from one to another between two of them.
    const missing = [...this.runs.values()].filter(({ job, isOver }) => !isOver && !found.has(job.run));
    for (const known of missing.slice(0, MOST_READ)) {
      const job = await this.fleet.engine.job(known.job.run);
      if (job) this.takeJob(job);
      else this.runs.delete(known.job.run);
    }
  }

  private takeJob(job: JobView): void {
    const known = this.runs.get(job.run);
    if (known) {
      known.isOver &&= job.state === 'ended';
      known.job = job;
      return;
    }
    const key = keyOfRun(job.run, this.fleet.secret);
    const spec = isSafeId(job.run) ? readSpec(job.spec, job.run, key) : undefined;
    if (!spec) {
      this.strangers.add(job.run);
      return;
    }
    const project = folderName(spec.repo);
    const dir = join(this.home.projects, project, 'loops', job.run);
    const journal = new MirroredJournal(this.home, dir, { run: job.run, repo: spec.repo, key });
    this.runs.set(job.run, {
      job,
      spec,
      project,
      journal,
      cursor: 0,
      readAt: '',
      isOver: false,
      lacksLines: false,
      files: new Map<string, string>(),
    });
  }

  /** A dashboard may be open for weeks: of runs that ended, the newest are kept. */
  private dropOldest(): void {
    const ended = [...this.runs.values()].filter(({ isOver }) => isOver);
    if (ended.length < MOST_ENDED * 1.2) return;
    ended.sort((one, other) => (other.job.endedAt ?? 0) - (one.job.endedAt ?? 0));
    for (const { job, journal } of ended.slice(MOST_ENDED)) {
      this.runs.delete(job.run);
      rmSync(journal.dir, { recursive: true, force: true });
      rmSync(copyOfEndFile(this.home, job.run), { force: true });
    }
  }

  /** Reads the lines of runs that tell of news; those that somebody looks at come first. */
  private async readChanged(): Promise<string[]> {
    const changed = [...this.runs.values()]
      .filter(({ isOver, job, readAt }) => !isOver && job.takes > 0 && readAt !== newsMark(job))
      .sort((one, other) => this.urgency(one) - this.urgency(other))
      .slice(0, MOST_READ);
    const rebuilt: string[] = [];
    const next = async (): Promise<void> => {
      for (let known = changed.shift(); known; known = changed.shift())
        if (await this.readLines(known)) rebuilt.push(known.job.run);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, next));
    return rebuilt;
  }

  private urgency({ job }: KnownRun): number {
    if (this.opened.has(job.run)) return 0;
    return job.state === 'active' ? 1 : 2;
  }

  /** True when lines were taken back. */
  private async readLines(known: KnownRun): Promise<boolean> {
    const { job, journal } = known;
    const mark = newsMark(job);
    let isRebuilt = true;
    try {
      isRebuilt = await this.readOn(known);
    } catch (error) {
      if (error instanceof EngineAway) throw error;
      this.problem = `the journal of run ${job.run} cannot be shown: ${(error as Error).message}`;
      this.forget(known);
    }
    known.readAt = mark;
    known.isOver = job.state === 'ended';
    known.lacksLines = !journal.isWhole || (known.isOver && job.takes > 0 && !journal.hasEnded);
    return isRebuilt;
  }

  /** The line that was read last tells whether others have taken its place: then all are read again. */
  private async readOn(known: KnownRun): Promise<boolean> {
    const { job, journal } = known;
    let isRebuilt = false;
    let from = Math.max(0, known.cursor - 1);
    for (let isFirst = from > 0; ; isFirst = false) {
      const lines = await this.fleet.engine.lines(job.run, from, LINES);
      if (isFirst && !journal.knows(lines[0])) {
        from = 0;
        continue;
      }
      if (lines.length > 0) this.writeTask(known);
      isRebuilt = journal.take(lines) || isRebuilt;
      from += lines.length;
      known.cursor = from;
      if (lines.length < LINES) return isRebuilt;
    }
  }

  /** What could not be written whole is read again from its beginning. */
  private forget(known: KnownRun): void {
    const { job, spec, journal } = known;
    rmSync(journal.dir, { recursive: true, force: true });
    const key = keyOfRun(job.run, this.fleet.secret);
    known.journal = new MirroredJournal(this.home, journal.dir, { run: job.run, repo: spec.repo, key });
    known.cursor = 0;
    known.files.clear();
  }

  private writeTask({ spec, journal }: KnownRun): void {
    if (journal.hasLines) return;
    mkdirSync(journal.dir, { recursive: true, mode: 0o700 });
    writeWhole(join(journal.dir, 'task.md'), spec.task);
  }

  /** Somebody looks at a run: what is missing of it is fetched now. True when something came. */
  async open(run: string): Promise<boolean> {
    const known = this.runs.get(run);
    if (!known) return false;
    this.opened.add(run);
    return this.lacks(known) && this.fetch(known);
  }

  /**
   * Fetches what is missing of the run that needs it most. Returns its id when something came. A receipt is published after the line
   * that it is for: whoever looks at the run gets it then.
   */
  async fetchNext(): Promise<string | undefined> {
    const lacking = [...this.runs.values()].filter(
      (known) =>
        (known.lacksLines || known.job.state === 'active' || this.opened.has(known.job.run)) &&
        this.lacks(known),
    );
    const [known] = lacking.sort((one, other) => this.urgency(one) - this.urgency(other));
    return known && (await this.fetch(known)) ? known.job.run : undefined;
  }

  /** Git is not asked twice about the same, and not too often. */
  private lacks({ files, journal, asked, job, lacksLines }: KnownRun): boolean {
    const hasReceipt = journal.state !== undefined && isDone(journal.state.status);
    const hasContract = files.get('contract.json') === journal.state?.contractSha256;
    const needs = lacksLines || !hasContract || (hasReceipt && !files.has('receipt.json'));
    if (!needs || job.takes === 0) return false;
    if (!asked) return true;
    const isDue = this.fleet.now() - asked.at > GIT_AGAIN_MS;
    return isDue && asked.mark !== publishedMark(job);
  }

  /** Takes in what git has of a run. Never throws: a remote that is away is asked again later. */
  private async fetch(known: KnownRun): Promise<boolean> {
    const { job, spec } = known;
    const now = this.fleet.now();
    known.asked = { mark: publishedMark(job), at: now };
    try {
      const found = await this.fleet.remoteRunsOf(spec.repo).read(job.run);
      return found !== undefined && this.takeFiles(known, found.files);
    } catch {
      known.asked = { mark: '', at: now };
      return false;
    }
  }

  private takeFiles(known: KnownRun, found: RunFiles): boolean {
    const { journal, files } = known;
    this.writeTask(known);
    mkdirSync(journal.dir, { recursive: true, mode: 0o700 });
    for (const name of FILES) {
      const bytes = found[name];
      if (!bytes) continue;
      writeWhole(join(journal.dir, name), bytes);
      files.set(name, sha256(bytes.toString('utf8')));
    }
    const text = found['journal.jsonl']?.toString('utf8');
    if (!known.lacksLines || text === undefined || !journal.replace(text)) return files.size > 0;
    known.lacksLines = false;
    // What was told since then follows from it.
    known.cursor = 0;
    known.readAt = '';
    known.isOver = false;
    return true;
  }

  close(): void {
    rmSync(this.home.root, { recursive: true, force: true, maxRetries: 3 });
  }
}

const ALL: readonly JobState[] = ['active', 'waiting', 'delayed', 'dead', 'ended'];

/** A repository's folder in the home, with a readable name. */
export function folderName(repo: string): string {
  const readable =
    repoName(repo)
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .slice(0, 40) || 'repository';
  return `${readable}-${sha256(repo).slice(0, 12)}`;
}

/** The last part of a URL or a path. */
export function repoName(repo: string): string {
  const steps = repo
    .split(/[?#]/, 1)
    .join('')
    .split(/[/:\\]/);
  return (steps.findLast((step) => step !== '') ?? repo).replace(/\.git$/, '') || repo;
}
