/**
 * The clean rooms of one judging. Each gate gets one of its own, so that none judges what another one wrote. They lie at
 * the same place one after the other, so that one installation serves them all. A gate that comes `after` another one gets
 * its room, with what that one made and the files of the tree as they were.
 */
import type { GateSpec } from '../core/contract/contract.ts';
import { Unmeasurable } from '../core/text/errors.ts';
import { withWritten } from '../core/words/written.ts';
import type { Judgement } from '../gates/gate.ts';
import type { Place, Room, RoomOrder, Rooms } from '../ports/rooms.ts';

export interface GateRooms {
  /** Opens a room. What could not be installed on this tree is not tried again. */
  open(order: RoomOrder): Promise<Room>;
  /** The room of this gate. */
  placeFor(gate: string): Promise<Place>;
  /**
   * Removes the room of a gate. The judgement says what its command wrote there, where that is worth a word. Never rejects.
   */
  leave(gate: string, judgement: Judgement): Promise<Judgement>;
  /** Removes what no gate came for. */
  close(): Promise<void>;
}

interface RoomFacts {
  tree: string | undefined;
  base: string | undefined;
  over?: AbortSignal | undefined;
  /** All gates of the judging, by name. */
  specs: ReadonlyMap<string, GateSpec>;
}

/** Whether the files of the tree are again as they were. */
function restored(room: Room): Promise<boolean> {
  return room.restore().then(
    () => true,
    () => false,
  );
}

export function gateRooms(rooms: () => Rooms, { tree, base, over, specs }: RoomFacts): GateRooms {
  const opened = new Map<string, Promise<Room>>();
  /** Rooms of gates that passed, for gates that come after them: what they made is there. */
  const handed = new Map<string, Room>();
  const isFollowed = (gate: string) => [...specs.values()].some(({ after = [] }) => after.includes(gate));
  const handedTo = (gate: string): Promise<Room> | undefined => {
    const from = specs.get(gate)?.after?.find((name) => handed.has(name));
    if (from === undefined) return undefined;
    const room = handed.get(from);
    handed.delete(from);
    return room && Promise.resolve(room);
  };
  // What cannot be installed for one gate cannot be installed for the next one.
  let refusal: Unmeasurable | undefined;
  const open = async (order: RoomOrder): Promise<Room> => {
    if (refusal && order.tree === tree) throw refusal;
    try {
      return await rooms().open(order);
    } catch (error) {
      if (error instanceof Unmeasurable && order.tree === tree) refusal = error;
      throw error;
    }
  };
  const openOwn = async (): Promise<Room> => {
    if (tree !== undefined) return open({ tree, base, signal: over });
    throw new Unmeasurable('a clean room needs git, and the files of the project could not be read by it', [
      'Install git, or mend what it says: git status',
    ]);
  };
  return {
    open,
    placeFor(gate) {
      const room = opened.get(gate) ?? handedTo(gate) ?? openOwn();
      opened.set(gate, room);
      return room;
    },
    async leave(gate, judgement) {
      const room = await opened.get(gate)?.catch(() => undefined);
      opened.delete(gate);
      if (!room) return judgement;
      const left = judgement.outcome === 'pass' ? withWritten(judgement, await room.changed()) : judgement;
      const isHanded = left.outcome === 'pass' && isFollowed(gate) && (await restored(room));
      if (isHanded) handed.set(gate, room);
      else await room.dispose();
      return left;
    },
    async close() {
      for (const room of handed.values()) await room.dispose();
      handed.clear();
    },
  };
}
