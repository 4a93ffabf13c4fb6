import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KNOWN_EVENTS } from '../../../src/engine/core/loop/event.ts';
import {
  hookLine,
  isLineOf,
  isOlderLine,
  isOtherToolsLine,
  isOurLine,
  isPluginLine,
  OTHER_TOOLS_LINE,
  pluginLine,
  quotesOurLine,
} from '../../../src/engine/home/hook-line.ts';
import { olderLines } from '../../../src/engine/home/older-lines.ts';

/** As they were installed. This file is never edited. */
const WRITTEN = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/settings/older-lines.json'), 'utf8'),
) as { at: string; line: string }[];
const TODAY = [...KNOWN_EVENTS.map(hookLine), OTHER_TOOLS_LINE];
const ALL = [...TODAY, ...WRITTEN.map(({ line }) => line)];

describe('a line is ours when a version of untildone wrote it', () => {
  test('the older lines are exactly those that were written', () => {
    const byLine = (all: [string, string][]) => all.sort(([a], [b]) => a.localeCompare(b));
    expect(byLine(olderLines())).toEqual(byLine(WRITTEN.map(({ at, line }) => [line, at])));
  });

  test('when the line of today changes, the one that is here goes to the older lines', () => {
    const handOver = 'for f in "$h/hook.sh" "$h/hold.sh";do [ -f "$f" ]&&command . "$f";done;:';
    expect(hookLine('Stop')).toBe(`untildone=Stop;h=$${'{UNTILDONE_HOME:-$HOME/.untildone}'};${handOver}`);
    expect(pluginLine('Stop')).toBe(`untildone=Stop; . "$${'{CLAUDE_PLUGIN_ROOT}'}/hooks/hook.sh"`);
  });

  test('each is known, with its age and its place', () => {
    for (const line of TODAY) expect([isOurLine(line), isOlderLine(line)]).toEqual([true, false]);
    for (const { line, at } of WRITTEN) {
      expect([isOurLine(line), isOlderLine(line)]).toEqual([true, true]);
      const places = ['Stop', 'SessionStart'].filter((event) => isLineOf(event, line));
      expect([at, places, isOtherToolsLine(line)]).toEqual([
        at,
        at === 'OtherTools' ? [] : [at === 'SessionStart' ? at : 'Stop'],
        at === 'OtherTools',
      ]);
    }
    expect(KNOWN_EVENTS.filter((event) => isLineOf(event, hookLine('Stop')))).toEqual(['Stop']);
  });
});

describe('what only looks like one is not', () => {
  test.each([
    'id > /tmp/x; : UNTILDONE_HOME /.untildone /hook.sh',
    'true # UNTILDONE_HOME /.untildone /hook.sh',
    `untildone=Stop;h=/tmp/x;for f in "$h/hook.sh" "$h/hold.sh";do [ -f "$f" ]&&command . "$f";done;:`,
    `${hookLine('Stop')}\nid`,
    ` ${hookLine('Stop')}`,
    hookLine('Stop').replace('untildone=Stop', 'untildone=$(id)'),
    hookLine('Stop').replace('untildone=Stop', 'untildone=Stopp'),
    'untildone=toString;',
    'constructor',
    '',
  ])('%j', (line) => {
    for (const asked of [isOurLine, isOlderLine, isOtherToolsLine, isPluginLine])
      expect(asked(line)).toBe(false);
    expect(isLineOf('Stop', line)).toBe(false);
  });

  test('no line with something before, in or behind it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ALL),
        fc.nat(),
        fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom(';', ' ', '\n', '$(id)', '#')),
        (line, place, more) => {
          const at = place % (line.length + 1);
          expect(isOurLine(line.slice(0, at) + more + line.slice(at))).toBe(false);
        },
      ),
    );
  });
});

test('lines of the plugin belong to the plugin alone, which once had those of the settings', () => {
  expect([isPluginLine(pluginLine('Stop')), isOurLine(pluginLine('Stop'))]).toEqual([true, false]);
  expect(isPluginLine(hookLine('Stop'))).toBe(true);
  expect(isPluginLine(`${pluginLine('Stop')};id`)).toBe(false);
});

test('a text quotes a line as JSON does', () => {
  for (const line of ALL) expect(quotesOurLine(`{ "command": ${JSON.stringify(line)}, // mine`)).toBe(true);
  expect(quotesOurLine('{ "command": "UNTILDONE_HOME /.untildone /hook.sh" }')).toBe(false);
  expect(quotesOurLine(JSON.stringify(`id;${hookLine('Stop')}`))).toBe(false);
});
