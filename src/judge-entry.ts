export { agentSessions } from './adapters/agent-session.ts';
export { foreignLoops } from './commands/foreign.ts';
export { openJudges, saveReceipt } from './commands/judges.ts';
