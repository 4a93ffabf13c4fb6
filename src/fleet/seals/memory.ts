/** The newest orders of a fleet in the home of a machine, by the queue and the secret. They are sealed. */
import { join } from 'node:path';
import { hmacSha256 } from '../../engine/files/digest.ts';
import { readSmall, writeWhole } from '../../engine/files/whole-file.ts';
import type { Home } from '../../engine/home/layout.ts';
import { fleetFolder } from '../operate/repos.ts';
import { parsed } from '../queue/readable.ts';
import type { OrderMemory } from './orders.ts';

/** A home that cannot be written keeps nobody from working: the orders are remembered until the process ends. */
export function orderMemory(home: Home, secret: string, place: string): OrderMemory {
  const name = `orders-${hmacSha256(secret, `orders of ${place}`).slice(0, 16)}.json`;
  const file = join(home.root, 'fleet', name);
  return {
    read() {
      const found = parsed(readSmall(file));
      if (typeof found !== 'object' || found === null) return {};
      const texts = Object.entries(found).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      );
      return Object.fromEntries(texts);
    },
    write(orders) {
      try {
        fleetFolder(home);
        writeWhole(file, `${JSON.stringify(orders)}\n`);
      } catch {
        // They are written with the next order.
      }
    },
  };
}
