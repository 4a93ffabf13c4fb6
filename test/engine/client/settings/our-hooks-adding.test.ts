import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addHooks, hasOurCap, removeHooks } from '../../../../src/engine/client/settings/our-hooks.ts';
import type { KnownEventName } from '../../../../src/engine/core/loop/event.ts';
import { HOOK_LINE, hookLine, OTHER_TOOLS_LINE } from '../../../../src/engine/home/hook-line.ts';
import { olderLines } from '../../../../src/engine/home/older-lines.ts';
import { CAP, parse, STATUS, TIMEOUTS, withoutHooks } from '../../../support/client/settings-text.ts';

const lines = (...all: string[]) => all.join('\n');
const OLD_LINE = olderLines()[0]?.[0] ?? '';

/** The group for tools that change nothing. Its line ends before Node starts unless rules concern such tools. */
const OTHER_TOOLS = {
  matcher: '^(?!(?:Bash|Write|Edit|MultiEdit|NotebookEdit)$)',
  hooks: [{ type: 'command', command: OTHER_TOOLS_LINE, timeout: 60 }],
};

/** Settings files in the styles that people write. */
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
  test('a file that does not exist becomes one with exactly the planned hooks', () => {
    const { text, ...said } = addHooks(undefined);
    expect(said).toEqual({ changed: true, hooksDisabled: false, capKept: undefined, capRemoved: false });
    const settings = parse(text);
    expect(Object.keys(settings)).toEqual(['hooks']);
    expect(Object.keys(settings.hooks)).toEqual(Object.keys(TIMEOUTS));
    for (const [event, timeout] of Object.entries(TIMEOUTS)) {
      const command = hookLine(event as KnownEventName);
      const shown = timeout === 3600 ? { statusMessage: STATUS } : {};
      const matcher = event === 'PreToolUse' ? { matcher: 'Bash|Write|Edit|MultiEdit|NotebookEdit' } : {};
      expect(settings.hooks[event]).toEqual([
        { ...matcher, hooks: [{ type: 'command', command, timeout, ...shown }] },
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
        '            "timeout": 3600,',
        `            "statusMessage": "${STATUS}"`,
        '          }',
        '        ]',
        '      }',
        '    ],',
        '    "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "fmt"}]}],',
        '',
      ),
    );
  });

  test('a group on one line gets its neighbour on that line', () => {
    const added = addHooks('{\n  "hooks": {\n    "Stop": [{"hooks": []}]\n  }\n}\n').text;
    const command = JSON.stringify(HOOK_LINE);
    const group = `{"hooks": [{"type": "command", "command": ${command}, "timeout": 3600, "statusMessage": "${STATUS}"}]}`;
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

  test.each([{ if: 'Bash(x)' }, { async: true }, { args: ['x'], shell: 'x' }])(
    'what keeps ours from running goes: %j',
    (more) => {
      const settings = parse(addHooks(undefined).text);
      Object.assign(settings.hooks.Stop?.[0]?.hooks[0] ?? {}, more);
      expect(parse(addHooks(JSON.stringify(settings)).text)).toEqual(parse(addHooks(undefined).text));
    },
  );

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
    const ours = { type: 'command', command: hookLine('PreToolUse'), timeout: 60 };
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
    expect(parse(addHooks(needless).text).hooks.PreCompact).toEqual([
      { hooks: [{ ...ours, command: hookLine('PreCompact') }] },
    ]);
  });

  test.each(['"3"', '"200"', '5', '""', '"0"'])(
    'a cap of %s that the user chose stays and is reported',
    (cap) => {
      const before = `{"env":{"${CAP}":${cap}}}`;
      const added = addHooks(before);
      expect(added.capKept).toBe(cap);
      expect(added.text).toContain(`"env":{"${CAP}":${cap}}`);
      expect(removeHooks(added.text, before).text).toBe(before);
    },
  );

  describe('the cap that an older version wrote', () => {
    const old = readFileSync(join(import.meta.dirname, '../../../fixtures/settings/0.1.0.json'), 'utf8');
    const withCap = (env: object) => JSON.stringify({ ...JSON.parse(old), env }, null, 2);

    test('goes when the hooks are written again, and all lines become those of today', () => {
      expect(old).toContain(`"${CAP}": "0"`);
      const added = addHooks(old);
      expect(added).toMatchObject({ text: addHooks(undefined).text, capRemoved: true });
      expect(addHooks(added.text)).toMatchObject({ changed: false, capRemoved: false });
      expect(hasOurCap(old)).toBe(true);
      expect(hasOurCap(added.text)).toBe(false);
    });

    test('goes with the hooks, whether the file before them is known or not', () => {
      for (const original of [undefined, '', '{}'])
        expect(JSON.parse(removeHooks(old, original).text)).toEqual({});
      expect(JSON.parse(removeHooks(old, '{"env":{}}').text)).toEqual({ env: {} });
    });

    test('leaves everything else in env', () => {
      const { env } = parse(addHooks(withCap({ A: '1', [CAP]: '0', B: '2' })).text);
      expect(env).toEqual({ A: '1', B: '2' });
    });

    test('is not ours where the file had it before, where it has another value, or without our hooks', () => {
      const mine = `{"env":{"${CAP}":"0"}}`;
      expect(addHooks(old, {}, mine)).toMatchObject({ capRemoved: false, capKept: '"0"' });
      const since = JSON.stringify({ ...parse(addHooks(undefined).text), env: { [CAP]: '0' } });
      expect(addHooks(since)).toMatchObject({ capRemoved: false, capKept: '"0"' });
      expect(addHooks(since, {}, '{}')).toMatchObject({ capRemoved: true, capKept: undefined });
      expect(addHooks(withCap({ [CAP]: '12' }))).toMatchObject({ capRemoved: false, capKept: '"12"' });
      for (const text of [mine, '', 'no JSON']) expect(hasOurCap(text)).toBe(false);
    });
  });

  test('says when the file switches all hooks off', () => {
    expect(addHooks('{"disableAllHooks": true}').hooksDisabled).toBe(true);
    expect(addHooks('{"disableAllHooks": false}').hooksDisabled).toBe(false);
  });
});
