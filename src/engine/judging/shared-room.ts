/** The clean room that the gates of one judging share. It is opened when the first of them needs it. */
import type { Verdict } from '../core/loop/verdict.ts';
import { Unmeasurable } from '../core/text/errors.ts';
import type { Place, Room, Rooms } from '../ports/rooms.ts';

export interface SharedRoom {
  /** Where the commands of this gate run. */
  placeFor(gate: string): Promise<Place>;
  /** The verdicts, as far as one gate did not change what another judged. Removes the room. */
  close(verdicts: readonly Verdict[]): Promise<Verdict[]>;
}

export function sharedRoom(
  rooms: () => Rooms,
  { tree, base, over }: { tree: string | undefined; base: string | undefined; over?: AbortSignal },
): SharedRoom {
  let opening: Promise<Room> | undefined;
  const users = new Set<string>();
  const open = (): Promise<Room> => {
    if (tree === undefined)
      return Promise.reject(
        new Unmeasurable('a clean room needs git, and the files of the project could not be read by it', [
          'Install git, or mend what it says: git status',
        ]),
      );
    return rooms().open({ tree, base, signal: over });
  };
  return {
    placeFor(gate) {
      users.add(gate);
      opening ??= open();
      return opening;
    },
    async close(verdicts) {
      const room = await opening?.catch(() => undefined);
      if (!room) return [...verdicts];
      try {
        const changed = users.size > 1 ? await room.changed() : [];
        return verdicts.map((verdict) =>
          users.has(verdict.gate) && changed.length > 0 ? unprovenByOthers(verdict, changed) : verdict,
        );
      } finally {
        await room.dispose();
      }
    },
  };
}

const MOST_NAMED = 5;

/** Gates that share a room may have judged files that another one wrote. */
function unprovenByOthers(verdict: Verdict, changed: readonly string[]): Verdict {
  if (verdict.outcome !== 'pass') return verdict;
  const named = changed.slice(0, MOST_NAMED).join(', ');
  const more = changed.length > MOST_NAMED ? ` and ${changed.length - MOST_NAMED} more` : '';
  return {
    ...verdict,
    outcome: 'unproven',
    summary: `passed, but the commands of a gate changed ${named}${more} in the clean room`,
    evidence: [
      'Run that command in the project and keep what it writes there, or let it write files that git ignores.',
    ],
  };
}
