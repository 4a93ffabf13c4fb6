import { describe, expect, test } from 'vitest';
import { JsonRefused } from '../../../../src/engine/client/settings/json-text.ts';
import { addHooks, removeHooks } from '../../../../src/engine/client/settings/our-hooks.ts';
import { addSandbox, removeSandbox } from '../../../../src/engine/client/settings/our-sandbox.ts';

const PLAN = { choice: 'required', network: false } as const;

interface Settings {
  sandbox?: { enabled: boolean; allowUnsandboxedCommands: boolean; filesystem: { denyRead: string[] } };
  permissions?: { deny?: string[]; allow?: string[] };
}

const ORIGINALS: Record<string, string> = {
  'an empty object': '{}\n',
  'other settings': '{\n  "model": "opus"\n}\n',
  'other settings in one line': '{"model":"opus","permissions":{"allow":["Bash(ls:*)"]}}',
  'permissions without deny': '{\n  "permissions": {\n    "allow": ["Bash(ls:*)"]\n  }\n}\n',
  'an empty deny': '{\n  "permissions": {\n    "deny": []\n  }\n}\n',
  'empty permissions': '{\n  "permissions": {}\n}\n',
  'own denials': '{\n  "permissions": {\n    "deny": [\n      "Read(.env)"\n    ]\n  }\n}\n',
  'one of our rules': '{\n  "permissions": {\n    "deny": [\n      "Read(~/.ssh/**)"\n    ]\n  }\n}\n',
};

describe.each(Object.entries(ORIGINALS))('settings with %s', (_, original) => {
  const added = addSandbox(original, PLAN).text;

  test('get the sandbox and the rules for file tools, and keep everything else', () => {
    const { sandbox, permissions } = JSON.parse(added) as Settings;
    expect(sandbox).toMatchObject({
      enabled: true,
      failIfUnavailable: true,
      allowUnsandboxedCommands: false,
    });
    expect(sandbox?.filesystem.denyRead).toContain('~/.untildone');
    expect(permissions?.deny).toEqual(
      expect.arrayContaining(['Read(~/.untildone/**)', 'Edit(~/.untildone/**)']),
    );
    expect(new Set(permissions?.deny).size).toBe(permissions?.deny?.length);
    const before = JSON.parse(original) as Settings;
    expect(permissions?.allow).toEqual(before.permissions?.allow);
  });

  test('twice is the same as once', () => {
    expect(addSandbox(added, PLAN)).toEqual({ text: added });
  });

  test('are as before when it is taken out, beside our hooks, too', () => {
    expect(JSON.parse(removeSandbox(added, original))).toEqual(JSON.parse(original));
    const both = addSandbox(addHooks(original).text, PLAN).text;
    expect(JSON.parse(removeSandbox(removeHooks(both, original).text, original))).toEqual(
      JSON.parse(original),
    );
  });
});

test('what is allowed follows the contract', () => {
  const now = addSandbox('{}', { choice: 'preferred', network: true }).text;
  const later = JSON.parse(addSandbox(now, PLAN).text) as { sandbox: object };
  expect(JSON.parse(now)).toMatchObject({
    sandbox: { failIfUnavailable: false, network: { allowedDomains: ['*'] } },
  });
  expect(later.sandbox).toMatchObject({ failIfUnavailable: true });
  expect(later.sandbox).not.toHaveProperty('network');
});

test('a home elsewhere is hidden, and its rules go with the rest', () => {
  const plan = { ...PLAN, untildoneHome: '/data/.untildone' };
  const { text } = addSandbox('{}', plan);
  expect(text).toContain('"Edit(//data/.untildone/**)"');
  expect(JSON.parse(text)).toMatchObject({
    sandbox: { filesystem: { denyRead: expect.arrayContaining(['/data/.untildone', '~/.untildone']) } },
  });
  expect(JSON.parse(removeSandbox(text))).toEqual({});
  const yours = {
    permissions: { deny: ['Read(//srv/untildone-notes/**)', 'Edit(//srv/untildone-notes)'] },
  };
  const both = addSandbox(JSON.stringify(yours), plan).text;
  expect(JSON.parse(removeSandbox(both))).toEqual(yours);
});

test.each([
  [
    'whole',
    '{"sandbox":{"enabled":true,"allowUnsandboxedCommands":false,"filesystem":{"denyRead":["~/.untildone"],"denyWrite":["~/.untildone"]},"ripgrep":{"command":"rg"}}}',
  ],
  ['open', '{"sandbox":{"enabled":true}}'],
  ['open', '{"sandbox":{"enabled":false}}'],
  ['open', '{"sandbox":true}'],
])('your own sandbox stays, and it is said whether it is %s', (kept, original) => {
  const added = addSandbox(original, PLAN);
  expect(added.kept).toBe(kept);
  expect((JSON.parse(added.text) as Settings).sandbox).toEqual((JSON.parse(original) as Settings).sandbox);
  expect(JSON.parse(removeSandbox(added.text, original))).toEqual(JSON.parse(original));
});

test.each(['{"permissions":[]}', '{"permissions":{"deny":"x"}}'])('%s is refused, with its place', (text) => {
  expect(() => addSandbox(text, PLAN)).toThrow(JsonRefused);
});
