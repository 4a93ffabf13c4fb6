import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loginFrom, sessionEnvironment } from '../../../../src/engine/client/sdk/environment.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'untildone-login-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function personalSettings(text: string, folder = join(home, '.claude')): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'settings.json'), text);
}

test.each([
  'CLAUDECODE',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR',
  'CLAUDE_PID',
  'CLAUDE_PROJECT_DIR',
  'CLAUDE_PLUGIN_ROOT',
  'CLAUDE_ENV_FILE',
  'CLAUDE_SOMETHING_OF_TOMORROW',
  'AI_AGENT',
])('%s of the outer session stays outside', (name) => {
  expect(loginFrom({ HOME: home, [name]: 'outer' }).environment).not.toHaveProperty(name);
});

test.each([
  'PATH',
  'HTTPS_PROXY',
  'AWS_PROFILE',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_MODEL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_SKIP_VERTEX_AUTH',
  'CLAUDE_CODE_CLIENT_CERT',
  'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
])('%s goes along', (name) => {
  expect(loginFrom({ HOME: home, [name]: 'mine' }).environment[name]).toBe('mine');
});

test('retries are few unless the person wants more', () => {
  expect(loginFrom({ HOME: home }).environment.CLAUDE_CODE_MAX_RETRIES).toBe('5');
  expect(loginFrom({ HOME: home, CLAUDE_CODE_MAX_RETRIES: '9' }).environment.CLAUDE_CODE_MAX_RETRIES).toBe(
    '9',
  );
});

test('certificates that the guard line of the hook put aside come back', () => {
  const { environment } = loginFrom({ HOME: home, UNTILDONE_EXTRA_CA_CERTS: '/ca.pem' });
  expect(environment.NODE_EXTRA_CA_CERTS).toBe('/ca.pem');
});

test('of the settings of the person only what has to do with the login is taken', async () => {
  await personalSettings(
    JSON.stringify({
      apiKeyHelper: 'make-key',
      hooks: { Stop: [] },
      permissions: { allow: ['Bash'] },
      env: {
        ANTHROPIC_BASE_URL: 'https://gateway',
        CLAUDE_CODE_USE_VERTEX: '1',
        EDITOR: 'vi',
        NODE_OPTIONS: '-r x',
      },
    }),
  );
  const { environment, settings } = loginFrom({ HOME: home });
  expect(settings).toEqual({ apiKeyHelper: 'make-key' });
  expect(environment).toMatchObject({ ANTHROPIC_BASE_URL: 'https://gateway', CLAUDE_CODE_USE_VERTEX: '1' });
  expect(environment).not.toHaveProperty('EDITOR');
  expect(environment).not.toHaveProperty('NODE_OPTIONS');
});

test('the environment wins over the settings, and CLAUDE_CONFIG_DIR says where they are', async () => {
  const folder = join(home, 'elsewhere');
  await personalSettings(JSON.stringify({ env: { ANTHROPIC_BASE_URL: 'https://settings' } }), folder);
  const env = { HOME: home, CLAUDE_CONFIG_DIR: folder };
  expect(loginFrom(env).environment.ANTHROPIC_BASE_URL).toBe('https://settings');
  const both = { ...env, ANTHROPIC_BASE_URL: 'https://environment' };
  expect(loginFrom(both).environment.ANTHROPIC_BASE_URL).toBe('https://environment');
});

test.each(['', 'no json', '[]', 'null', '{"env": 3, "apiKeyHelper": {}}'])(
  'settings that cannot be used (%j) are no login',
  async (text) => {
    await personalSettings(text);
    expect(loginFrom({ HOME: home }).settings).toEqual({});
  },
);

test.each([
  'CLAUDECODE',
  'AI_AGENT',
  'CLAUDE_PID',
  'CLAUDE_EFFORT',
  'CLAUDE_ENV_FILE',
  'CLAUDE_PROJECT_DIR',
  'CLAUDE_PLUGIN_ROOT',
  'CLAUDE_AGENT_SDK_VERSION',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_SDK_READS_SESSION_STATE',
])('a session of its own does not get %s of the one around it', (name) => {
  expect(sessionEnvironment({ [name]: 'outer' })).not.toHaveProperty(name);
});

test.each([
  'PATH',
  'EDITOR',
  'ANTHROPIC_API_KEY',
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_EFFORT_LEVEL',
  'CLAUDE_CODE_SUBAGENT_MODEL',
  'CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS',
  'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP',
  'CLAUDE_AUTOCOMPACT_PCT_OVERRIDE',
])('%s of the person goes along into a session', (name) => {
  expect(sessionEnvironment({ [name]: 'mine' })[name]).toBe('mine');
});

test('a session gets the certificates that the hook took away', () => {
  expect(sessionEnvironment({ UNTILDONE_EXTRA_CA_CERTS: '/ca.pem' }).NODE_EXTRA_CA_CERTS).toBe('/ca.pem');
});
