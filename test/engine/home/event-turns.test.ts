import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sha256 } from '../../../src/engine/files/digest.ts';
import { pluginMark, takeTurn } from '../../../src/engine/home/event-turns.ts';
import {
  createHome,
  type Home,
  homeAt,
  readKey,
  sealedJson,
  unsealedJson,
} from '../../../src/engine/home/layout.ts';

function homeOf({ plugin = true } = {}): Home {
  const home = homeAt(mkdtempSync(join(tmpdir(), 'untildone-turns-')));
  onTestFinished(() => rmSync(home.root, { recursive: true, force: true }));
  createHome(home);
  if (plugin) writeFileSync(pluginMark(home.root), '');
  return home;
}

const record = (home: Home) => join(home.sessions, 's.turns');

const PURPOSE = 'turns of session s';

function recorded(home: Home): Record<string, unknown>[] {
  return unsealedJson(readFileSync(record(home), 'utf8'), PURPOSE, readKey(home)) ?? [];
}

/** Lets an event arrive; true when it was answered here. */
function arrives(home: Home, way: string, text = 'Stop'): boolean {
  const turn = takeTurn({ session: 's', text, way }, home);
  turn?.answered();
  return turn !== undefined;
}

/** Events in the order in which hooks bring them: way, text, and whether this hook answers. */
const SEQUENCES: [name: string, arrivals: [way: string, text: string, answers: boolean][]][] = [
  [
    'the second way says nothing',
    [
      ['', 'a', true],
      ['plugin', 'a', false],
    ],
  ],
  [
    'three ways, one answer',
    [
      ['plugin', 'a', true],
      ['older', 'a', false],
      ['', 'a', false],
    ],
  ],
  [
    'the same text again is the next event, whichever way is first',
    [
      ['', 'a', true],
      ['plugin', 'a', false],
      ['plugin', 'a', true],
      ['', 'a', false],
      ['', 'a', true],
      ['plugin', 'a', false],
    ],
  ],
  [
    'one way alone answers every time',
    [
      ['', 'a', true],
      ['', 'a', true],
      ['', 'b', true],
      ['', 'a', true],
    ],
  ],
  [
    'events side by side do not wait for each other',
    [
      ['', 'a', true],
      ['', 'b', true],
      ['plugin', 'b', false],
      ['plugin', 'a', false],
    ],
  ],
];

test.each(SEQUENCES)('%s', (_, arrivals) => {
  const home = homeOf();
  expect(arrivals.map(([way, text]) => [way, text, arrives(home, way, text)])).toEqual(arrivals);
});

describe('what a hook cannot rely on', () => {
  test('the owner died without an answer: the next way answers', () => {
    const home = homeOf();
    takeTurn({ session: 's', text: 'Stop', way: '' }, home);
    const dead = recorded(home).map((event) => ({ ...event, owner: '4000000 1' }));
    writeFileSync(record(home), sealedJson(dead, PURPOSE, readKey(home)));
    expect(arrives(home, 'plugin')).toBe(true);
  });

  test.each(['', '{', '[1,null,{}]', 'null'])('a damaged record %j is an empty one', (text) => {
    const home = homeOf();
    writeFileSync(record(home), text);
    expect([arrives(home, ''), arrives(home, 'plugin')]).toEqual([true, false]);
  });

  const FORGED = [{ digest: sha256('Stop'), ways: ['somebody'], owner: '1 1', answered: true }];
  const FORGERIES: [name: string, text: (home: Home) => string][] = [
    ['without a seal', () => JSON.stringify(FORGED)],
    ['with another key', () => sealedJson(FORGED, PURPOSE, 'f'.repeat(64))],
    ['of another session', (home) => sealedJson(FORGED, 'turns of session t', readKey(home))],
  ];
  test.each(FORGERIES)('a record %s silences nobody', (_, text) => {
    const home = homeOf();
    writeFileSync(record(home), text(home));
    expect([arrives(home, ''), arrives(home, 'plugin')]).toEqual([true, false]);
  });

  test('a home without a key: everyone answers', () => {
    const home = homeOf();
    rmSync(home.keyFile);
    expect([arrives(home, ''), arrives(home, 'plugin')]).toEqual([true, true]);
  });

  test('a record that cannot be written: everyone answers', () => {
    const home = homeOf();
    mkdirSync(record(home));
    expect([arrives(home, ''), arrives(home, 'plugin')]).toEqual([true, true]);
  });

  test('an odd name of a session reaches no file', () => {
    const home = homeOf();
    expect(takeTurn({ session: '../../x', text: 'a', way: '' }, home)).toBeDefined();
  });

  test('without the plugin nothing is written', () => {
    const home = homeOf({ plugin: false });
    expect([arrives(home, ''), arrives(home, 'plugin')]).toEqual([true, true]);
    expect(() => readFileSync(record(home))).toThrow('ENOENT');
  });

  test('the record keeps its size', () => {
    const home = homeOf();
    for (let i = 0; i < 70; i++) arrives(home, '', `event ${i}`);
    expect(recorded(home)).toHaveLength(64);
  });
});
