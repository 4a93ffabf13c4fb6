/** The journal of a run as its worker streams it, else as it was published; and how runs end that somebody waits for. */

import { setTimeout as wait } from 'node:timers/promises';
import { EngineAway } from '../../engine/core/fleet/errors.ts';
import type { LoopState } from '../../engine/core/loop/state.ts';
import { counted } from '../../engine/core/text/counted.ts';
import { sha256 } from '../../engine/files/digest.ts';
import { lineCheck, NO_PREVIOUS } from '../../engine/home/journal/file.ts';
import type { Scanned } from '../../engine/home/journal/scan.ts';
import type { JobView } from '../../engine/ports/fleet.ts';
import { keyOfRun } from '../secret.ts';
import { findRun, wrongSecret } from './find-run.ts';
import type { Fleet } from './fleet.ts';
import { factsOf } from './look.ts';
import { JOURNAL_FILE, publishedOf } from './published.ts';
import { needOf, whyItWaits } from './situation.ts';

const PAGE = 500;
const LOOK_MS = 1_000;

/** Lines of a journal that come in any pieces. A line that was there before is passed over. */
export class LineReader {
  readonly #check: ReturnType<typeof lineCheck>;
  readonly #seen = new Set<string>();
  #previous = NO_PREVIOUS;
  #number = 0;

  constructor(run: string, key: string) {
    this.#check = lineCheck(`${run}/${JOURNAL_FILE}`, key);
  }

  read(lines: readonly string[]): Scanned[] {
    return lines.flatMap((text): Scanned[] => {
      this.#number++;
      const digest = sha256(text);
      if (text === '' || this.#seen.has(digest)) return [];
      this.#seen.add(digest);
      const place = { start: 0, bytes: Buffer.byteLength(text) };
      const line = this.#check(text);
      if (!line) return [{ ...place, ok: false, number: this.#number, problem: 'its seal is wrong' }];
      // A run that another worker took over goes on from what was published: lines after that are written anew.
      const chained = line.prev === this.#previous || this.#seen.has(line.prev) || line.seq === 1;
      this.#previous = digest;
      return [{ ...place, ok: true, line, text, sha256: digest, chained }];
    });
  }
}

/** Where a run stands, as its workers told it last, else as it was published; undefined for one that nobody has begun. */
export async function newestState(run: string, repo: string, fleet: Fleet): Promise<LoopState | undefined> {
  const reader = new LineReader(run, keyOfRun(run, fleet.secret));
  let state: LoopState | undefined;
  const take = (lines: readonly string[]) => {
    for (const scanned of reader.read(lines)) if (scanned.ok) state = scanned.line.state;
  };
  for (let from = 0, page = [''], most = PAGE; page.length > 0; from += page.length, most = LARGE_PAGE) {
    page = await fleet.engine.lines(run, from, most);
    take(page);
  }
  if (!state) take(await publishedLines(run, repo, true, fleet));
  return state;
}

const LARGE_PAGE = 5_000;

export interface LogOptions {
  follow: boolean;
  signal?: AbortSignal;
  /** Told when the store is away, and when it is back. */
  note?(text: string): void;
}

/** Gives out the journal of a run, and with `follow` what is added until it has ended. */
export async function* runLog(text: string, options: LogOptions, fleet: Fleet): AsyncGenerator<Scanned> {
  await fleet.engine.ready();
  const { run, repo } = await findRun(text, fleet);
  const reader = new LineReader(run, keyOfRun(run, fleet.secret));
  const stream = { run, from: 0, last: '' };
  for (;;) {
    const job = await patient(() => fleet.engine.job(run), options);
    for (let page = await nextLines(stream, fleet, options); page.length > 0; ) {
      yield* reader.read(page);
      page = page.length < PAGE ? [] : await nextLines(stream, fleet, options);
    }
    const isOver = job === undefined || job.state === 'ended' || job.state === 'dead';
    if (isOver || !options.follow || options.signal?.aborted) break;
    await pause(options.signal);
  }
  // Streamed lines may be lost with the store, or not be there yet.
  yield* reader.read(await publishedLines(run, repo, stream.from === 0, fleet));
}

/**
 * The lines after those that were read. Where a worker died, the next one writes lines anew that were not published: then the
 * last line that was read is another one, and all are read again.
 */
async function nextLines(
  stream: { run: string; from: number; last: string },
  { engine }: Fleet,
  options: LogOptions,
): Promise<string[]> {
  const read = (from: number) => patient(() => engine.lines(stream.run, from, PAGE), options);
  const overlap = stream.from === 0 ? 0 : 1;
  let page = await read(stream.from - overlap);
  const isChanged = overlap === 1 && page[0] !== stream.last;
  if (isChanged) [stream.from, page] = [0, await read(0)];
  const fresh = overlap === 1 && !isChanged ? page.slice(1) : page;
  stream.from += fresh.length;
  stream.last = fresh.at(-1) ?? stream.last;
  return fresh;
}

async function publishedLines(
  run: string,
  repo: string,
  isOnlySource: boolean,
  fleet: Fleet,
): Promise<string[]> {
  try {
    const read = await fleet.remoteRunsOf(repo).read(run);
    const published = read && publishedOf(run, read.files, fleet.secret);
    if (published && !published.spec) throw wrongSecret(run);
    return published?.lines ?? [];
  } catch (error) {
    if (isOnlySource) throw error;
    return [];
  }
}

/** Asks again while the store is away, if somebody waits. */
async function patient<Result>(
  ask: () => Promise<Result>,
  { follow, signal, note }: LogOptions,
): Promise<Result> {
  let isAway = false;
  for (;;) {
    try {
      const result = await ask();
      if (isAway) note?.('The queue is back.');
      return result;
    } catch (error) {
      if (!follow || !(error instanceof EngineAway) || signal?.aborted) throw error;
      if (!isAway) note?.(`${error.message}; waiting for it. The run goes on by itself.`);
      isAway = true;
      await pause(signal);
    }
  }
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await wait(LOOK_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
}

export interface Progress {
  run: string;
  text: string;
}

/** Waits until runs have ended, and says what changes. Returns them as they are then; those that still go on, when aborted. */
export async function waitForRuns(
  runs: readonly string[],
  tell: (progress: Progress) => void,
  { signal, note }: Pick<LogOptions, 'signal' | 'note'>,
  fleet: Fleet,
): Promise<JobView[]> {
  const said = new Map<string, string>();
  const last = new Map<string, JobView>();
  for (;;) {
    const options = { follow: true, signal, note };
    const facts = await patient(() => factsOf(fleet), options);
    for (const run of runs) {
      if (isOver(last.get(run))) continue;
      const job = await patient(() => fleet.engine.job(run), options);
      if (job) last.set(run, job);
      const need = job && needOf(job, facts.now);
      const text = job ? stands(job, whyItWaits(job, facts), need && `${need.what}; ${need.how}`) : GONE;
      // How long something has to wait changes all the time.
      const gist = text.replaceAll(/(?<!\d)\d+ (?:s|min|h|d)\b/g, '');
      if (said.get(run) !== gist) tell({ run, text });
      said.set(run, gist);
    }
    if (signal?.aborted || runs.every((run) => isOver(last.get(run))))
      return Promise.all([...last.values()].map((job) => withPublishedResult(job, fleet)));
    await pause(signal);
  }
}

/** Where the queue has no result with a seal of how a run ended, its remote says it. */
async function withPublishedResult(job: JobView, { remoteRunsOf, secret }: Fleet): Promise<JobView> {
  if (job.state !== 'ended' || job.result || job.isStranger) return job;
  const read = await remoteRunsOf(job.repo)
    .read(job.run)
    .catch(() => undefined);
  const { result } = read ? publishedOf(job.run, read.files, secret) : {};
  return result ? { ...job, result } : job;
}

const GONE = 'the queue does not know it any more: untildone fleet reconcile brings it back';

function isOver(job: JobView | undefined): boolean {
  return job?.state === 'ended' || job?.state === 'dead';
}

function stands(job: JobView, why: string | undefined, need: string | undefined): string {
  const { state, result, news } = job;
  if (result && state === 'ended')
    return `${result.status} (${result.cause}) after ${counted(result.iterations, 'iteration')}, ${result.costUsd.toFixed(2)} USD`;
  if (need !== undefined) return `needs you: ${need}`;
  if (state !== 'active') return `${state}: ${why ?? ''}`;
  return (
    why ??
    `iteration ${news?.iteration ?? 0} on ${job.worker ?? news?.worker ?? 'a worker'}, ${(news?.costUsd ?? 0).toFixed(2)} USD${news?.doing ? `: ${news.doing}` : ''}`
  );
}
