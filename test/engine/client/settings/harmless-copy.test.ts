import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { harmlessCopy, reachesOut } from '../../../../src/engine/client/settings/harmless-copy.ts';
import { addHooks } from '../../../../src/engine/client/settings/our-hooks.ts';

const OURS = JSON.parse(addHooks(undefined).text) as { hooks: Record<string, unknown> };
const NOTHING = { type: 'command', command: ':' };
const copyOf = (settings: unknown) => JSON.parse(harmlessCopy(JSON.stringify(settings)));

test('our hooks, and what switches hooks off, stay as they are', () => {
  const settings = {
    ...OURS,
    disableAllHooks: true,
    permissions: { deny: ['Bash'] },
    $schema: 'x',
    later: [1],
  };
  expect(copyOf(settings)).toEqual(settings);
});

describe('what could run, log in, or write elsewhere is taken away', () => {
  test.each<[string, unknown, unknown]>([
    ['a helper', { apiKeyHelper: 'a', awsAuthRefresh: 'b', otelHeadersHelper: 'c', someNewCommand: 'd' }, {}],
    ['a folder', { autoMemoryDirectory: '/a', plansDirectory: '/b' }, {}],
    ['a login', { forceLoginMethod: 'console', forceLoginOrgUUID: 'x' }, {}],
    ['plugins', { enabledPlugins: { a: true, b: ['1'] } }, { enabledPlugins: { a: false, b: false } }],
    ['marketplaces', { extraKnownMarketplaces: { a: {} } }, { extraKnownMarketplaces: {} }],
    [
      'a status line',
      { statusLine: { type: 'command', command: 'rm', padding: 1 } },
      { statusLine: { ...NOTHING, padding: 1 } },
    ],
    [
      'variables, but for the cap on blocks',
      {
        env: {
          ANTHROPIC_API_KEY: 'k',
          UNTILDONE_HOME: '/h',
          HOME: '/x',
          PATH: '/p',
          NODE_OPTIONS: '-r x',
          BASH_ENV: '/x',
          NODE_PATH: '/x',
          LC_ALL: '/x',
          CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '3',
        },
      },
      { env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '3' } },
    ],
    ['a cap that is none', { env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '$(id)' } }, { env: {} }],
    [
      'programs and folders deeper in',
      {
        sandbox: { enabled: true, ripgrep: { command: 'x' }, bwrapPath: '/x' },
        permissions: { allow: ['Bash'], additionalDirectories: ['/x'], later: ['/x'] },
        mcpServers: { a: { command: 'x' } },
        agents: ['/x'],
      },
      {
        sandbox: { enabled: true },
        permissions: { allow: ['Bash'], additionalDirectories: [], later: [] },
      },
    ],
    [
      'hooks of others',
      {
        hooks: {
          Stop: [
            {
              matcher: 'x',
              hooks: [
                { type: 'command', command: 'rm -rf /', args: ['a'], timeout: 5 },
                { type: 'http', url: 'https://example.com' },
                { type: 'prompt', prompt: 'p' },
                { type: 'agent', prompt: 'p' },
                { type: 'mcp_tool', server: 's', tool: 't' },
                { type: 'of the future', does: 'what?' },
              ],
            },
          ],
        },
      },
      { hooks: { Stop: [{ matcher: 'x', hooks: Array(6).fill(NOTHING) }] } },
    ],
  ])('%s', (_, settings, expected) => {
    expect(copyOf(settings)).toEqual(expected);
  });
});

test.each<[string, unknown]>([
  ['a helper that is a number', { apiKeyHelper: 5 }],
  ['permissions that are a number', { permissions: 5 }],
  ['an event that is a text', { hooks: { PreToolUse: 'x' } }],
  [
    'groups that are none',
    { hooks: { Stop: [5, { hooks: 'x' }, { hooks: [7, { type: 'command', command: 5 }] }] } },
  ],
  ['hooks that are a list', { hooks: [] }],
  ['a plugin that is a number', { enabledPlugins: { a: 5 } }],
  ['a list', []],
  ['null', null],
])('what makes Claude Code ignore the file stays: %s', (_, settings) => {
  expect(copyOf(settings)).toEqual(settings);
});

test('a variable of a wrong form keeps its form, and loses its name', () => {
  expect(copyOf({ env: { CLAUDE_CODE_USE_BEDROCK: 1 } })).toEqual({ env: { UNTILDONE_LEFT_OUT_0: 1 } });
});

test.each([
  ['', ''],
  [' \n', ''],
  ['\uFEFF{"a":1}', '{\n  "a": 1\n}'],
  ['{ // a comment\n "env": {"ANTHROPIC_BASE_URL": "http://x"} }', '{'],
])('the text %j', (text, expected) => {
  expect(harmlessCopy(text)).toBe(expected);
});

test('a copy of a copy is the same', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const once = harmlessCopy(text);
      expect(harmlessCopy(once)).toBe(once);
    }),
  );
});

test.each<[object, string | undefined]>([
  [{}, undefined],
  [
    { ...OURS, disableAllHooks: true, permissions: {}, model: 'x', env: { DISABLE_TELEMETRY: '1' } },
    undefined,
  ],
  [{ enabledPlugins: { a: false } }, undefined],
  [{ enabledPlugins: { a: true } }, 'the plugin a'],
  [{ apiKeyHelper: 'x' }, '"apiKeyHelper"'],
  [{ env: { ANTHROPIC_BASE_URL: 'x' } }, '"env": "ANTHROPIC_BASE_URL"'],
  [{ env: { https_proxy: 'x' } }, '"env": "https_proxy"'],
  [{ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'audit' }] }] } }, 'a hook for Stop'],
])('%j reaches out by %s', (settings, expected) => {
  expect(reachesOut({ ...settings })).toBe(expected);
});
