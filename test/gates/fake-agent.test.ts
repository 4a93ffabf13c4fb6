import { describe } from 'vitest';
import { keepsAgentPortContract } from '../support/gates/agent-port-contract.ts';
import { fakeAgent } from '../support/gates/fake-agent.ts';

describe('the fake agent', () => {
  keepsAgentPortContract(async (behaviour) => ({
    port: fakeAgent(behaviour),
    cwd: '/nowhere',
    arrived: () => Promise.resolve(),
  }));
});
