export { agentSdk } from './adapters/agent-sdk.ts';
export { agentSessions } from './adapters/agent-session.ts';
