import { describe } from 'vitest';
import { keepsAgentPortContract } from './agent-port-contract.ts';
import { fakeAgent } from './fake-agent.ts';

describe('the fake agent', () => {
  keepsAgentPortContract(async (behaviour) => ({
    port: fakeAgent(behaviour),
    cwd: '/nowhere',
    arrived: () => Promise.resolve(),
  }));
});
