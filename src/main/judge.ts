export { lineMatcher } from '../core/text/line-pattern.ts';
export { foreignLoops } from '../hook/wiring/foreign.ts';
export { openJudges, openReceipts } from '../hook/wiring/judges.ts';
export { markReflection } from '../hook/wiring/mark-reflection.ts';
export { agentSessions } from '../run/client/session.ts';
