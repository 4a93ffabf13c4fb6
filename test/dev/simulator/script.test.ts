import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Counters,
  compileScript,
  NOTHING_SERVED,
  numbered,
  pickTurn,
  type RequestBody,
  type Script,
} from '../../../src/dev/simulator/script.ts';

/** The texts that these requests get, in order, and by which turn. */
function served(script: Script, bodies: RequestBody[]): [string | undefined, string][] {
  const compiled = compileScript('test', script);
  let counters: Counters = NOTHING_SERVED;
  return bodies.map((body) => {
    const picked = pickTurn(compiled, counters, body);
    counters = picked.counters;
    return [picked.turn.text, picked.servedBy];
  });
}

const times = (count: number, body: RequestBody = {}) => Array.from({ length: count }, () => body);

describe('the main conversation', () => {
  test('gives each turn once, then "after" for ever', () => {
    expect(served({ turns: [{ text: 'a' }, { text: 'b' }], after: { text: 'z' } }, times(4))).toEqual([
      ['a', 'turn 1'],
      ['b', 'turn 2'],
      ['z', 'after'],
      ['z', 'after'],
    ]);
  });

  test('gives the empty turn when the script says nothing', () => {
    expect(served({}, times(1))).toEqual([[undefined, 'after']]);
  });

  test('gives a repeated turn as often as it says, however often that is', () => {
    const texts = served(
      { turns: [{ text: 'a', repeat: 2 }, { text: 'b' }], after: { text: 'z' } },
      times(4),
    );
    expect(texts.map(([text]) => text)).toEqual(['a', 'a', 'b', 'z']);
    expect(served({ turns: [{ text: 'a', repeat: 1_000_000_000 }] }, times(3)).at(-1)?.[0]).toBe('a');
  });
});

describe('a rule', () => {
  const hasty = { when: { model: 'haiku' }, turns: [{ text: 'h1' }, { text: 'h2', repeat: 2 }] };
  const script: Script = { rules: [hasty], turns: [{ text: 'm1' }, { text: 'm2' }] };

  test('counts for itself and repeats its last turn', () => {
    const [haiku, opus] = [{ model: 'claude-haiku' }, { model: 'claude-opus' }];
    const texts = served(script, [haiku, opus, haiku, haiku, opus, haiku]).map(([text]) => text);
    expect(texts).toEqual(['h1', 'm1', 'h2', 'h2', 'm2', 'h2']);
  });

  test('that stands first wins', () => {
    const rules = ['one', 'two'].map((text) => ({ when: { any: 'x' }, turns: [{ text }] }));
    expect(served({ rules }, [{ x: 1 }])).toEqual([['one', 'rule 1, turn 1']]);
  });

  test.each([
    [
      'system',
      {
        system: [
          { type: 'text', text: 'You are a' },
          { type: 'text', text: 'reviewer' },
        ],
      },
    ],
    ['system', { system: 'You are a\nreviewer' }],
    ['first', { messages: [{ content: 'You are a reviewer' }, { content: 'x' }] }],
    ['last', { messages: [{ content: 'x' }, { content: 'You are a reviewer' }] }],
    ['model', { model: 'a reviewer' }],
    ['any', { metadata: { note: 'a reviewer' } }],
  ] as const)('matches on %s, across lines', (subject, body) => {
    const rules = [{ when: { [subject]: 'a.reviewer' }, turns: [{ text: 'matched' }] }];
    expect(served({ rules }, [body, { messages: [{ content: 'y' }] }])).toEqual([
      ['matched', 'rule 1, turn 1'],
      [undefined, 'after'],
    ]);
  });

  test('needs every one of its patterns', () => {
    const rules = [{ when: { model: 'opus', last: 'go' }, turns: [{ text: 'both' }] }];
    const last = { messages: ['go'] };
    const texts = served({ rules }, [{ model: 'opus' }, last, { model: 'opus', ...last }]).map(
      ([text]) => text,
    );
    expect(texts).toEqual([undefined, undefined, 'both']);
  });

  test('with a pattern that is no regular expression is refused when the script is compiled', () => {
    const rules = [hasty, { when: { last: '(' }, turns: [{}] }];
    expect(() => compileScript('mine', { rules })).toThrow(/script "mine", rules\[1\]\.when\.last: .*\(/);
  });

  test('copes with whatever a request holds', () => {
    const rules = [
      { when: { system: 's', first: 'f', last: 'l', model: 'm' }, turns: [{ text: 'matched' }] },
    ];
    const compiled = compileScript('test', { rules });
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('system', 'messages', 'model', 'x'), fc.jsonValue()),
        (body) => {
          expect(pickTurn(compiled, NOTHING_SERVED, body).counters).not.toEqual(NOTHING_SERVED);
        },
      ),
    );
  });
});

test('{n} becomes the number of the request in every text, at any depth, but not in keys', () => {
  const value = { text: '{n} and {n}', '{n}': [{ deep: 'no. {n}' }, 1, null, true] };
  expect(numbered(value, 7)).toEqual({ text: '7 and 7', '{n}': [{ deep: 'no. 7' }, 1, null, true] });
});
