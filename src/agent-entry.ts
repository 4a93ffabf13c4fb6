export { agentSdk } from './adapters/agent-sdk.ts';
