/** Stands in for `judge.cjs` in a copy of the built program: all of it is real but the sessions, which are played. */
export { openJudges, openReceipts } from '../../../src/main/judge.ts';
export { agentSessions } from './played-agent.ts';
