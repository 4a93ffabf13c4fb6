/** Publishes a run after every step: its workspace and the files of its loop, in one push that only its worker can make. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RemoteAway } from '../../engine/core/fleet/errors.ts';
import { hasEnded, type LoopState } from '../../engine/core/loop/state.ts';
import { readSmall } from '../../engine/files/whole-file.ts';
import type { Home } from '../../engine/home/layout.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import { recordFile } from '../../engine/run/git/record.ts';
import type { Refs, RemoteRuns, RunFiles } from '../remote/remote-runs.ts';
import { differenceOf } from './checkout.ts';
import type { WorkerLink } from './link.ts';
import type { ProgressReporter } from './progress-reporter.ts';
import type { DriveOrder } from './protocol.ts';
import {
  type FleetRecord,
  GIT,
  headIn,
  LOOP_FILES,
  META,
  metaOf,
  RECORD,
  renderMeta,
  renderRecord,
  SPEC,
  START,
} from './record.ts';
import { sumOf } from './spending.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** How long a worker that drains waits for a remote that is away. */
const DRAIN_MS = 20_000;
const LARGEST_FILE = 1024 * 1024 * 1024;

interface Publishing {
  order: DriveOrder;
  remoteRuns: RemoteRuns;
  link: WorkerLink;
  progress: ProgressReporter;
  /** What was published last. */
  refs: Refs;
  files: RunFiles;
  record: FleetRecord;
}

/** Where the loop and its work are on this machine. */
export interface Place {
  ref: LoopRef;
  home: Home;
  /** The checkout. */
  tree: string;
}

interface HowToPublish {
  /** This worker leaves the run. */
  isLast?: boolean;
  /** The workspace is not on this machine: it stays as it was published. */
  isUnadopted?: boolean;
  goesOn?: () => boolean;
}

export class RemoteRun {
  readonly #with: Publishing;
  #refs: Refs;
  #files: RunFiles;
  record: FleetRecord;
  #lastHead: string | undefined;
  #leftOut = '';
  /** Commands that the worker knows to be carried out. */
  readonly #told = new Set<string>();

  constructor(publishing: Publishing) {
    this.#with = publishing;
    this.#refs = publishing.refs;
    this.#files = publishing.files;
    this.record = publishing.record;
    const { run, key } = publishing.order;
    this.#lastHead = headIn(publishing.files, run, key);
  }

  /** The last commit of the run's branch, as it was published. */
  get head(): string | undefined {
    return this.#lastHead;
  }

  /**
   * Publishes where the run stands. Tries again while the remote is away, as long as `goesOn`. Throws `Fenced` when another
   * worker has gone on, and `RemoteAway` when nobody waits any longer.
   */
  async publish(
    state: LoopState,
    place: Place,
    message: string,
    { isLast = false, isUnadopted = false, goesOn = () => true }: HowToPublish = {},
  ): Promise<void> {
    const { ref, home, tree } = place;
    const { order } = this.#with;
    const { commit, head } = isUnadopted ? { head: this.#lastHead } : await this.#snapshot(tree);
    const isEnd = isLast && hasEnded(state);
    this.record = { ...this.record, head, ...(isEnd ? { finished: true } : {}) };
    const { base, branch, rest, spent } = this.record;
    const costUsd = Math.max(state.spent.costUsd, sumOf(spent ?? []));
    const meta = metaOf(state, { worker: order.worker, head, base, branch, rest, costUsd, at: Date.now() });
    const files: RunFiles = {
      ...without(this.#files, LOOP_FILES),
      ...filesOfLoop(ref),
      ...gitRecord(home, ref.loop),
      [SPEC]: Buffer.from(order.spec),
      [RECORD]: renderRecord(this.record, order.run, order.key),
      [META]: renderMeta(meta),
    };
    const isNew = isEnd && commit !== undefined && head !== undefined && head !== base;
    const forPeople = isNew ? { name: branch, commit: head } : undefined;
    await this.#push({ files, work: commit, message, branch: forPeople }, tree, goesOn);
    this.#files = files;
    this.#lastHead = head;
    await this.#tellApplied();
  }

  async #snapshot(tree: string): Promise<{ commit: string; head: string }> {
    const { commit, head, leftOut } = await this.#with.remoteRuns.snapshot(tree);
    this.#tellLeftOut(leftOut);
    if (this.#refs.work === undefined) await this.#keepStart(tree, commit);
    return { commit, head };
  }

  /** The last commit of the journal. */
  get commit(): string {
    return this.#refs.journal;
  }

  async #tellApplied(): Promise<void> {
    for (const id of this.record.applied.filter((each) => !this.#told.has(each))) {
      this.#told.add(id);
      await this.#with.link.send({ type: 'applied', id });
    }
  }

  /** Publishes files alone, of a run without a loop. */
  async publishFiles(files: RunFiles, from: string, message: string): Promise<void> {
    this.#files = { ...this.#files, ...files };
    await this.#push({ files: this.#files, message }, from, () => true);
  }

  async #push(
    what: { files: RunFiles; work?: string; message: string; branch?: { name: string; commit: string } },
    from: string,
    goesOn: () => boolean,
  ): Promise<void> {
    const { order, remoteRuns, link } = this.#with;
    this.#refs = await whileAway(this.#with, goesOn, () => {
      link.lost.throwIfAborted();
      return remoteRuns.publish({ run: order.run, expected: this.#refs, ...what }, from);
    });
  }

  /** Keeps what the start differs in from the base commit, so that another machine begins with the same tree. */
  async #keepStart(tree: string, start: string): Promise<void> {
    const patch = await differenceOf(tree, this.record.base, start);
    if (patch.length > 0) this.#files = { ...this.#files, [START]: patch };
  }

  #tellLeftOut(leftOut: readonly string[]): void {
    const names = leftOut.join(', ');
    if (names === this.#leftOut) return;
    this.#leftOut = names;
    if (names !== '')
      void this.#with.link.send({
        type: 'note',
        text: `not published, because they look like secrets: ${names}`,
      });
  }
}

/** Does something with the remote, again and again with growing pauses while that is away. */
export async function whileAway<Result>(
  { link, progress }: { link: WorkerLink; progress: ProgressReporter },
  goesOn: () => boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  let drainsSince: number | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, 2 * pause)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RemoteAway) || link.lost.aborted || !goesOn()) throw error;
      if (link.drains) drainsSince ??= Date.now();
      if (drainsSince !== undefined && Date.now() - drainsSince > DRAIN_MS) throw error;
      progress.doing(`the remote is away, trying again: ${error.message}`);
      await link.sleep(drainsSince === undefined ? pause : Math.min(pause, 2_000));
    }
  }
}

function filesOfLoop({ dir }: LoopRef): RunFiles {
  const found = LOOP_FILES.flatMap((name): [string, Buffer][] => {
    try {
      const bytes = readFileSync(join(dir, name));
      return [[name, name === 'journal.jsonl' ? bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1) : bytes]];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  });
  return Object.fromEntries(found);
}

function gitRecord(home: Home, loop: string): RunFiles {
  const text = readSmall(recordFile(home, loop), LARGEST_FILE);
  return text === undefined ? {} : { [GIT]: Buffer.from(text) };
}

function without(files: RunFiles, names: readonly string[]): RunFiles {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name)));
}
