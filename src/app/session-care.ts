import { eventInLoop } from './event-in-loop.ts';
import { handleStanding } from './handle-standing.ts';
import type { OtherEvents, SessionWorld } from './judging-ports.ts';
import { tellLeftLoops } from './left-loops.ts';
import { updateMemory } from './memory.ts';
import { holdForRoom } from './unwritten.ts';

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
