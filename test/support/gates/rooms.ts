import { join } from 'node:path';
import type { Contract } from '../../../src/engine/core/contract/contract.ts';
import type { Kept } from '../../../src/engine/ports/ports.ts';
import type { Rooms } from '../../../src/engine/ports/rooms.ts';
import { roomsOf } from '../../../src/engine/project/room/rooms.ts';
import type { JudgedProject } from './judged-project.ts';

/** Clean rooms of a project of a test, with the toolchains of this machine. */
export function roomsFor(
  project: JudgedProject,
  room: Contract['room'] = undefined,
): Rooms & { opened: string[] } {
  const { root, dir, shadowDir } = project;
  const rooms = roomsOf({
    project: dir,
    contract: { gates: {}, done: [], room } as unknown as Contract,
    folder: join(root, 'untildone', 'folder'),
    shadowDir,
    key: 'a key',
    env: process.env,
  });
  const opened: string[] = [];
  return {
    ...rooms,
    opened,
    open: (order) => {
      opened.push(order.tree);
      return rooms.open(order);
    },
  };
}

/** Keeps facts in memory. */
export function keptInMemory(): Kept & { facts: Map<string, unknown> } {
  const facts = new Map<string, unknown>();
  return { facts, read: (name) => facts.get(name), write: (name, value) => void facts.set(name, value) };
}
