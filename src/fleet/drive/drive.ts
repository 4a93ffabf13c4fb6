/** Drives one run of a fleet on this machine, from taking it to leaving it with an outcome. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { contractFileOf } from '../../engine/contract/read.ts';
import { Fenced } from '../../engine/core/fleet/errors.ts';
import type { RunSpec } from '../../engine/core/fleet/spec.ts';
import { hasEnded, type LoopState } from '../../engine/core/loop/state.ts';
import { choicesOf } from '../../engine/core/run/options.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { defined } from '../../engine/core/text/defined.ts';
import { NothingToDo } from '../../engine/core/text/errors.ts';
import { redact } from '../../engine/core/text/redact.ts';
import { endMarked } from '../../engine/files/process-tree.ts';
import { writeWhole } from '../../engine/files/whole-file.ts';
import { homeAt, realPath } from '../../engine/home/layout.ts';
import { planLoop } from '../../engine/hook/start/start.ts';
import { type JudgeBundle, loadJudgeBundle } from '../../engine/hook/wiring/load-bundles.ts';
import { openProjectWith, type ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { REFLECTION_MODE } from '../../engine/hook/wiring/reflection.ts';
import type { RunCommand } from '../../engine/ports/fleet.ts';
import { refuseRoot } from '../../engine/run/begin/client-options.ts';
import { beginRun, goOnWithRun, type RunOptions, taskOf } from '../../engine/run/begin/drive-run.ts';
import { RUN_MARK } from '../../engine/run/begin/driver-ports.ts';
import type { RemoteRuns, RunFiles } from '../remote/remote-runs.ts';
import { readSpec } from '../secret.ts';
import { adoptRun, isHopeless, layJournal } from './adopt.ts';
import { checkOut, mergeRunsBefore, projectIn } from './checkout.ts';
import { missingVariables, processEnvironment, runEnvironment } from './environment.ts';
import { FleetPublisher } from './fleet-publisher.ts';
import { Hopeless } from './hopeless.ts';
import type { WorkerLink } from './link.ts';
import { ProgressReporter } from './progress-reporter.ts';
import type { DriveOrder, DriveOutcome } from './protocol.ts';
import { END, type FleetRecord, META, readEnd, readRecord, renderEnd, renderMeta } from './record.ts';
import { RemoteRun, whileAway } from './remote-run.ts';

/** Opens the runs of a repository, as its git remote holds them. */
export type OpenRemoteRuns = (
  repo: string,
  options: { caches: string; env: NodeJS.ProcessEnv; signal: AbortSignal; note(text: string): void },
) => RemoteRuns;

const CAUSE = 500;
/** Set for everything that this very process starts: another worker of this machine may have taken the run meanwhile. */
const OWN_MARK = 'UNTILDONE_DRIVE';
/** How long the commands for a run that waits for a person may take to come: some beats of the worker. */
const COMMANDS_MS = 6_000;

/** Never rejects: everything that goes wrong is an outcome. */
export async function driveRun(
  order: DriveOrder,
  link: WorkerLink,
  openRemoteRuns: OpenRemoteRuns,
): Promise<DriveOutcome> {
  const progress = new ProgressReporter(link);
  try {
    return await new RunOnMachine(order, link, progress, openRemoteRuns).drive();
  } catch (error) {
    return outcomeOf(error, link);
  } finally {
    await progress.close();
    link.close();
  }
}

/** What an error means for the run. */
export function outcomeOf(error: unknown, link: Pick<WorkerLink, 'lost'>): DriveOutcome {
  if (link.lost.aborted) return { kind: 'fenced', why: wordsOf(link.lost.reason) };
  if (error instanceof Fenced) return { kind: 'fenced', why: wordsOf(error) };
  if (isHopeless(error)) return { kind: 'hopeless', why: wordsOf(error) };
  if (isDiskFull(error))
    return { kind: 'failed', why: `the disk of this worker is full (${wordsOf(error)})` };
  return { kind: 'failed', why: wordsOf(error) };
}

/** Git says it in words. */
function isDiskFull(error: unknown): boolean {
  const { code, message = '' } = error as Partial<NodeJS.ErrnoException>;
  return (
    code === 'ENOSPC' || code === 'EDQUOT' || /No space left on device|Disk quota exceeded/i.test(message)
  );
}

function wordsOf(error: unknown): string {
  return oneLine(redact(error instanceof Error ? error.message : String(error)), CAUSE);
}

class RunOnMachine {
  readonly #order: DriveOrder;
  readonly #link: WorkerLink;
  readonly #progress: ProgressReporter;
  readonly #openRemoteRuns: OpenRemoteRuns;
  readonly #tree: string;
  readonly #mark = randomUUID();

  constructor(
    order: DriveOrder,
    link: WorkerLink,
    progress: ProgressReporter,
    openRemoteRuns: OpenRemoteRuns,
  ) {
    this.#order = order;
    this.#link = link;
    this.#progress = progress;
    this.#openRemoteRuns = openRemoteRuns;
    this.#tree = join(order.folder, 'tree');
  }

  async drive(): Promise<DriveOutcome> {
    const { run, key, folder, caches } = this.#order;
    const spec = readSpec(this.#order.spec, run, key);
    if (!spec)
      throw new Hopeless(
        'the seal of this run does not fit: it was submitted with another secret of the fleet',
      );
    const named = [...spec.env, ...(this.#order.env ?? [])];
    const missing = missingVariables(process.env, spec.env);
    if (missing.length > 0)
      return { kind: 'failed', why: `the environment of this worker lacks: ${missing.join(', ')}` };
    refuseRoot(spec.client.permissionMode);
    const env = this.#environment(spec, named);
    // What an earlier take left here is not what was published, and its processes would work beside this one.
    await endMarked(`${RUN_MARK}=${run}`);
    for (const name of ['home', 'tree']) rmSync(join(folder, name), { recursive: true, force: true });
    const remoteRuns = this.#openRemoteRuns(spec.repo, {
      caches,
      env: process.env,
      signal: this.#link.lost,
      note: (text) => void this.#link.send({ type: 'note', text }),
    });
    const published = await whileAway(
      this.#with,
      () => true,
      () => remoteRuns.read(run),
    );
    if (!published) throw new Hopeless(`${spec.repo} does not know run ${run}: its refs were removed`);
    const { refs, files } = published;
    const end = readEnd(files, run, key);
    const record = readRecord(files, run, key);
    if (end) return { kind: 'ended', result: end.result, spent: record?.spent };
    const early = record ? undefined : tooEarly(spec);
    if (early) return early;
    const remoteRunFrom = (first: FleetRecord) =>
      new RemoteRun({ ...this.#with, order: this.#order, remoteRuns, refs, files, record: record ?? first });
    if (!record || !files['journal.jsonl'] || refs.work === undefined)
      return this.#begin(spec, env, remoteRuns, remoteRunFrom);
    return this.#goOn(spec, env, remoteRuns, {
      files,
      record,
      work: refs.work,
      remoteRun: remoteRunFrom(record),
    });
  }

  get #with() {
    return { link: this.#link, progress: this.#progress };
  }

  /** The environment of the run. This process keeps besides what git needs to reach the remote. */
  #environment(spec: RunSpec, named: readonly string[]): NodeJS.ProcessEnv {
    const env = runEnvironment(process.env, named);
    const kept = processEnvironment(process.env, named);
    for (const name of Object.keys(process.env)) if (kept[name] === undefined) delete process.env[name];
    const home = join(this.#order.folder, 'home');
    const own = { UNTILDONE_HOME: home, [RUN_MARK]: spec.run, [OWN_MARK]: this.#mark };
    // Nobody looks back on its sessions here: that would outlive the run, cost what no limit counts, and change its files.
    return { ...env, ...own, [REFLECTION_MODE]: '1' };
  }

  /** The home of this run alone, and the project in its checkout. */
  #world(spec: RunSpec, env: NodeJS.ProcessEnv): ProjectPorts {
    const home = homeAt(join(this.#order.folder, 'home'));
    mkdirSync(home.root, { recursive: true, mode: 0o700 });
    writeWhole(home.keyFile, `${this.#order.key}\n`);
    const project = projectIn(this.#tree, spec);
    if (!statSync(project, { throwIfNoEntry: false })?.isDirectory())
      throw new Hopeless(`${spec.repo} has no folder ${spec.folder} at commit ${spec.commit.slice(0, 10)}`);
    return openProjectWith(env, loadQuietJudges, () => realPath(project));
  }

  #publisher(world: ProjectPorts, remoteRun: RemoteRun, spec: RunSpec): FleetPublisher {
    const { model } = spec.client;
    const { waitMs } = this.#order;
    const mark = `${OWN_MARK}=${this.#mark}`;
    return new FleetPublisher({ ...this.#with, world, remoteRun, tree: this.#tree, mark, model, waitMs });
  }

  async #begin(
    spec: RunSpec,
    env: NodeJS.ProcessEnv,
    remoteRuns: RemoteRuns,
    remoteRunFrom: (record: FleetRecord) => RemoteRun,
  ): Promise<DriveOutcome> {
    this.#progress.doing('makes its checkout');
    const base = await this.#checkedOut(spec, remoteRuns);
    if (base === undefined) {
      const remoteRun = remoteRunFrom({ v: 1, base: spec.commit, branch: '', applied: [], takes: 0 });
      return this.#endedBefore(spec, remoteRun, this.#link.endedBy);
    }
    const world = this.#world(spec, env);
    const options = optionsOf(spec);
    checkPlan(options, world);
    const remoteRun = remoteRunFrom({ v: 1, base, branch: '', applied: [], takes: 0 });
    const publisher = this.#publisher(world, remoteRun, spec);
    try {
      const left = await publisher.unlessEnded(beginRun(options, publisher.observers()));
      if (left) return await this.#leave(spec, world, publisher, left);
      await publisher.endProcesses();
      return await this.#endedBefore(spec, remoteRun, publisher.endedEarly);
    } catch (error) {
      if (publisher.failure !== undefined) throw publisher.failure;
      if (publisher.endedEarly) return this.#endedBefore(spec, remoteRun, publisher.endedEarly);
      if (!(error instanceof NothingToDo)) throw error;
      return this.#endedEarly(spec, remoteRun, 'nothing_to_do', error.lines.join(' '));
    }
  }

  /** Makes the checkout of a run that begins. Returns its base commit; undefined when somebody ended the run meanwhile. */
  async #checkedOut(spec: RunSpec, remoteRuns: RemoteRuns): Promise<string | undefined> {
    const { env } = process;
    const { lost, ending } = this.#link;
    const signal = AbortSignal.any([lost, ending]);
    const note = (text: string) => void this.#link.send({ type: 'note', text });
    const stoppable = this.#openRemoteRuns(spec.repo, { caches: this.#order.caches, env, signal, note });
    try {
      await whileAway(
        this.#with,
        () => !ending.aborted,
        () => checkOut(stoppable, spec.commit, this.#tree),
      );
      return await mergeRunsBefore(remoteRuns, spec, this.#tree, this.#order.before);
    } catch (error) {
      if (ending.aborted && !lost.aborted) return undefined;
      throw error;
    }
  }

  /** Ends a run that a person ended before its loop began. */
  #endedBefore(spec: RunSpec, remoteRun: RemoteRun, by: RunCommand | undefined): Promise<DriveOutcome> {
    const status = by?.command === 'release' ? 'released' : 'cancelled';
    return this.#endedEarly(spec, remoteRun, status, by?.text || 'by a person');
  }

  /** A run that was resumed while it was being left goes on. */
  async #leave(
    spec: RunSpec,
    world: ProjectPorts,
    publisher: FleetPublisher,
    left: LoopState,
  ): Promise<DriveOutcome> {
    for (let state = left; ; ) {
      if (!publisher.isResumed(state)) return publisher.outcomeAfter();
      const ref = world.store.loops(world.project).find(({ loop }) => loop === spec.run);
      if (!ref) return publisher.outcomeAfter();
      state = await goOnWithRun(ref, {}, publisher.observers());
    }
  }

  /** A run that ended before its loop began has no journal. */
  async #endedEarly(
    spec: RunSpec,
    remoteRun: RemoteRun,
    status: string,
    detail: string,
  ): Promise<DriveOutcome> {
    const { run } = spec;
    const { worker, key } = this.#order;
    const [figures, at] = [{ costUsd: 0, tokens: 0 }, Date.now()];
    const result = { status, cause: oneLine(detail, CAUSE), iterations: 0, ...figures };
    const meta = { v: 1 as const, run, worker, status, iteration: 0, ...figures, detail, at };
    const files = { [META]: renderMeta(meta), [END]: renderEnd({ result, at }, run, key) };
    await remoteRun.publishFiles(files, this.#order.folder, `${run}: ${status}`);
    return { kind: 'ended', result };
  }

  async #goOn(
    spec: RunSpec,
    env: NodeJS.ProcessEnv,
    remoteRuns: RemoteRuns,
    published: { files: RunFiles; record: FleetRecord; work: string; remoteRun: RemoteRun },
  ): Promise<DriveOutcome> {
    const { files, record, work, remoteRun } = published;
    const { rest } = record;
    // It was woken by a command, unless the queue was made anew.
    if (rest && rest.kind !== 'by_itself' && !(await this.#link.hasCommand(COMMANDS_MS)))
      return { kind: 'rests', why: rest.why };
    this.#progress.doing('takes up the run where it was published');
    await whileAway(
      this.#with,
      () => true,
      () => checkOut(remoteRuns, record.base, this.#tree),
    );
    const world = this.#world(spec, env);
    const publisher = this.#publisher(world, remoteRun, spec);
    const { ref, state, spent } = await layJournal({ files, world, spec });
    try {
      if (hasEnded(state)) {
        await remoteRuns.restore(this.#tree, work, record.branch);
        return await publisher.endedBefore(ref, state, record, spent);
      }
      const { worker } = this.#order;
      const { interrupts, reporter } = publisher.observers();
      await adoptRun(ref, {
        worker,
        spec,
        files,
        record,
        work,
        remoteRuns,
        world,
        tree: this.#tree,
        interrupts,
        note: reporter.note,
      });
      const rests = await publisher.takesUp(ref, record, spent);
      if (rests) return rests;
      return await this.#leave(spec, world, publisher, await goOnWithRun(ref, {}, publisher.observers()));
    } catch (error) {
      const cancelled = publisher.failure === undefined ? await publisher.cancelUnadopted(ref) : undefined;
      if (cancelled) return cancelled;
      throw publisher.failure ?? error;
    }
  }
}

/** Clocks may differ by so much from that of the store, which wakes runs. */
const SKEW_MS = 10 * 60_000;

/** A run that nobody has begun, and that is to begin later: the queue may say otherwise, the seal of its spec counts. */
function tooEarly({ notBefore = 0, again }: RunSpec): DriveOutcome | undefined {
  if (again !== undefined || notBefore <= Date.now() + SKEW_MS) return undefined;
  const why = `it was submitted to begin at ${new Date(notBefore).toISOString()}`;
  return { kind: 'rests', untilMs: notBefore, why };
}

/** The worker decides what signals mean. */
async function loadQuietJudges(): Promise<JudgeBundle> {
  const bundle = await loadJudgeBundle();
  return {
    ...bundle,
    openJudges: (home, env, options) => bundle.openJudges(home, env, { ...options, endWithSignals: false }),
  };
}

function optionsOf(spec: RunSpec): RunOptions {
  const { run, task, contract, features } = spec;
  return {
    ...choicesOf(spec),
    loop: run,
    task,
    ...defined({ features: features?.file, only: features?.only }),
    ...(contract === undefined ? {} : { contract: contractFileOf(contract).contract }),
    // Whoever submitted it sealed the commit, or brought the contract along.
    trust: true,
    git: { mode: 'branch', merge: false },
    prepare: true,
  };
}

/** What is wrong with the plan of the loop is wrong on every machine. */
function checkPlan(options: RunOptions, world: ProjectPorts): void {
  try {
    const own = { task: taskOf(options, world), session: options.loop ?? '', project: world.project };
    planLoop({ ...options, ...own }, world, () => {});
  } catch (error) {
    throw new Hopeless((error as Error).message, { cause: error });
  }
}
