/** The bundle of the formats of other systems. The hook loads it where their state may concern a session. */
export { foreignLoops } from '../engine/hook/wiring/foreign.ts';
export { markReflection } from '../engine/hook/wiring/mark-reflection.ts';
