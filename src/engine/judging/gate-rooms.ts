/**
 * The clean rooms of one judging. Each gate gets one of its own, so that none judges what another one wrote. They lie at
 * the same place one after the other, so that one installation serves them all.
 */
import { Unmeasurable } from '../core/text/errors.ts';
import type { Judgement } from '../gates/gate.ts';
import type { Place, Room, Rooms } from '../ports/rooms.ts';
import { withWritten } from './written-files.ts';

export interface GateRooms {
  /** The room of this gate. */
  placeFor(gate: string): Promise<Place>;
  /**
   * Removes the room of a gate. The judgement says what its command wrote there, where that is worth a word. Never rejects.
   */
  leave(gate: string, judgement: Judgement): Promise<Judgement>;
}

/** A command that damages the repository of its room has written what nobody can name. */
const UNREADABLE = ['.git'];

export function gateRooms(
  rooms: () => Rooms,
  { tree, base, over }: { tree: string | undefined; base: string | undefined; over?: AbortSignal },
): GateRooms {
  const opened = new Map<string, Promise<Room>>();
  // What cannot be installed for one gate cannot be installed for the next one.
  let refusal: Unmeasurable | undefined;
  const open = async (): Promise<Room> => {
    if (refusal) throw refusal;
    if (tree === undefined)
      throw new Unmeasurable('a clean room needs git, and the files of the project could not be read by it', [
        'Install git, or mend what it says: git status',
      ]);
    try {
      return await rooms().open({ tree, base, signal: over });
    } catch (error) {
      if (error instanceof Unmeasurable) refusal = error;
      throw error;
    }
  };
  return {
    placeFor(gate) {
      const room = opened.get(gate) ?? open();
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
