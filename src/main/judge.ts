export { lineMatcher } from '../core/text/line-pattern.ts';
export { openJudges, openReceipts } from '../hook/wiring/judges.ts';
export { agentSessions } from '../run/client/session.ts';
