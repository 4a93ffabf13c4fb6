/** The engine as its store has it: what is read there may have been written by anybody (see src/fleet/seals). */
import type { Beat, Engine } from '../../engine/ports/fleet.ts';

export interface StoredBeat extends Beat {
  /** How many commands of a run could not be read. They are taken away. */
  unreadable?: Record<string, number>;
  /** What is kept as `orders`. */
  orders?: Record<string, string>;
}

export interface StoredEngine extends Engine {
  beat(...given: Parameters<Engine['beat']>): Promise<StoredBeat>;
  /** Keeps a text under a name, in the place of the one before. Shelves: `orders`, and `spent:<day>`, which goes after 62 days. */
  keep(shelf: string, name: string, text: string): Promise<void>;
  kept(shelf: string): Promise<Record<string, string>>;
}
