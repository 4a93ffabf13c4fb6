import { expect, test } from 'vitest';
import { ClientTree } from '../../../../src/engine/client/sdk/sdk.ts';
import type { SessionPlan } from '../../../../src/engine/ports/ports.ts';
import { optionsFor } from '../../../../src/engine/run/client/session-options.ts';

const PLAN: SessionPlan = {
  session: 's1',
  resume: false,
  cwd: '/project',
  permissionMode: 'acceptEdits',
  allow: ['Bash(npm test)'],
  env: {},
  client: {},
};

function options(more: Partial<SessionPlan> = {}, env: NodeJS.ProcessEnv = {}) {
  const client = new ClientTree('the-mark');
  return optionsFor({ ...PLAN, ...more }, { env, claude: '/bin/claude', client, onEvent: async () => ({}) });
}

test('a new session gets its id, an old one is gone on with', () => {
  expect(options()).toMatchObject({ sessionId: 's1', persistSession: true });
  expect(options()).not.toHaveProperty('resume');
  expect(options({ resume: true })).toMatchObject({ resume: 's1' });
  expect(options({ resume: true })).not.toHaveProperty('sessionId');
});

test('permissions are those of the plan, widened only by name', () => {
  const client = { allowDangerouslySkipPermissions: true, permissionMode: 'bypassPermissions' };
  expect(options({ client })).toMatchObject({
    permissionMode: 'acceptEdits',
    allowDangerouslySkipPermissions: false,
    permissionPrompts: 'none',
  });
  expect(options({ permissionMode: 'bypassPermissions' })).toMatchObject({
    allowDangerouslySkipPermissions: true,
  });
});

test('rules of the contract and of the plan are both allowed', () => {
  expect(options({ client: { allowedTools: ['Read'] } }).allowedTools).toEqual(['Read', 'Bash(npm test)']);
});

test.each(['extraArgs', 'continue', 'forkSession', 'canUseTool', 'executableArgs', 'stderr'])(
  'a contract cannot say %s',
  (name) => {
    expect(options({ client: { [name]: 'x' } })).not.toHaveProperty(name);
  },
);

test('settings can be left out, which is said in the contract', () => {
  expect(options().settingSources).toEqual(['user', 'project', 'local']);
  expect(options({ client: { settingSources: ['project'] } }).settingSources).toEqual(['project']);
});

test('what a session starts is marked', () => {
  const env = { PATH: '/bin', CLAUDECODE: '1', MINE: 'person' };
  expect(options({ env: { MINE: 'plan' }, client: { env: { A: 'contract' } } }, env).env).toEqual({
    PATH: '/bin',
    A: 'contract',
    MINE: 'plan',
    CLAUDE_AGENT_SDK_CLIENT_APP: 'untildone',
    UNTILDONE_CLIENT: 'the-mark',
  });
});

test.each([
  [undefined, { type: 'preset', preset: 'claude_code', append: 'LOOP' }],
  ['You are brief.', 'You are brief.\n\nLOOP'],
  [
    ['a', 'b'],
    ['a', 'b', 'LOOP'],
  ],
  [
    { type: 'preset', preset: 'claude_code', append: 'MORE' },
    { type: 'preset', preset: 'claude_code', append: 'MORE\n\nLOOP' },
  ],
  [
    { type: 'custom', prompt: 'a', snapshot: false },
    { type: 'custom', prompt: ['a', 'LOOP'], snapshot: false },
  ],
])('what is added to the system prompt stands at its end: %j', (systemPrompt, expected) => {
  const client = systemPrompt === undefined ? {} : { systemPrompt };
  expect(options({ client, appendSystemPrompt: 'LOOP' }).systemPrompt).toEqual(expected);
});
