/** The played client of the unit tests keeps the contract of the real one. */
import { randomUUID } from 'node:crypto';
import { describe } from 'vitest';
import { waitFor } from '../live/processes.ts';
import { keepsSessionPortContract } from '../live/session-port-contract.ts';
import { scriptedSessions } from './scripted-session.ts';

describe('the played client', () => {
  keepsSessionPortContract(async (script) => {
    const port = scriptedSessions({ script });
    return {
      port,
      plan: (more) => ({
        session: randomUUID(),
        resume: false,
        cwd: '/project',
        permissionMode: 'acceptEdits',
        allow: ['Bash'],
        model: 'claude-opus-5-5',
        env: {},
        client: {},
        ...more,
      }),
      asked: () => port.requests.map(({ body }) => JSON.stringify(body)),
      untilAsked: (times) => waitFor(() => port.requests.length >= times),
      killClient: async () => port.kill(),
    };
  });
});
