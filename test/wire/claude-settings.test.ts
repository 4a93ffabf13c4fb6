import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addHooks, maskEnv, removeHooks } from '../../src/wire/claude-settings.ts';
import { HOOK_LINE, OTHER_TOOLS_LINE, SESSION_START_LINE } from '../../src/wire/hook-line.ts';
import { JsonRefused } from '../../src/wire/json-text.ts';

interface Hook {
  type: string;
  command: string;
  timeout?: number;
}
interface Settings {
  hooks: Record<string, { matcher?: string; hooks: Hook[] }[]>;
  env: Record<string, string>;
  [key: string]: unknown;
}

const parse = (text: string) => JSON.parse(text.replace(/^\uFEFF/, '')) as Settings;
const lines = (...all: string[]) => all.join('\n');
const CAP = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP';
const OLD_LINE = '[ -e "$' + '{UNTILDONE_HOME:-$HOME/.untildone}/active/x" ] && . "$HOME/.untildone/hook.sh"';

const TIMEOUTS = {
  Stop: 3600,
  SubagentStop: 3600,
  SessionStart: 60,
  SessionEnd: 10,
  StopFailure: 60,
  PreToolUse: 60,
  PermissionRequest: 60,
  PreCompact: 60,
  ConfigChange: 60,
  UserPromptSubmit: 60,
  UserPromptExpansion: 60,
  TaskCreated: 3600,
  TaskCompleted: 3600,
  TeammateIdle: 3600,
  SubagentStart: 60,
};

/** For tools that change nothing; it ends before Node starts unless the project's rules speak of them. */
const OTHER_TOOLS = {
  matcher: '^(?!(?:Bash|Write|Edit|MultiEdit|NotebookEdit)$)',
  hooks: [{ type: 'command', command: OTHER_TOOLS_LINE, timeout: 60 }],
};

/** Every text that is a settings file of a person, in the manners that people have. */
const WRITTEN_BY_PEOPLE: Record<string, string> = {
  'two spaces': '{\n  "model": "opus",\n  "permissions": {\n    "allow": ["Bash(ls:*)"]\n  }\n}\n',
  'four spaces': '{\n    "model": "opus"\n}\n',
  tabs: '{\n\t"model": "opus",\n\t"permissions": {\n\t\t"allow": []\n\t}\n}\n',
  'twelve spaces': '{\n            "model": "opus"\n}\n',
  CRLF: '{\r\n  "model": "opus",\r\n  "env": {\r\n    "A": "1"\r\n  }\r\n}\r\n',
  'a byte order mark': '\uFEFF{\n  "model": "opus"\n}\n',
  'no final newline': '{\n  "model": "opus"\n}',
  'several final newlines': '{\n  "model": "opus"\n}\n\n\n',
  minified: '{"model":"opus","env":{"A":"1"}}',
  'one spaced line': '{"model": "opus", "env": {"A": "1"}}\n',
  'odd spacing': '{ "model"  :"opus" ,\n\n   "x":[1 ,2,\n3]   }\n',
  'a brace on the last line': '{\n  "model": "opus" }\n',
  'blank lines at the top': '\n\n{\n\n  "model": "opus"\n}\n',
  'escapes and numbers kept as written': '{\n  "a": "\\u00e9\\/",\n  "b": 1.0e2,\n  "c": -0\n}\n',
  'hooks of others': lines(
    '{',
    '  "hooks": {',
    '    "Stop": [',
    '      {',
    '        "hooks": [{ "type": "command", "command": "say done" }]',
    '      }',
    '    ],',
    '    "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "fmt"}]}]',
    '  }',
    '}',
    '',
  ),
  'groups that share lines with their brackets': lines(
    '{',
    '  "hooks": {',
    '    "Stop": [{',
    '      "hooks": [{',
    '        "type": "command",',
    '        "command": "say done"',
    '      }]',
    '    }]',
    '  }',
    '}',
  ),
};

describe('adding', () => {
  test('a file that does not exist becomes one with exactly the planned hooks and no cap', () => {
    const { text, changed, hooksDisabled, capKept } = addHooks(undefined);
    expect({ changed, hooksDisabled, capKept }).toEqual({
      changed: true,
      hooksDisabled: false,
      capKept: undefined,
    });
    const settings = parse(text);
    expect(Object.keys(settings)).toEqual(['hooks', 'env']);
    expect(settings.env).toEqual({ [CAP]: '0' });
    expect(Object.keys(settings.hooks)).toEqual(Object.keys(TIMEOUTS));
    for (const [event, timeout] of Object.entries(TIMEOUTS)) {
      const command = event === 'SessionStart' ? SESSION_START_LINE : HOOK_LINE;
      const matcher = event === 'PreToolUse' ? { matcher: 'Bash|Write|Edit|MultiEdit|NotebookEdit' } : {};
      expect(settings.hooks[event]).toEqual([
        { ...matcher, hooks: [{ type: 'command', command, timeout }] },
        ...(event === 'PreToolUse' ? [OTHER_TOOLS] : []),
      ]);
    }
  });

  test('a new file is written with two spaces and a final newline', () => {
    const { text } = addHooks(undefined);
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  });

  test('judged events get the timeout of the plan, the others keep theirs', () => {
    const { hooks } = parse(addHooks(undefined, { judgeTimeout: 7200 }).text);
    const timeouts = Object.entries(hooks).map(([event, groups]) => [event, groups[0]?.hooks[0]?.timeout]);
    const expected = Object.entries(TIMEOUTS).map(([event, timeout]) => [
      event,
      timeout === 3600 ? 7200 : timeout,
    ]);
    expect(timeouts).toEqual(expected);
  });

  test.each(['', ' \n', '\uFEFF', '\uFEFF\r\n'])(
    'an empty file (%j) is filled, its byte order mark kept',
    (text) => {
      const added = addHooks(text);
      expect(added.text.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
      expect(parse(added.text)).toEqual(parse(addHooks(undefined).text));
    },
  );

  test.each(Object.entries(WRITTEN_BY_PEOPLE))(
    'with %s: every other setting, the mark at the start and the end of the file stay',
    (_name, text) => {
      const added = addHooks(text).text;
      expect(parse(added)).toMatchObject(withoutHooks(parse(text)));
      expect(added.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
      expect(/[}\r\n]*$/.exec(added)?.[0].replace(/^}+/, '')).toBe(
        /[}\r\n]*$/.exec(text)?.[0].replace(/^}+/, ''),
      );
    },
  );

  test.each(Object.entries(WRITTEN_BY_PEOPLE))(
    'with %s: taking out gives the same bytes back',
    (_name, text) => {
      expect(removeHooks(addHooks(text).text, text)).toEqual({ text, changed: true });
      expect(removeHooks(addHooks(text).text).text).toBe(text);
    },
  );

  test.each(Object.entries(WRITTEN_BY_PEOPLE))('with %s: twice is the same as once', (_name, text) => {
    const once = addHooks(text).text;
    expect(addHooks(once)).toMatchObject({ text: once, changed: false });
  });

  test('takes over the indentation and the line ends of the file', () => {
    const tabs = addHooks('{\n\t"model": "opus"\n}\n').text;
    expect(tabs.split('\n').filter((line) => /^ /.test(line))).toEqual([]);
    expect(tabs).toContain('\n\t\t"Stop": [\n\t\t\t{\n\t\t\t\t"hooks": [\n');
    const crlf = addHooks('{\r\n    "model": "opus"\r\n}').text;
    expect(crlf.split('\r\n').join('')).not.toMatch(/[\r\n]/);
    expect(crlf).toContain('\r\n        "Stop": [\r\n            {\r\n');
    const minified = addHooks('{"model":"opus"}').text;
    expect(minified).toBe(JSON.stringify(JSON.parse(minified)));
    expect(addHooks('{"model": "opus"}').text).not.toMatch(/[\r\n]/);
  });

  test('the exact text beside the hooks of others', () => {
    const added = addHooks(WRITTEN_BY_PEOPLE['hooks of others']).text;
    const command = JSON.stringify(HOOK_LINE);
    expect(added.slice(0, added.indexOf('    "SubagentStop"'))).toBe(
      lines(
        '{',
        '  "hooks": {',
        '    "Stop": [',
        '      {',
        '        "hooks": [{ "type": "command", "command": "say done" }]',
        '      },',
        '      {',
        '        "hooks": [',
        '          {',
        '            "type": "command",',
        `            "command": ${command},`,
        '            "timeout": 3600',
        '          }',
        '        ]',
        '      }',
        '    ],',
        '    "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "fmt"}]}],',
        '',
      ),
    );
    expect(added.slice(added.lastIndexOf('  },\n  "env"'))).toBe(
      lines('  },', '  "env": {', `    "${CAP}": "0"`, '  }', '}', ''),
    );
  });

  test('a group on one line gets its neighbour on that line', () => {
    const added = addHooks('{\n  "hooks": {\n    "Stop": [{"hooks": []}]\n  }\n}\n').text;
    const command = JSON.stringify(HOOK_LINE);
    const group = `{"hooks": [{"type": "command", "command": ${command}, "timeout": 3600}]}`;
    expect(added).toContain(`    "Stop": [{"hooks": []}, ${group}],\n`);
  });

  test('an older line of ours is replaced where it stands, and what was added to it stays', () => {
    const before = JSON.stringify(
      {
        hooks: {
          Stop: [
            { hooks: [{ type: 'command', command: 'first' }] },
            { hooks: [{ type: 'command', command: OLD_LINE, timeout: 5, statusMessage: 'judging' }] },
            { hooks: [{ type: 'command', command: 'last' }] },
          ],
        },
      },
      null,
      2,
    );
    const { Stop } = parse(addHooks(before).text).hooks;
    expect(Stop).toEqual([
      { hooks: [{ type: 'command', command: 'first' }] },
      { hooks: [{ type: 'command', command: HOOK_LINE, timeout: 3600, statusMessage: 'judging' }] },
      { hooks: [{ type: 'command', command: 'last' }] },
    ]);
    expect(addHooks(before).text).toBe(
      addHooks(
        before
          .replace(JSON.stringify(OLD_LINE), JSON.stringify(HOOK_LINE))
          .replace('"timeout": 5', '"timeout": 3600'),
      ).text,
    );
  });

  test('ours twice in one event becomes once, and ours in an event that is not planned goes', () => {
    const ours = { type: 'command', command: OLD_LINE };
    const before = JSON.stringify({
      hooks: {
        Stop: [{ hooks: [ours, { type: 'command', command: 'theirs' }] }, { hooks: [ours] }],
        PostToolBatch: [{ hooks: [ours] }],
        PostToolUse: [{ matcher: '*', hooks: [ours, { type: 'command', command: 'theirs' }] }],
      },
    });
    const { hooks } = parse(addHooks(before).text);
    expect(JSON.stringify(hooks.Stop?.map((group) => group.hooks.map((hook) => hook.command)))).toBe(
      JSON.stringify([[HOOK_LINE, 'theirs']]),
    );
    expect(hooks.PostToolBatch).toBeUndefined();
    expect(hooks.PostToolUse).toEqual([{ matcher: '*', hooks: [{ type: 'command', command: 'theirs' }] }]);
  });

  test('a wrong matcher is put right, but never that of a group we share', () => {
    const ours = { type: 'command', command: HOOK_LINE, timeout: 60 };
    const theirs = { type: 'command', command: 'theirs' };
    const right = { matcher: 'Bash|Write|Edit|MultiEdit|NotebookEdit', hooks: [ours] };
    const alone = JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [ours] }] } });
    expect(parse(addHooks(alone).text).hooks.PreToolUse).toEqual([right, OTHER_TOOLS]);
    const shared = JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [theirs, ours] }] } });
    expect(parse(addHooks(shared).text).hooks.PreToolUse).toEqual([
      { matcher: 'Bash', hooks: [theirs] },
      right,
      OTHER_TOOLS,
    ]);
    const needless = JSON.stringify({ hooks: { PreCompact: [{ matcher: 'auto', hooks: [ours] }] } });
    expect(parse(addHooks(needless).text).hooks.PreCompact).toEqual([{ hooks: [ours] }]);
  });

  test.each(['"3"', '"200"', '5', '""'])('a cap of %s that the user chose stays and is reported', (cap) => {
    const before = `{"env":{"${CAP}":${cap}}}`;
    const added = addHooks(before);
    expect(added.capKept).toBe(cap);
    expect(added.text).toContain(`"env":{"${CAP}":${cap}}`);
    expect(removeHooks(added.text, before).text).toBe(before);
  });

  test('says when the file switches all hooks off', () => {
    expect(addHooks('{"disableAllHooks": true}').hooksDisabled).toBe(true);
    expect(addHooks('{"disableAllHooks": false}').hooksDisabled).toBe(false);
  });
});

describe('refusing', () => {
  test.each([
    ['a line comment', '{\n  // mine\n  "a": 1\n}', 2, 3, 'a comment; remove it'],
    ['a block comment', '{\n  "a": 1 /* mine */\n}', 2, 10, 'a comment; remove it'],
    ['a comment before everything', '// mine\n{}', 1, 1, 'a comment; remove it'],
    ['a comment after a byte order mark', '\uFEFF// mine\n{}', 1, 1, 'a comment; remove it'],
    ['a comment after CRLF lines', '{\r\n  "a": 1,\r\n  // x\r\n  "b": 1}', 3, 3, 'a comment; remove it'],
    ['a trailing comma in an object', '{\n  "a": 1,\n}', 3, 1, 'a comma with nothing after it'],
    ['a trailing comma in an array', '{"a": [1, 2,\n]}', 2, 1, 'a comma with nothing after it'],
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 3, 3, 'not JSON'],
    ['a missing brace', '{\n  "a": 1\n', 3, 1, 'not JSON'],
    ['text after the end', '{}\nmore', 2, 1, 'not JSON'],
    ['single quotes', "{'a': 1}", 1, 2, 'not JSON'],
    ['a raw tab in a string', '{"a": "\t"}', 1, 7, 'not JSON'],
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
    ['an env that is an array', '{"env": []}', 1, 9, 'env must be an object'],
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
    expect(JSON.parse(removeHooks(addHooks('{"hooks":{"Stop":[]},"env":{}}').text).text)).toEqual({});
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

  test('what the user added since stays', () => {
    const added = JSON.parse(addHooks('{"model":"opus"}').text) as Settings;
    added.hooks.Stop?.push({ hooks: [{ type: 'command', command: 'new' }] });
    added.hooks.PreToolUse?.[0]?.hooks.push({ type: 'command', command: 'beside ours' });
    added.env.OTHER = 'x';
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
    const changed = addHooks('{}').text.replace(`"${CAP}": "0"`, `"${CAP}": "12"`);
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
      { numRuns: 150 },
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
      { numRuns: 150 },
    );
  });
});

function withoutHooks({ hooks: _hooks, ...others }: Settings): Record<string, unknown> {
  return others;
}
