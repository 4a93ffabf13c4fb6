import { describe, expect, test } from 'vitest';
import { JsonRefused } from '../../../../src/engine/client/settings/json-text.ts';
import { foreignHooks, withoutForeignHooks } from '../../../../src/engine/client/settings/other-hooks.ts';
import { addHooks } from '../../../../src/engine/client/settings/our-hooks.ts';

const SETTINGS = `{
  "model": "opus",
  "hooks": {
    "Stop": [
      {
        "matcher": "",
        "hooks": [
          { "type": "command", "command": "npm test", "timeout": 120 },
          { "type": "prompt", "prompt": "Done? $ARGUMENTS", "model": "haiku" }
        ]
      },
      { "hooks": [{ "type": "command", "command": "say done", "async": true }] }
    ],
    "SessionStart": [
      { "matcher": "startup", "hooks": [{ "type": "command", "command": "cat MEMORY.md" }] }
    ],
    "PostToolUse": [
      { "matcher": "Edit", "hooks": [{ "type": "command", "command": "prettier --write", "if": "Edit(*.ts)" }] }
    ]
  },
  "env": { "A": "1" }
}
`;

describe('the hooks of others', () => {
  test('are found with what they are and where they stand', () => {
    const place = '.claude/settings.json';
    expect(foreignHooks(SETTINGS, place)).toEqual([
      {
        event: 'Stop',
        matcher: '',
        type: 'command',
        command: 'npm test',
        timeout: 120,
        background: false,
        place,
        group: 0,
        index: 0,
      },
      {
        event: 'Stop',
        matcher: '',
        type: 'prompt',
        prompt: 'Done? $ARGUMENTS',
        model: 'haiku',
        background: false,
        place,
        group: 0,
        index: 1,
      },
      {
        event: 'Stop',
        matcher: '',
        type: 'command',
        command: 'say done',
        background: true,
        place,
        group: 1,
        index: 0,
      },
      {
        event: 'SessionStart',
        matcher: 'startup',
        type: 'command',
        command: 'cat MEMORY.md',
        background: false,
        place,
        group: 0,
        index: 0,
      },
      {
        event: 'PostToolUse',
        matcher: 'Edit',
        type: 'command',
        command: 'prettier --write',
        condition: 'Edit(*.ts)',
        background: false,
        place,
        group: 0,
        index: 0,
      },
    ]);
  });

  test('are not ours', () => {
    const { text } = addHooks(SETTINGS);
    expect(foreignHooks(text, 'x')).toEqual(foreignHooks(SETTINGS, 'x'));
    expect(foreignHooks(addHooks(undefined).text, 'x')).toEqual([]);
  });

  test('with arguments are one command line', () => {
    const args = ['$' + '{CLAUDE_PROJECT_DIR}/a b.py', "it's", '--x=1'];
    const hook = { type: 'command', command: 'python3', args };
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }] } });
    expect(foreignHooks(text, 'x')[0]?.command).toBe(`python3 './a b.py' 'it'\\''s' --x=1`);
  });

  test.each([
    '',
    '{}',
    '{"hooks": null}',
    '{"hooks": {"Stop": {}}}',
    '{"hooks": {"Stop": [1, {"hooks": [2]}]}}',
  ])('of %j there are none', (text) => {
    expect(foreignHooks(text, 'x')).toEqual([]);
  });

  test('in a text that is not JSON are not guessed', () => {
    expect(() => foreignHooks('{ // mine\n}', 'x')).toThrow(JsonRefused);
  });
});

describe('taking them out', () => {
  const taken = (which: (hook: { event: string; command?: string }) => boolean, text = SETTINGS) =>
    withoutForeignHooks(text, foreignHooks(text, 'x').filter(which));

  test('leaves the others, and every other byte', () => {
    const text = taken(({ command }) => command === 'npm test');
    expect(text).toBe(
      SETTINGS.replace(/\{ "type": "command", "command": "npm test", "timeout": 120 \},\s*/, ''),
    );
  });

  test('takes what becomes empty along', () => {
    expect(JSON.parse(taken(({ event }) => event === 'Stop')).hooks).toEqual({
      SessionStart: [{ matcher: 'startup', hooks: [{ type: 'command', command: 'cat MEMORY.md' }] }],
      PostToolUse: expect.anything(),
    });
    expect(JSON.parse(taken(() => true))).toEqual({ model: 'opus', env: { A: '1' } });
    expect(JSON.parse(taken(({ command }) => command !== 'npm test')).hooks).toEqual({
      Stop: [{ matcher: '', hooks: [{ type: 'command', command: 'npm test', timeout: 120 }] }],
    });
  });

  test('leaves ours where they are', () => {
    const { text } = addHooks(SETTINGS);
    const rest = taken(() => true, text);
    expect(foreignHooks(rest, 'x')).toEqual([]);
    expect(addHooks(rest).changed).toBe(false);
  });
});
