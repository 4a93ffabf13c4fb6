import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../../src/engine/core/loop/entry.ts';
import { advance } from '../../../../src/engine/core/loop/journal.ts';
import type { LoopState } from '../../../../src/engine/core/loop/state.ts';
import {
  JOURNAL_VERSION,
  type JournalLine,
  parseLine,
  renderLine,
  sealLine,
  unseal,
} from '../../../../src/engine/home/journal/line.ts';
import { anyJournal, anyText } from '../../../support/core/any-entry.ts';
import { freshLoop, STARTED, T0 } from '../../../support/core/samples.ts';

const LINE: JournalLine = {
  v: JOURNAL_VERSION,
  seq: 1,
  at: new Date(T0).toISOString(),
  entry: STARTED,
  state: freshLoop(),
  prev: '0'.repeat(64),
};
const MAC = 'ab'.repeat(16);

describe('a line', () => {
  test('rendered and parsed is the same, sealed or not', () => {
    fc.assert(
      fc.property(anyJournal(), (entries) => {
        let state: LoopState | undefined;
        for (const [i, { entry, at }] of entries.entries()) {
          state = advance(state, entry, at);
          const line = { ...LINE, seq: i + 1, at: new Date(at).toISOString(), entry, state };
          const body = renderLine(line);
          const expected = JSON.parse(body) as JournalLine;
          expect(parseLine(body)).toEqual({ ok: true, line: expected });
          expect(parseLine(sealLine(body, MAC))).toEqual({ ok: true, line: { ...expected, mac: MAC } });
        }
      }),
    );
  });
  test('has no line break inside, whatever its entry says', () => {
    fc.assert(
      fc.property(anyText, (message) => {
        expect(renderLine({ ...LINE, entry: { kind: 'error', message } })).not.toMatch(/[\r\n]/);
      }),
    );
  });
  test('keeps its fields in a fixed order and writes nothing else', () => {
    const extra = { ...LINE, more: 'x' } as JournalLine;
    expect(Object.keys(JSON.parse(renderLine(extra)))).toEqual(['v', 'seq', 'at', 'entry', 'state', 'prev']);
  });
});

describe('the seal', () => {
  test('comes off exactly as it was put on', () => {
    fc.assert(
      fc.property(anyText, fc.stringMatching(/^[0-9a-f]{1,64}$/), (message, mac) => {
        const body = renderLine({ ...LINE, entry: { kind: 'error', message } });
        expect(unseal(sealLine(body, mac))).toEqual({ body, mac });
      }),
    );
  });
  test('is the last thing of the line: one inside a text is none', () => {
    const entry: Entry = { kind: 'error', message: `","mac":"${MAC}"}` };
    expect(unseal(renderLine({ ...LINE, entry }))).toBeUndefined();
    for (const text of ['', '{}', `{"mac":"${MAC}"}`, `{"a":1,"mac":"${MAC}"} `]) {
      expect(unseal(text)).toBeUndefined();
    }
  });
});

describe('what is no line is a problem in words', () => {
  const without = (key: keyof JournalLine) => {
    const { [key]: _, ...rest } = LINE;
    return JSON.stringify(rest);
  };
  test.each([
    ['', 'not JSON'],
    ['{', 'not JSON'],
    ['null', 'not an object'],
    ['5', 'not an object'],
    ['[]', 'version undefined'],
    [without('v'), 'it has version undefined, this program reads version 1'],
    [JSON.stringify({ ...LINE, v: 2 }), 'it has version 2, this program reads version 1'],
    [without('seq'), 'no sequence number'],
    [JSON.stringify({ ...LINE, seq: 0 }), 'no sequence number'],
    [JSON.stringify({ ...LINE, seq: 1.5 }), 'no sequence number'],
    [JSON.stringify({ ...LINE, seq: '1' }), 'no sequence number'],
    [JSON.stringify({ ...LINE, at: 'yesterday' }), 'no time'],
    [JSON.stringify({ ...LINE, at: 5 }), 'no time'],
    [without('prev'), 'no hash of the line before'],
    [without('entry'), 'no entry'],
    [JSON.stringify({ ...LINE, entry: null }), 'no entry'],
    [JSON.stringify({ ...LINE, entry: {} }), 'no entry'],
    [without('state'), 'no state'],
    [JSON.stringify({ ...LINE, state: { status: 'active' } }), 'no state'],
  ])('%s', (text, problem) => {
    expect(parseLine(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  });
  test('and never an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        expect(typeof parseLine(text).ok).toBe('boolean');
      }),
    );
  });
});
