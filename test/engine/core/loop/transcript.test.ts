import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AnswerLine,
  contextWindow,
  scanSignals,
  type TranscriptLine,
  type TranscriptSignals,
  tallyUsage,
} from '../../../../src/engine/core/loop/transcript.ts';
import { rounds } from '../../../support/long.ts';

const usage = (input: number, output = 0) => ({ input, cacheCreation: 0, cacheRead: 0, output });

function answer(messageId: string, rest: Partial<AnswerLine> = {}): AnswerLine {
  return { kind: 'answer', sidechain: false, messageId, model: 'm', toolUses: [], final: false, ...rest };
}

const prompt: TranscriptLine = { kind: 'prompt', sidechain: false, text: 'go' };
const block: TranscriptLine = { kind: 'block', sidechain: false };
const compaction: TranscriptLine = { kind: 'compaction', sidechain: false };
const results = (...toolUses: string[]): TranscriptLine => ({
  kind: 'tool_results',
  sidechain: false,
  toolUses,
});
const said = (id: string, text: string) => answer(id, { text, final: true, usage: usage(10) });
const called = (id: string, ...toolUses: string[]) => answer(id, { toolUses, usage: usage(10) });

/** Lines in the order of the file, read backwards until the scan has had enough. */
function signalsOf(lines: TranscriptLine[], sidechain = false): TranscriptSignals {
  const scan = scanSignals(sidechain);
  lines.toReversed().some((line) => scan.see(line));
  return scan.signals();
}

describe('holds in a row', () => {
  const held = (id: string, ...blocks: TranscriptLine[]) => [said(id, 'no'), ...blocks];
  it.each<[string, TranscriptLine[], number | undefined]>([
    ['none', [prompt, said('a', 'one')], undefined],
    ['those since the prompt', [...held('a', block), prompt, ...held('b', block), said('c', 'x')], 1],
    ['several hooks hold one Stop', [prompt, ...held('a', block, block), ...held('b', block, block)], 2],
    ['a tool call ends the row', [prompt, ...held('a', block), called('b', 't'), said('c', 'x')], undefined],
    ['its result does, too', [prompt, ...held('a', block), results('t'), ...held('b', block)], 1],
    ['a compaction does not', [prompt, ...held('a', block), compaction, ...held('b', block)], 2],
    ['no more than eight are counted', [prompt, ...Array(20).fill(held('a', block)).flat()], 8],
  ])('%s', (_, lines, count) => {
    expect(signalsOf(lines).heldInARow).toBe(count);
  });
});

describe('the last text', () => {
  it('is the last text block since the prompt', () => {
    expect(signalsOf([prompt, said('a', 'one'), said('b', 'two')]).lastText).toBe('two');
  });

  it('is the last block of an answer that has two, as in the client’s own event', () => {
    expect(signalsOf([prompt, said('a', 'one'), said('a', 'two')]).lastText).toBe('two');
  });

  it('is absent when the agent has said nothing since the prompt', () => {
    expect(signalsOf([prompt, said('a', 'old'), prompt, called('b', 't')]).lastText).toBeUndefined();
  });

  it('is absent when all the agent said was judged by an earlier Stop', () => {
    expect(signalsOf([prompt, said('a', 'judged'), block]).lastText).toBeUndefined();
  });

  it('is found behind tool calls of the same turn', () => {
    expect(signalsOf([prompt, said('a', 'plan'), called('b', 't'), results('t')]).lastText).toBe('plan');
  });

  it('may be empty', () => {
    expect(signalsOf([prompt, said('a', 'old'), block, said('b', '')]).lastText).toBe('');
  });

  it('does not come from a subagent', () => {
    expect(signalsOf([prompt, said('a', 'main'), { ...said('b', 'sub'), sidechain: true }]).lastText).toBe(
      'main',
    );
  });

  it('comes from a subagent where asked for', () => {
    const lines = [prompt, said('a', 'main'), { ...said('b', 'sub'), sidechain: true }, said('c', 'main')];
    expect(signalsOf(lines, true).lastText).toBe('sub');
  });
});

describe('whether the answer that a Stop follows is on disk', () => {
  it.each<[string, TranscriptLine[], boolean]>([
    ['a final answer ends the transcript', [prompt, said('a', 'x')], true],
    ['a tool call ends it', [prompt, said('a', 'x'), called('b', 't')], false],
    ['a tool result ends it', [prompt, called('a', 't'), results('t')], false],
    ['a prompt ends it', [prompt, said('a', 'x'), prompt], false],
    ['a block ends it', [prompt, said('a', 'x'), block], false],
    [
      'a subagent wrote after a tool call',
      [prompt, called('a', 't'), { ...said('s', 'x'), sidechain: true }],
      false,
    ],
  ])('%s', (_when, lines, answered) => {
    expect(signalsOf(lines).answered).toBe(answered);
  });

  it('is not known of an empty transcript', () => {
    expect(signalsOf([])).toEqual({});
  });
});

describe('a tool call since the last block', () => {
  it.each<[string, TranscriptLine[], boolean]>([
    ['after the prompt', [prompt, called('a', 't'), results('t'), said('b', 'x')], true],
    ['after the block', [prompt, block, called('a', 't'), results('t'), said('b', 'x')], true],
    [
      'only before the block',
      [prompt, called('a', 't'), results('t'), said('b', 'x'), block, said('c', 'y')],
      false,
    ],
    [
      'only before the prompt',
      [prompt, called('a', 't'), results('t'), said('b', 'x'), prompt, said('c', 'y')],
      false,
    ],
    [
      'before a compaction, after the block',
      [block, called('a', 't'), results('t'), compaction, said('b', 'x')],
      true,
    ],
    ['of a subagent', [prompt, { ...called('a', 't'), sidechain: true }, said('b', 'x')], false],
  ])('%s', (_where, lines, seen) => {
    expect(signalsOf(lines).toolSinceBlock).toBe(seen);
  });

  it('is not known when neither a prompt nor a block nor a tool call was read', () => {
    expect(signalsOf([said('a', 'x')]).toolSinceBlock).toBeUndefined();
  });
});

describe('an open tool call', () => {
  it('is one without a result', () => {
    expect(signalsOf([prompt, called('a', 't1'), results('t1'), called('b', 't2')]).openToolUse).toBe('t2');
  });

  it('is found among calls of one answer that have results', () => {
    const lines = [
      prompt,
      called('a', 't1'),
      called('a', 't2'),
      called('a', 't3'),
      results('t3'),
      results('t1'),
    ];
    expect(signalsOf(lines).openToolUse).toBe('t2');
  });

  it('is found behind a text and a call of the same answer', () => {
    const both = answer('a', { text: 'and', toolUses: ['t2'] });
    expect(signalsOf([prompt, called('a', 't1'), both, results('t2')]).openToolUse).toBe('t1');
  });

  it('is none when every call has its result', () => {
    const lines = [
      prompt,
      called('a', 't1'),
      called('a', 't2'),
      results('t1'),
      results('t2'),
      said('b', 'x'),
    ];
    expect(signalsOf(lines).openToolUse).toBeUndefined();
  });

  it('of an earlier turn, left by a crash, does not count', () => {
    expect(signalsOf([prompt, called('a', 't1'), prompt, said('b', 'x')]).openToolUse).toBeUndefined();
  });
});

describe('the context', () => {
  it('is what the last answer of the main agent was asked with', () => {
    const last = answer('b', { usage: { input: 1, cacheCreation: 20, cacheRead: 300, output: 4000 } });
    const sub = answer('s', { sidechain: true, usage: usage(9), model: 'sub' });
    expect(signalsOf([prompt, said('a', 'x'), last, sub])).toMatchObject({ contextTokens: 321, model: 'm' });
  });

  it('is known before the answer to a block is on disk', () => {
    expect(signalsOf([prompt, said('a', 'x'), block]).contextTokens).toBe(10);
  });

  it('is not known right after a compaction, the model is', () => {
    const signals = signalsOf([prompt, said('a', 'x'), compaction]);
    expect(signals.contextTokens).toBeUndefined();
    expect(signals.model).toBe('m');
  });
});

describe('reading backwards', () => {
  const lines: fc.Arbitrary<TranscriptLine> = fc.oneof(
    fc.constant(prompt),
    fc.constant(block),
    fc.constant(compaction),
    fc.constant<TranscriptLine>({ kind: 'other' }),
    fc.record({
      kind: fc.constant('tool_results' as const),
      sidechain: fc.boolean(),
      toolUses: fc.subarray(['t1', 't2', 't3']),
    }),
    fc.record({
      kind: fc.constant('answer' as const),
      sidechain: fc.boolean(),
      messageId: fc.constantFrom('a', 'b', 'c'),
      model: fc.constantFrom('m1', 'm2'),
      toolUses: fc.subarray(['t1', 't2', 't3']),
      final: fc.boolean(),
      text: fc.string(),
      usage: fc.nat().map((input) => usage(input)),
    }),
  );

  it('may stop where the scan says so: earlier lines change nothing', () => {
    fc.assert(
      fc.property(fc.array(lines), fc.boolean(), (all, sidechain) => {
        const patient = scanSignals(sidechain);
        for (const line of all.toReversed()) patient.see(line);
        expect(signalsOf(all, sidechain)).toEqual(patient.signals());
      }),
      { numRuns: rounds(1_000, 100) },
    );
  });

  it('lines of subagents and unknown lines change nothing', () => {
    fc.assert(
      fc.property(fc.array(lines), (all) => {
        const own = all.filter((line) => line.kind !== 'other' && line.kind !== 'cost' && !line.sidechain);
        expect(signalsOf(all)).toEqual(signalsOf(own));
      }),
    );
  });
});

describe('what was spent', () => {
  function spent(lines: TranscriptLine[], lastMessageId?: string) {
    const tally = tallyUsage(lastMessageId);
    for (const line of lines) tally.see(line);
    return tally.result();
  }

  it('is input, cache creation and output, without cache reads, of every agent in the file', () => {
    const own = answer('a', { usage: { input: 1, cacheCreation: 20, cacheRead: 300, output: 4000 } });
    const sub = answer('b', { sidechain: true, usage: usage(50_000) });
    expect(spent([own, sub])).toEqual({ tokens: 54_021, lastMessageId: 'b' });
  });

  it('counts an answer of several lines once', () => {
    expect(spent([said('a', 'x'), called('a', 't'), called('a', 'u'), said('b', 'y')]).tokens).toBe(20);
  });

  it('counts an answer whose later line reports more as the most reported', () => {
    expect(spent([answer('a', { usage: usage(10, 1) }), answer('a', { usage: usage(10, 90) })]).tokens).toBe(
      100,
    );
  });

  it('counts an answer whose lines report more and less as the most reported', () => {
    const lines = [90, 1, 90].map((output) => answer('a', { usage: usage(10, output) }));
    expect(spent(lines).tokens).toBe(100);
    expect(spent(lines, 'a').tokens).toBe(0);
  });

  it('does not count the rest of an answer that was counted before', () => {
    expect(spent([called('a', 't'), said('b', 'y')], 'a')).toEqual({ tokens: 10, lastMessageId: 'b' });
  });

  it('remembers the answer counted before when nothing came', () => {
    expect(spent([prompt], 'a')).toEqual({ tokens: 0, lastMessageId: 'a' });
  });

  it('counts an answer without an id each time', () => {
    const { messageId: _, ...anonymous } = said('a', 'x');
    expect(spent([anonymous, anonymous])).toEqual({ tokens: 20 });
  });

  it('takes the last cost that the client wrote', () => {
    const cost = (totalUsd: number): TranscriptLine => ({ kind: 'cost', totalUsd });
    expect(spent([cost(1), cost(2.5)]).totalCostUsd).toBe(2.5);
  });

  it('is the same in one read or in several, wherever they part', () => {
    const answers = fc.array(fc.record({ lines: fc.integer({ min: 1, max: 4 }), tokens: fc.nat(1_000_000) }));
    fc.assert(
      fc.property(answers, fc.nat(), (list, cut) => {
        const all = list.flatMap(({ lines, tokens }, index) =>
          Array.from({ length: lines }, () => answer(`m${index}`, { usage: usage(tokens) })),
        );
        const at = cut % (all.length + 1);
        const first = spent(all.slice(0, at));
        const second = spent(all.slice(at), first.lastMessageId);
        expect(first.tokens + second.tokens).toBe(spent(all).tokens);
      }),
    );
  });
});

describe('the context window', () => {
  it.each([
    ['claude-opus-5-5', 1_000_000],
    ['claude-sonnet-5', 1_000_000],
    ['claude-haiku-5-5', 1_000_000],
    ['claude-fable-5-2', 1_000_000],
    ['claude-5', 1_000_000],
    ['claude-opus-10-1', 1_000_000],
    ['claude-opus-4-7', 1_000_000],
    ['claude-opus-4-8', 1_000_000],
    ['claude-opus-4-6', 200_000],
    ['claude-sonnet-4-6', 200_000],
    ['claude-opus-4-5', 200_000],
    ['claude-opus-4.5', 200_000],
    ['claude-haiku-4-5-20251001', 200_000],
    ['claude-sonnet-4-5@20250929', 200_000],
    ['anthropic.claude-sonnet-4-5-20250929-v1:0', 200_000],
    ['us.anthropic.claude-opus-4-6-v1', 200_000],
    ['claude-opus-4-1-20250805', 200_000],
    ['claude-sonnet-4-20250514', 200_000],
    ['claude-3-7-sonnet-20250219', 200_000],
    ['claude-3-opus-20240229', 200_000],
    ['claude-sonnet-4-5[1m]', 1_000_000],
    ['claude-sonnet-4-5[1M]', 1_000_000],
    ['some-other-model', 1_000_000],
    ['sonnet', 1_000_000],
    ['', 1_000_000],
  ])('of %s is %i', (model, window) => {
    expect(contextWindow(model)).toBe(window);
  });

  it('of an unknown model is the large one', () => {
    expect(contextWindow(undefined)).toBe(1_000_000);
  });
});
