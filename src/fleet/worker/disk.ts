/** Keeps the work folder of a worker within bounds, and knows when nothing more may be begun. */
import { sayBytes } from '../../engine/core/text/bytes.ts';
import { bytesIn, type WorkerFolders } from './folders.ts';

/** Nothing is begun with less room than this. */
export const FLOOR_BYTES = 1_000_000_000;
const MEASURE_EVERY_MS = 60_000;
const LOOK_EVERY_MS = 5_000;

export class DiskWatch {
  readonly #folders: Pick<WorkerFolders, 'workdir' | 'caches' | 'diskFree'>;
  readonly #most: number;
  readonly #sweepCaches: (caches: string, most: number) => Promise<void>;
  readonly #changed: (obstacle: string | undefined) => void;
  #free: number | undefined;
  #used = 0;
  #lookedAt = 0;
  #measuredAt = 0;
  #measuring: Promise<void> | undefined;
  #told: string | undefined;

  constructor(
    folders: Pick<WorkerFolders, 'workdir' | 'caches' | 'diskFree'>,
    most: number,
    sweepCaches: (caches: string, most: number) => Promise<void>,
    changed: (obstacle: string | undefined) => void,
  ) {
    this.#folders = folders;
    this.#most = most;
    this.#sweepCaches = sweepCaches;
    this.#changed = changed;
  }

  get free(): number | undefined {
    return this.#free;
  }

  /** Why nothing may be begun. */
  get obstacle(): string | undefined {
    if (this.#free !== undefined && this.#free < FLOOR_BYTES)
      return `takes nothing: ${sayBytes(this.#free)} are free in ${this.#folders.workdir}, and ${sayBytes(FLOOR_BYTES)} have to be`;
    if (this.#used > this.#most)
      return `takes nothing: ${this.#folders.workdir} takes up ${sayBytes(this.#used)}, and --max-disk is ${sayBytes(this.#most)}`;
    return undefined;
  }

  /** Looks at the disk when it was not looked at for a while. Called on every beat. */
  look(now: number): void {
    if (now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    this.#free = this.#folders.diskFree();
    const isTight = this.obstacle !== undefined;
    if (now - this.#measuredAt >= (isTight ? LOOK_EVERY_MS : MEASURE_EVERY_MS)) this.#measure(now);
    this.#tell();
  }

  #measure(now: number): void {
    this.#measuredAt = now;
    this.#measuring ??= this.#sweep()
      // What cannot be measured or swept now is tried again.
      .catch(() => {})
      .finally(() => {
        this.#measuring = undefined;
        this.#tell();
      });
  }

  /** Runs under way stay; caches that were not used for long go first. What they take up is no obstacle until they were swept. */
  async #sweep(): Promise<void> {
    const used = await bytesIn(this.#folders.workdir);
    const isTight = this.#free !== undefined && this.#free < FLOOR_BYTES;
    if (used > this.#most || isTight) {
      const ofCaches = await bytesIn(this.#folders.caches);
      await this.#sweepCaches(
        this.#folders.caches,
        isTight ? 0 : Math.max(0, this.#most - (used - ofCaches)),
      );
      this.#used = await bytesIn(this.#folders.workdir);
      this.#free = this.#folders.diskFree();
    } else this.#used = used;
  }

  #tell(): void {
    const { obstacle } = this;
    const isNews = (obstacle === undefined) !== (this.#told === undefined);
    this.#told = obstacle;
    if (isNews) this.#changed(obstacle);
  }
}
