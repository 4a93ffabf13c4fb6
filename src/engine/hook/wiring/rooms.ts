/** What opens clean rooms and copies of trees, loaded when the first of them is opened. */

export { roomsOf, startsOf } from '../../project/room/rooms.ts';
export { keepStart } from '../../project/room/start.ts';
export { scratchAt } from '../../project/trees/scratch.ts';
