/** Tells the engine where a run stands, in order, without ever keeping the run waiting. */
import { EngineAway } from '../../engine/core/fleet/errors.ts';
import type { Engine, ProgressReport } from '../../engine/ports/fleet.ts';
import type { StoreLink } from './store-link.ts';

/** What is kept of lines while the store is away. Git has them all. */
const MOST_LINES = 20_000;
const MOST_CHARACTERS = 16_000_000;
/** What is told at a time. */
const LINES_A_CALL = 500;
const CALL_MS = 10_000;

export class ProgressStream {
  readonly #run: string;
  readonly #engine: Pick<Engine, 'tell'>;
  readonly #link: StoreLink;
  #news: ProgressReport | undefined;
  #isNew = false;
  #lines: string[] = [];
  /** The place of the first of them in the journal. */
  #from = 0;
  #characters = 0;
  #overflowed = false;
  #telling: Promise<void> | undefined;

  constructor(run: string, engine: Pick<Engine, 'tell'>, link: StoreLink) {
    this.#run = run;
    this.#engine = engine;
    this.#link = link;
  }

  /** The newest news. */
  get latest(): ProgressReport | undefined {
    return this.#news;
  }

  /**
   * Takes news in the place of older ones that nobody was told of yet, and lines behind those that wait. `from`: the place of
   * the first line; other lines that wait from there on are replaced.
   */
  add(news: ProgressReport, lines: readonly string[], from?: number): void {
    this.#news = news;
    this.#isNew = true;
    if (from !== undefined && lines.length > 0) this.#beginAt(from);
    for (const line of lines) this.#keep(line);
    void this.flush();
  }

  /** What the run waits for, as the worker knows it. */
  doing(doing: string): void {
    if (this.#news && this.#news.doing !== doing) this.add({ ...this.#news, doing, at: Date.now() }, []);
  }

  /** Tells what waits. Gives up when the store is away; the next beat tries again. */
  async flush(): Promise<void> {
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined;
    });
    await this.#telling;
  }

  #beginAt(from: number): void {
    if (from === this.#from + this.#lines.length) return;
    const kept = from > this.#from ? this.#lines.slice(0, from - this.#from) : [];
    // Lines are missing before it: what is told begins with it.
    if (kept.length < from - this.#from || kept.length === 0) this.#from = from;
    this.#lines = this.#from === from ? [] : kept;
    this.#characters = this.#lines.reduce((sum, line) => sum + line.length, 0);
    this.#overflowed = false;
  }

  /** After a line that had no room, no later one is told: a journal with a hole could not be checked. */
  #keep(line: string): void {
    if (this.#overflowed) return;
    this.#overflowed = this.#lines.length >= MOST_LINES || this.#characters + line.length > MOST_CHARACTERS;
    if (this.#overflowed) return;
    this.#lines.push(line);
    this.#characters += line.length;
  }

  async #tell(): Promise<void> {
    while (this.#news && (this.#isNew || this.#lines.length > 0)) {
      const news = this.#news;
      const lines = this.#lines.slice(0, LINES_A_CALL);
      // Without lines, those that an earlier take has told stay.
      const from = lines.length === 0 ? undefined : this.#from;
      this.#isNew = false;
      try {
        await this.#link.call(() => this.#engine.tell(this.#run, news, lines, from), CALL_MS);
      } catch (error) {
        // What the store refuses is not asked of it again.
        if (error instanceof EngineAway) {
          this.#isNew = true;
          return;
        }
      }
      this.#from += lines.length;
      this.#lines.splice(0, lines.length);
      this.#characters -= lines.reduce((sum, line) => sum + line.length, 0);
    }
  }
}
