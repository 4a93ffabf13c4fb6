import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonRefused } from '../../../../src/engine/client/settings/json-text.ts';
import { addHooks, maskEnv, removeHooks } from '../../../../src/engine/client/settings/our-hooks.ts';
import { hookLine } from '../../../../src/engine/home/hook-line.ts';
import { olderLines } from '../../../../src/engine/home/older-lines.ts';
import { CAP, parse, type Settings, TIMEOUTS, withoutHooks } from '../../../support/client/settings-text.ts';
import { rounds } from '../../../support/long.ts';

describe('refusing', () => {
  test.each([
    ['a line comment', '{\n  // mine\n  "a": 1\n}', 2, 3, 'a comment; remove it'],
    ['a block comment', '{\n  "a": 1 /* mine */\n}', 2, 10, 'a comment; remove it'],
    ['a comment before everything', '// mine\n{}', 1, 1, 'a comment; remove it'],
    ['a comment after a byte order mark', '\uFEFF// mine\n{}', 1, 1, 'a comment; remove it'],
    ['a comment after CRLF lines', '{\r\n  "a": 1,\r\n  // x\r\n  "b": 1}', 3, 3, 'a comment; remove it'],
    ['a trailing comma in an object', '{\n  "a": 1,\n}', 3, 1, 'a comma with nothing after it'],
    ['a trailing comma in an array', '{"a": [1, 2,\n]}', 2, 1, 'a comma with nothing after it'],
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 3, 3, 'not JSON: a comma is missing'],
    ['a missing brace', '{\n  "a": 1\n', 3, 1, 'not JSON: a closing } is missing'],
    ['text after the end', '{}\nmore', 2, 1, 'not JSON: a word or sign that JSON does not know'],
    ['single quotes', "{'a': 1}", 1, 2, 'texts stand in double quotes'],
    ['a raw tab in a string', '{"a": "\t"}', 1, 7, 'not JSON: a control character in a text'],
    ['an array', '\n[]', 2, 1, 'the settings must be an object'],
    ['a string', '"x"', 1, 1, 'the settings must be an object'],
    ['null', 'null', 1, 1, 'the settings must be an object'],
    ['hooks that are an array', '{\n  "hooks": []\n}', 2, 12, 'hooks must be an object, { ... }, not array'],
    ['hooks that are null', '{"hooks": null}', 1, 11, 'hooks must be an object'],
    ['an event that is an object', '{"hooks": {"Stop": {}}}', 1, 20, 'hooks.Stop must be an array'],
    ['a group that is a string', '{"hooks": {"Stop": ["x"]}}', 1, 21, 'hooks.Stop[0] must be an object'],
    ['a group without hooks', '{"hooks": {"Stop": [{}]}}', 1, 21, 'hooks.Stop[0] has no "hooks" array'],
    [
      'a group whose hooks are an object',
      '{"hooks": {"Stop": [{"hooks": {}}]}}',
      1,
      31,
      'hooks.Stop[0].hooks must be an array',
    ],
    [
      'a hook that is a string',
      '{"hooks": {"Stop": [{"hooks": ["x"]}]}}',
      1,
      32,
      'hooks.Stop[0].hooks[0] must be an object',
    ],
    ['the same key twice', '{"hooks": {},\n "hooks": {}}', 2, 2, 'the key "hooks" stands twice'],
    ['the same event twice', '{"hooks": {"Stop": [], "Stop": []}}', 1, 24, 'the key "Stop" stands twice'],
  ])('%s, with line and column', (_name, text, line, column, message) => {
    let refused: unknown;
    try {
      addHooks(text);
    } catch (cause) {
      refused = cause;
    }
    expect(refused).toBeInstanceOf(JsonRefused);
    expect(refused).toMatchObject({ line, column, message: expect.stringContaining(message) });
  });

  test('an odd shape under an event that is not ours is nobody’s business', () => {
    const text = '{"hooks":{"SomethingNew":{"a":1}}}';
    expect(parse(addHooks(text).text).hooks.SomethingNew).toEqual({ a: 1 });
    expect(removeHooks(addHooks(text).text).text).toBe(text);
  });
});

describe('taking out', () => {
  test.each([
    '{}',
    '{"hooks":{}}',
    '{"hooks":{"Stop":[]}}',
    '{"env":{}}',
    '{"hooks":{"Stop":[]},"env":{}}',
    `{"env":{"${CAP}":"0"}}`,
  ])('what the user had in %s stays when it is known', (before) => {
    expect(parse(removeHooks(addHooks(before).text, before).text)).toEqual(JSON.parse(before));
  });

  test('without knowledge of the original, whatever ours leave empty goes', () => {
    expect(JSON.parse(removeHooks(addHooks('{"hooks":{"Stop":[]}}').text).text)).toEqual({});
  });

  test('a file without ours is not touched, its cap and empty containers included', () => {
    for (const text of [
      '',
      '{}',
      '{"hooks":{}, "env":{}}',
      `{"env":{"${CAP}":"0"}}`,
      '[1]',
      '"x"',
      '{"hooks":{"Stop":3}}',
    ]) {
      expect(removeHooks(text)).toEqual({ text, changed: false });
    }
  });

  const LOOKALIKES = [
    `${hookLine('Stop')}; say done`,
    'id; : UNTILDONE_HOME /.untildone /hook.sh',
    '. "$' + '{UNTILDONE_HOME:-$HOME/.untildone}/mine/hook.sh"',
  ];

  test.each(LOOKALIKES)('a hook of yours that only looks like ours stays: %s', (command) => {
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
    expect(removeHooks(text)).toEqual({ text, changed: false });
    const added = addHooks(text);
    expect(parse(added.text).hooks.Stop?.[0]?.hooks).toEqual([{ type: 'command', command }]);
    expect(JSON.parse(removeHooks(added.text, text).text)).toEqual(JSON.parse(text));
  });

  test.each(olderLines().map(([line, at]) => [at, line]))('of any version: at %s: %s', (_, command) => {
    const yours = { type: 'command', command: 'mine' };
    const text = JSON.stringify({
      hooks: { Stop: [{ hooks: [yours] }, { hooks: [{ ...yours, command }] }] },
    });
    expect(JSON.parse(removeHooks(text).text)).toEqual({ hooks: { Stop: [{ hooks: [yours] }] } });
  });

  test('what the user added since stays', () => {
    const added = JSON.parse(addHooks('{"model":"opus"}').text) as Settings;
    added.hooks.Stop?.push({ hooks: [{ type: 'command', command: 'new' }] });
    added.hooks.PreToolUse?.[0]?.hooks.push({ type: 'command', command: 'beside ours' });
    added.env = { OTHER: 'x' };
    const rest = removeHooks(JSON.stringify(added, null, 2), '{"model":"opus"}').text;
    expect(JSON.parse(rest)).toEqual({
      model: 'opus',
      hooks: {
        Stop: [{ hooks: [{ type: 'command', command: 'new' }] }],
        PreToolUse: [
          {
            matcher: 'Bash|Write|Edit|MultiEdit|NotebookEdit',
            hooks: [{ type: 'command', command: 'beside ours' }],
          },
        ],
      },
      env: { OTHER: 'x' },
    });
  });

  test('a cap that the user changed since is theirs', () => {
    const changed = JSON.stringify({ ...JSON.parse(addHooks('{}').text), env: { [CAP]: '12' } });
    expect(JSON.parse(removeHooks(changed, '{}').text)).toEqual({ env: { [CAP]: '12' } });
  });

  test('is refused for a text that is no JSON', () => {
    expect(() => removeHooks('{ // mine\n}')).toThrow(JsonRefused);
  });
});

test('the values of env are hidden for a diff, all but the cap', () => {
  const text = `{\n  "model": "opus",\n  "env": {\n    "KEY": "sk-1",\n    "N": 5,\n    "${CAP}": "0"\n  }\n}\n`;
  expect(maskEnv(text)).toBe(text.replace('"sk-1"', '"***"').replace('5', '"***"'));
  expect(maskEnv('{"env": 3}')).toBe('{"env": 3}');
});

describe('for any settings', () => {
  const hook = fc.record(
    { type: fc.constant('command'), command: fc.string(), timeout: fc.nat() },
    { requiredKeys: ['type', 'command'] },
  );
  const group = fc.record(
    { matcher: fc.string(), hooks: fc.array(hook, { maxLength: 3 }) },
    { requiredKeys: ['hooks'] },
  );
  const event = fc.constantFrom(...Object.keys(TIMEOUTS), 'PostToolUse', 'Notification', '__proto__');
  const settings = fc
    .record(
      {
        hooks: fc.dictionary(event, fc.array(group, { maxLength: 3 })),
        env: fc.dictionary(fc.oneof(fc.string(), fc.constant(CAP)), fc.oneof(fc.string(), fc.constant('0'))),
        disableAllHooks: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .chain((known) => fc.dictionary(fc.string(), fc.jsonValue()).map((others) => ({ ...others, ...known })))
    .filter((value) => !JSON.stringify(value).includes('UNTILDONE_HOME'));
  const written = fc
    .tuple(
      settings,
      fc.constantFrom(undefined, 1, 2, 4, '\t'),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.boolean(),
    )
    .map(([value, indent, eol, mark, end]) => {
      const text = JSON.stringify(value, null, indent).replaceAll('\n', eol);
      return `${mark ? '\uFEFF' : ''}${text}${end ? eol : ''}`;
    });

  test('taking out what was added leaves the same bytes', () => {
    fc.assert(
      fc.property(written, (text) => {
        expect(removeHooks(addHooks(text).text, text).text).toBe(text);
      }),
      { numRuns: rounds(150, 30) },
    );
  });

  test('adding keeps every other setting, every other hook in its order, and is idempotent', () => {
    fc.assert(
      fc.property(written, (text) => {
        const once = addHooks(text).text;
        expect(addHooks(once).text).toBe(once);
        const [before, after] = [parse(text), parse(once)];
        expect(withoutHooks(after)).toMatchObject(withoutHooks(before));
        for (const [name, groups] of Object.entries(before.hooks ?? {})) {
          expect(after.hooks[name]?.slice(0, groups.length)).toEqual(groups);
        }
        for (const name of Object.keys(TIMEOUTS)) {
          const ours = after.hooks[name]
            ?.flatMap((each) => each.hooks)
            .filter((each) => each.command.includes('/hook.sh'));
          expect(ours).toHaveLength(name === 'PreToolUse' ? 2 : 1);
        }
      }),
      { numRuns: rounds(150, 30) },
    );
  });
});
