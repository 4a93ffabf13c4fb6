/** Submits what schedules have due. Every worker looks; each time of a schedule is given to one of them. */
import { EngineAway } from '../../engine/core/fleet/errors.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import type { Engine } from '../../engine/ports/fleet.ts';
import type { Say } from './events.ts';
import type { StoreLink } from './store-link.ts';

const EVERY_MS = 2_000;
const CALL_MS = 10_000;

export class Scheduler {
  readonly #engine: Pick<Engine, 'due' | 'handled'>;
  readonly #link: StoreLink;
  readonly #say: Say;
  readonly #submit: (due: { id: string; at: number; template: string }) => Promise<void>;
  #lookedAt = 0;
  #looking = false;

  constructor(
    engine: Pick<Engine, 'due' | 'handled'>,
    link: StoreLink,
    say: Say,
    submit: (due: { id: string; at: number; template: string }) => Promise<void>,
  ) {
    this.#engine = engine;
    this.#link = link;
    this.#say = say;
    this.#submit = submit;
  }

  look(now: number): void {
    if (this.#looking || now - this.#lookedAt < EVERY_MS) return;
    this.#lookedAt = now;
    this.#looking = true;
    void this.#submitDue().finally(() => {
      this.#looking = false;
    });
  }

  /** What fails is due again after a while. */
  async #submitDue(): Promise<void> {
    try {
      for (const due of await this.#link.call(() => this.#engine.due(), CALL_MS)) await this.#submitOne(due);
    } catch (error) {
      if (!(error instanceof EngineAway)) this.#note(`schedules cannot be read: ${(error as Error).message}`);
    }
  }

  async #submitOne(due: { id: string; at: number; template: string }): Promise<void> {
    try {
      await this.#submit(due);
      await this.#link.call(() => this.#engine.handled(due.id, due.at));
    } catch (error) {
      // The branch is gone, or its contract has mistakes: trying again does not help, the next time may.
      if (error instanceof UsageError) {
        this.#note(`schedule ${due.id} was left out this time: ${error.message}`);
        await this.#link.call(() => this.#engine.handled(due.id, due.at)).catch(() => undefined);
        return;
      }
      this.#note(`schedule ${due.id} could not be submitted, trying again: ${(error as Error).message}`);
    }
  }

  #note(text: string): void {
    this.#say({ type: 'note', run: null, text });
  }
}
