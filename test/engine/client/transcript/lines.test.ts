import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTranscriptLine } from '../../../../src/engine/client/transcript/lines.ts';
import { rounds } from '../../../support/long.ts';

const FIXTURES = new URL('../../../fixtures/transcripts/', import.meta.url);

/** The recorded lines that say something, in a short form. */
function read(name: string): string[] {
  const lines = readFileSync(new URL(`${name}.jsonl`, FIXTURES), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.flatMap((text) => {
    const line = parseTranscriptLine(text);
    switch (line.kind) {
      case 'other':
        return [];
      case 'answer':
        return [
          `answer ${line.text ?? '-'}${line.toolUses.map((id) => ` +${id}`).join('')}${line.final ? ' END' : ''}`,
        ];
      case 'tool_results':
        return [`results ${line.toolUses.join(' ')}`];
      case 'prompt':
        return [`prompt ${line.text.slice(0, 19)}`];
      case 'cost':
        return [`cost ${line.totalUsd}`];
      default:
        return [line.kind];
    }
  });
}

describe('transcripts of the real client', () => {
  it('one with tool calls and two blocks', () => {
    expect(read('2.1.325-tools-and-blocks')).toEqual([
      'prompt Do the thing',
      ...['answer -', 'answer I look.', 'answer - +toolu_a_1_0', 'answer - +toolu_a_1_1'],
      ...['results toolu_a_1_0', 'results toolu_a_1_1'],
      ...['answer first END', 'block', 'block', 'answer second END', 'block', 'block'],
      ...[
        'answer - +toolu_a_4_0',
        'results toolu_a_4_0',
        'answer <promise>DONE</promise> END',
        'cost 0.0185',
      ],
    ]);
  });

  it('one that was compacted after a block and after a tool call', () => {
    expect(read('2.1.325-compaction')).toEqual([
      ...[
        'prompt Do the thing',
        'answer one',
        'answer - +toolu_e2_1_0',
        'results toolu_e2_1_0',
        'answer two END',
      ],
      ...['block', 'block', 'compaction', 'answer three END', 'block', 'block'],
      ...['answer - +toolu_e2_5_0', 'results toolu_e2_5_0', 'compaction', 'answer turn 8: done. END'],
      'cost 7.944800000000002',
    ]);
  });

  it('one where the person compacted: a command of the client is no prompt', () => {
    expect(read('2.1.325-compact-command').slice(-5)).toEqual([
      ...[
        'compaction',
        'cost 0.5943000000000002',
        'prompt go on',
        'answer resumed END',
        'cost 0.5973750000000002',
      ],
    ]);
  });

  it('one held by exit 2 and by additional context', () => {
    expect(read('2.1.325-exit-2-and-context')).toEqual([
      ...['prompt Do the thing', 'answer turn 1: done. END', 'block', 'answer turn 2: done. END', 'block'],
      ...['answer turn 3: done. END', 'cost 0.012300000000000002'],
    ]);
  });

  it('one where background work reported back: a notification starts a turn', () => {
    expect(read('2.1.325-background-agent').slice(-4)).toEqual([
      ...['answer main waits END', 'prompt <task-notification>', 'answer main two END', 'cost 0.026916'],
    ]);
  });

  it('one of a subagent: every line is on the side', () => {
    const lines = readFileSync(new URL('2.1.325-subagent.jsonl', FIXTURES), 'utf8').trimEnd().split('\n');
    const told = lines
      .map(parseTranscriptLine)
      .filter((line) => line.kind !== 'other' && line.kind !== 'cost');
    expect(told.map((line) => [line.kind, line.sidechain])).toEqual([
      ...[
        ['prompt', true],
        ['answer', true],
        ['answer', true],
        ['tool_results', true],
        ['answer', true],
      ],
      ...[
        ['block', true],
        ['block', true],
        ['answer', true],
      ],
    ]);
  });

  it('one with empty answers: the client’s own request for more is no block', () => {
    expect(read('2.1.325-empty-answers')).toEqual([
      ...['prompt Do the thing', 'answer first block END', 'answer second block END', 'block', 'block'],
      ...[
        'answer  END',
        'block',
        'block',
        'answer - END',
        'block',
        'block',
        'answer   padded  \n END',
        'block',
        'block',
      ],
      ...['answer turn 6: done. END', 'cost 0.0246'],
    ]);
  });

  it('one that ended with an API error: the error is not the agent’s answer', () => {
    expect(read('2.1.325-api-error').at(-2)).toBe('results toolu_j_1_0');
  });

  it('one that was interrupted: the turn is over', () => {
    expect(read('2.1.325-interrupted').at(-1)).toBe('prompt [Request interrupte');
  });

  it.each(readdirSync(FIXTURES))('%s holds only valid JSON', (name) => {
    const lines = readFileSync(new URL(name, FIXTURES), 'utf8').trimEnd().split('\n');
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  });
});

describe('an answer', () => {
  const parse = (entry: object) => parseTranscriptLine(JSON.stringify({ type: 'assistant', ...entry }));

  it('carries id, model, usage, text and tool calls', () => {
    const usage = {
      input_tokens: 1,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 3,
      output_tokens: 4,
      service_tier: 'standard',
    };
    const content = [
      { type: 'text', text: 'hi' },
      { type: 'tool_use', id: 't', name: 'Bash', input: {} },
    ];
    expect(parse({ message: { id: 'm', model: 'x', content, stop_reason: 'tool_use', usage } })).toEqual({
      kind: 'answer',
      sidechain: false,
      messageId: 'm',
      model: 'x',
      text: 'hi',
      toolUses: ['t'],
      final: false,
      usage: { input: 1, cacheCreation: 2, cacheRead: 3, output: 4 },
    });
  });

  it('takes the model as asked for, which keeps its window', () => {
    expect(read('2.1.325-large-window')).toContain('answer ok END');
    const answer = parse({
      requestedModel: 'claude-sonnet-4-5[1m]',
      message: { model: 'claude-sonnet-4-5' },
    });
    expect(answer).toMatchObject({ model: 'claude-sonnet-4-5[1m]' });
  });

  it.each([
    ['end_turn', true],
    ['stop_sequence', true],
    ['max_tokens', true],
    ['refusal', true],
    ['tool_use', false],
    ['pause_turn', false],
    [null, true],
  ])('with stop reason %s is final: %s', (stop_reason, final) => {
    expect(parse({ message: { content: [{ type: 'text', text: 'x' }], stop_reason } })).toMatchObject({
      final,
    });
  });

  it('without a stop reason is not final while it only thinks', () => {
    expect(parse({ message: { content: [{ type: 'thinking', thinking: 'x' }] } })).toMatchObject({
      final: false,
    });
  });

  it('may be a plain string', () => {
    expect(parse({ message: { content: 'plain' } })).toMatchObject({ text: 'plain', final: true });
  });

  it('counts tokens of the wrong type, fractions and negative ones as none', () => {
    const usage = {
      input_tokens: '5',
      cache_creation_input_tokens: -1,
      cache_read_input_tokens: 1.5,
      output_tokens: null,
    };
    expect(parse({ message: { usage } })).toMatchObject({
      usage: { input: 0, cacheCreation: 0, cacheRead: 0, output: 0 },
    });
  });
});

describe('a line that the person wrote or ran', () => {
  const parse = (content: unknown, rest: object = {}) =>
    parseTranscriptLine(JSON.stringify({ type: 'user', message: { role: 'user', content }, ...rest })).kind;

  const image = { type: 'image', source: {} };
  const text = (words: string) => ({ type: 'text', text: words });
  const feedback = 'Stop hook feedback:\nnot yet';
  it.each([
    ['a typed prompt', 'prompt', 'go on'],
    ['a prompt with an image', 'prompt', [text('see'), image]],
    ['a prompt of only an image', 'prompt', [image]],
    [
      'a command for the model',
      'prompt',
      '<command-message>x</command-message>\n<command-name>/x</command-name>',
    ],
    ['a command of the client', 'other', '<command-name>/model</command-name>\n<command-message>model'],
    ['output of such a command', 'other', '<local-command-stdout>ok</local-command-stdout>'],
    ['a shell command of the person', 'other', '<bash-input>ls</bash-input>'],
    ['a summary after compaction', 'other', 'anything', { isCompactSummary: true }],
    ['a summary of an older client', 'other', 'This session is being continued from a previous conversation'],
    ['feedback of a Stop hook', 'block', feedback, { isMeta: true }],
    ['feedback as a block of text', 'block', [text(feedback)], { isMeta: true }],
    ['a prompt that looks like feedback', 'prompt', feedback],
    ['another meta line', 'other', 'Caveat', { isMeta: true }],
    ['an empty line', 'other', []],
  ])('%s is %s', (_what, kind, content, rest?: object) => {
    expect(parse(content, rest)).toBe(kind);
  });
});

describe('hook attachments', () => {
  it.each([
    ['hook_blocking_error', 'Stop', 'block'],
    ['hook_blocking_error', 'SubagentStop', 'block'],
    ['hook_additional_context', 'Stop', 'block'],
    ['hook_blocking_error', 'PreToolUse', 'other'],
    ['hook_additional_context', 'SessionStart', 'other'],
    ['hook_success', 'Stop', 'other'],
    ['hook_non_blocking_error', 'Stop', 'other'],
    ['hook_cancelled', 'Stop', 'other'],
  ])('%s on %s is %s', (type, hookEvent, kind) => {
    expect(
      parseTranscriptLine(JSON.stringify({ type: 'attachment', attachment: { type, hookEvent } })).kind,
    ).toBe(kind);
  });
});

describe('what is not understood', () => {
  it.each([
    ...[
      '',
      ' ',
      '{',
      '[]',
      'null',
      '1',
      '"text"',
      '{"type":"assistant"}',
      '{"type":"user"}',
      '{"type":"attachment"}',
    ],
    ...['{"type":"assistant","message":[]}', '{"type":"user","message":{"content":7}}', '{"type":["user"]}'],
    ...[
      '{"type":"cost-state"}',
      '{"type":"cost-state","totalCostUSD":"1"}',
      '{"type":"cost-state","totalCostUSD":-1}',
    ],
    ...[
      '{"type":"system","subtype":"stop_hook_summary"}',
      '{"type":"attachment","attachment":"x"}',
      '\0\0',
      '{"a":1}x',
    ],
  ])('%j is other', (line) => {
    expect(parseTranscriptLine(line)).toEqual({ kind: 'other' });
  });

  it('never throws, whatever JSON the known types hold', () => {
    const types = fc.constantFrom('user', 'assistant', 'attachment', 'system', 'cost-state');
    const keys = [
      'message',
      'content',
      'attachment',
      'usage',
      'type',
      'id',
      'model',
      'isMeta',
      'subtype',
      'totalCostUSD',
    ];
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom(...keys), tie('node')),
        fc.array(tie('node')),
      ),
    })).node;
    fc.assert(
      fc.property(types, fc.dictionary(fc.constantFrom(...keys), value), (type, entry) => {
        const line = parseTranscriptLine(JSON.stringify({ ...(entry as object), type }));
        expect(['answer', 'tool_results', 'prompt', 'block', 'compaction', 'cost', 'other']).toContain(
          line.kind,
        );
      }),
      { numRuns: rounds(100, 30) },
    );
  });

  it('never throws on a line cut anywhere', () => {
    const line =
      readFileSync(new URL('2.1.325-tools-and-blocks.jsonl', FIXTURES), 'utf8').split('\n')[10] ?? '';
    for (let end = 0; end < line.length; end += 1)
      expect(parseTranscriptLine(line.slice(0, end)).kind).toBe('other');
  });
});
