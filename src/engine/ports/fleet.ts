/**
 * The engine of a fleet: it dispatches runs, limits them, and gives those of a dead worker to another one. It is no truth
 * about a run: that is in git. Everything here can be lost and rebuilt (`untildone fleet reconcile`).
 */
import type { FleetLimits, Slot } from '../core/fleet/limits.ts';

/** A run on the queue. */
export interface FleetJob {
  run: string;
  repo: string;
  /** The worker has to have all of them. */
  labels: string[];
  /** 0 comes first. */
  priority: number;
  /** The sealed RunSpec. */
  spec: string;
  submittedAt: number;
  /** The first words of the task. */
  title: string;
}

/** waiting: for a worker. delayed: not before a time. active: on a worker. ended: with a result. dead: in the dead letters. */
export type JobState = 'waiting' | 'delayed' | 'active' | 'ended' | 'dead';

/** What is known about where a run stands; told by its worker while it goes on. */
export interface ProgressReport {
  worker: string;
  status: string;
  iteration: number;
  costUsd: number;
  tokens: number;
  /** What happens now, or what it waits for, in a few words. */
  doing: string;
  at: number;
  /** Commands that its workers did not take, since it was submitted. */
  refused?: Refused;
  /** Of everything that is told by workers: the seal of the fleet (src/fleet/seals). */
  seal?: string;
}

/** What was asked and not taken: forged, replayed, or too late. */
export interface Refused {
  count: number;
  /** Why the last one was not taken. */
  why: string;
  at: number;
}

/** How a run ended. */
export interface RunResult {
  status: string;
  cause: string;
  iterations: number;
  costUsd: number;
  tokens: number;
  /** The branch with the work on the remote. */
  branch?: string;
  commit?: string;
  seal?: string;
}

export interface JobView extends FleetJob {
  state: JobState;
  news?: ProgressReport;
  result?: RunResult;
  /** Why it is in the dead letters, or was put back last. */
  why?: string;
  /** Of a delayed run. */
  notBefore?: number;
  /** When it was taken last, and by whom. */
  takenAt?: number;
  worker?: string;
  endedAt?: number;
  /** How often it was taken, and how often its worker was lost. */
  takes: number;
  stalls: number;
  /** How often it was put back in a row because something failed. */
  failures: number;
  /** Its spec does not have the seal of this fleet: what is said of it may be anything. */
  isStranger?: true;
}

/** A run that this worker holds the lock of. */
export interface Taken extends FleetJob {
  token: string;
  takes: number;
  stalls: number;
  failures: number;
}

/** What a person asks of a run. `text`: the answer, or the note. */
export interface RunCommand {
  id: string;
  command: 'pause' | 'resume' | 'cancel' | 'release' | 'answer' | 'approve' | 'reject';
  /** The question or the gate that it is about. */
  about?: string;
  text?: string;
  at: number;
  /** Of an answer, a yes and a no: what the person saw. It counts for that alone. */
  seen?: SeenByPerson;
  seal?: string;
}

/** How far a run was, and what its agent asked, when a person said something about it. */
export interface SeenByPerson {
  iteration: number;
  /** Name and digest of each open question of the agent. */
  questions: string[];
}

export interface WorkerView {
  name: string;
  host: string;
  pid: number;
  version: string;
  labels: string[];
  concurrency: number;
  runs: string[];
  draining: boolean;
  startedAt: number;
  /** The last beat. */
  at: number;
  /** Free bytes of its work folder. */
  diskFree?: number;
  /** Why it takes nothing at the moment, such as a full disk. */
  note?: string;
  /** Why this machine can confine nothing. Absent: it can. */
  withoutWalls?: string;
  /** How many entries of the store it did not take. */
  refused?: number;
  seal?: string;
}

export interface Beat {
  /** Runs whose lock is another's, or gone: they have to stop at once. */
  lost: string[];
  commands: Record<string, RunCommand[]>;
  /** The worker is to drain (`untildone fleet drain`). */
  drain: boolean;
  /** The whole fleet is paused: nothing new is taken. */
  paused: boolean;
}

export interface Schedule {
  id: string;
  /** A cron pattern (UTC), or milliseconds between two runs. */
  when: { cron: string } | { everyMs: number };
  /** The sealed template that runs are submitted from. */
  template: string;
  next?: number;
}

export interface Spent {
  day: string;
  usd: number;
  byRepo: Record<string, number>;
}

export interface Engine {
  /** Where it is, without credentials. */
  readonly place: string;
  /** Throws `EngineAway` when it cannot be reached. */
  ready(): Promise<void>;
  /** Puts a run on the queue. `known`: it is there already, whatever its state, and stays as it is. */
  add(job: FleetJob, options?: { notBefore?: number }): Promise<'added' | 'known'>;
  /**
   * Takes the next run that these labels suffice for; waits up to `waitMs` for one. After `signal` it returns soon: with
   * undefined, or with a run that was taken at that moment.
   */
  take(
    labels: readonly string[],
    worker: string,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Taken | undefined>;
  /**
   * Renews locks and slots, tells that the worker is there, and fetches what is asked of its runs. Every 2 s.
   *
   * Each command is returned once to each holder of its run, in the order of asking, until it is acknowledged. So one that
   * was delivered to a worker which died comes again to the next one: applying it twice must do no harm. The end of a run,
   * and putting it back, acknowledge what was returned to this holder before (see `unapplied`).
   */
  beat(worker: WorkerView, held: readonly Taken[]): Promise<Beat>;
  /** These commands are applied and published: nobody gets them again. */
  acknowledge(run: string, commands: readonly string[]): Promise<void>;
  /** Takes slots, all or none. Returns the name of the one that is full; undefined when all are taken. */
  claimSlots(run: string, slots: readonly Slot[]): Promise<string | undefined>;
  /** Gives them back. One run that waits for each of them may be taken at once. */
  releaseSlots(run: string): Promise<void>;
  /**
   * Puts a run back. `failed`: something went wrong, and `why` says what; false: it got on, so failures count anew; absent:
   * as many as before. `waitsFor`: the slot that was full. Throws `Fenced` when another worker holds the run, as do
   * `complete` and `bury`; doing the same again after `EngineAway` is fine. `unapplied`: commands that were returned to this
   * holder and are for the next one. A run that something is asked of comes back within seconds, unless it failed.
   */
  giveBack(
    taken: Taken,
    options: {
      afterMs: number;
      why?: string;
      failed?: boolean;
      waitsFor?: string;
      unapplied?: readonly string[];
    },
  ): Promise<void>;
  complete(taken: Taken, result: RunResult): Promise<void>;
  /** To the dead letters. */
  bury(taken: Taken, why: string): Promise<void>;
  /** An ended, dead or delayed run is taken again, with this spec if one is given. False: it is waiting or active. */
  again(run: string, spec?: string): Promise<boolean>;
  /** A run that no worker holds ends here, by a command. False: a worker holds it. */
  endUnheld(run: string, result: RunResult): Promise<boolean>;
  remove(run: string): Promise<boolean>;
  job(run: string): Promise<JobView | undefined>;
  jobs(states: readonly JobState[], from: number, most: number): Promise<JobView[]>;
  counts(): Promise<Record<JobState, number>>;
  /** Asks something of a run. One that is delayed is woken; nothing is asked of one that ended or is dead. */
  command(run: string, command: RunCommand): Promise<void>;
  /**
   * Tells where a run stands, and its new journal lines. `from`: the place of the first of them in the journal; what was
   * told from there on is replaced. So telling again does nothing, and lines that a dead worker did not publish go away.
   */
  tell(run: string, news: ProgressReport, lines: readonly string[], from?: number): Promise<void>;
  /** Journal lines from this one on (the first is 0). A line that is no longer kept is ''. */
  lines(run: string, from: number, most: number): Promise<string[]>;
  workers(): Promise<WorkerView[]>;
  drain(worker: string, on: boolean): Promise<void>;
  pause(on: boolean): Promise<void>;
  isPaused(): Promise<boolean>;
  limits(): Promise<FleetLimits>;
  setLimits(limits: FleetLimits): Promise<void>;
  /** Adds to what was spent on that day (UTC, `2026-01-31`). `of` makes adding the same twice do nothing. */
  spend(day: string, repo: string, usd: number, of: string): Promise<void>;
  spent(day: string): Promise<Spent>;
  /** Counts an iteration of a model. Returns how long to wait when its minute is full, 0 otherwise. */
  countIteration(model: string, mostPerMinute: number): Promise<number>;
  schedule(schedule: Schedule): Promise<void>;
  unschedule(id: string): Promise<boolean>;
  schedules(): Promise<Schedule[]>;
  /**
   * Schedules whose time has come, as `id` and the time; each of them is returned to one worker only. One that is not
   * `handled` comes again, to any worker, when this one died or a minute has passed: submit with a key of id and time.
   */
  due(): Promise<{ id: string; at: number; template: string }[]>;
  /** What was due is submitted. */
  handled(id: string, at: number): Promise<void>;
  close(): Promise<void>;
}
