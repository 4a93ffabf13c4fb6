/**
 * The clean rooms of one judging. Each gate gets one of its own, so that none judges what another one wrote. They lie at
 * the same place one after the other, so that one installation serves them all.
 */
import { Unmeasurable } from '../core/text/errors.ts';
import type { Judgement } from '../gates/gate.ts';
import { UNREADABLE, withWritten } from '../gates/shared/written-files.ts';
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
}

export function gateRooms(
  rooms: () => Rooms,
  { tree, base, over }: { tree: string | undefined; base: string | undefined; over?: AbortSignal },
): GateRooms {
  const opened = new Map<string, Promise<Room>>();
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
      const room = opened.get(gate) ?? openOwn();
      opened.set(gate, room);
      return room;
    },
    async leave(gate, judgement) {
      const room = await opened.get(gate)?.catch(() => undefined);
      opened.delete(gate);
      if (!room) return judgement;
      const changed = judgement.outcome === 'pass' ? await room.changed().catch(() => UNREADABLE) : [];
      await room.dispose();
      return withWritten(judgement, changed);
    },
  };
}
