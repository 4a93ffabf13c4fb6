/**
 * What operators order of the whole fleet: limits, the pause, that a worker drains. Each order has a version that only grows.
 * A machine keeps the newest one that it has seen, so an older one that somebody puts back, or one that somebody removes,
 * changes nothing for it.
 */
import { parsed } from '../queue/readable.ts';
import type { Seals } from './seal.ts';

interface Order {
  name: string;
  version: number;
  value: unknown;
  seal?: string;
}

/** Where a machine keeps the newest orders over its restarts, as they were sealed. */
export interface OrderMemory {
  read(): Record<string, string>;
  write(orders: Record<string, string>): void;
}

export class Orders {
  readonly #seals: Seals;
  readonly #memory: OrderMemory;
  readonly #newest = new Map<string, { order: Order; text: string }>();
  /** Texts that were refused, so that each is told of once. */
  readonly #refused = new Map<string, string>();

  constructor(seals: Seals, memory: OrderMemory) {
    this.#seals = seals;
    this.#memory = memory;
    this.take(memory.read());
  }

  /** Takes in what lies in the store. Returns why some of it does not count, once each. */
  take(found: Readonly<Record<string, string>>): string[] {
    const refused: string[] = [];
    let isNew = false;
    for (const [name, text] of Object.entries(found)) {
      if (this.#newest.get(name)?.text === text) continue;
      const order = this.#read(name, text);
      const known = this.#newest.get(name)?.order.version ?? 0;
      if (order && order.version > known) {
        this.#newest.set(name, { order, text });
        isNew = true;
      } else if (this.#refused.get(name) !== text) {
        this.#refused.set(name, text);
        refused.push(order ? `an order (${name}) is older than one that was seen` : NO_SEAL(name));
      }
    }
    if (isNew)
      this.#memory.write(Object.fromEntries([...this.#newest].map(([name, { text }]) => [name, text])));
    return refused;
  }

  value(name: string): unknown {
    return this.#newest.get(name)?.order.value;
  }

  /** The text of a new order. It is newer than every one that is known here. */
  make(name: string, value: unknown, now: number): string {
    const version = Math.max(now, (this.#newest.get(name)?.order.version ?? 0) + 1);
    return JSON.stringify(this.#seals.sealed({ name, version, value }, purposeOf(name)));
  }

  #read(name: string, text: string): Order | undefined {
    const order = parsed(text) as Order | null | undefined;
    if (typeof order !== 'object' || order === null || Array.isArray(order)) return undefined;
    const isOurs = order.name === name && Number.isFinite(order.version);
    return isOurs && this.#seals.fits(order, purposeOf(name)) ? order : undefined;
  }
}

const NO_SEAL = (name: string) =>
  `an order (${name}) does not have the seal of this fleet: upgrade operator and worker to the same version, and order it again`;

function purposeOf(name: string): string {
  return `order ${name}`;
}
