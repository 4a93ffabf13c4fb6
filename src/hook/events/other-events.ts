import type { OtherEvents, SessionWorld } from '../../judging/ports.ts';
import { holdForRoom } from '../unwritable-journal.ts';
import { tellLeftLoops } from './abandoned-loops.ts';
import { eventInLoop } from './event-in-loop.ts';
import { updateMemory } from './notes.ts';
import { handleStanding } from './standing-gates.ts';

export function otherEvents(world: SessionWorld): OtherEvents {
  const { notes } = world;
  return {
    inLoop: (event, loop, ports) => eventInLoop(event, loop, { ...ports, ...world }),
    withoutLoop: async (event, ports) => [
      await handleStanding(event, { ...ports, ...world }),
      tellLeftLoops(event, ports),
    ],
    holdForRoom: (event, ref) => holdForRoom(event, ref, world),
    writeDown: (stop) => updateMemory(stop, notes.files, notes.change),
  };
}
