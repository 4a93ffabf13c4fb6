import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readToolCalls } from '../../../../src/engine/client/transcript/tool-calls.ts';
import { parseContract, renderProblem } from '../../../../src/engine/contract/read.ts';
import type { MetricCondition } from '../../../../src/engine/core/contract/gate-options.ts';
import type { Judgement } from '../../../../src/engine/gates/gate.ts';
import { metricsGate } from '../../../../src/engine/gates/metrics/index.ts';
import { type Given, gateContext } from '../../../support/gates/context.ts';

const gateOf = (text: string) => {
  const result = parseContract(`gates:\n  worked: ${text}\ndone: [worked]\n`, 'untildone.yaml');
  return result.ok ? result.contract.gates.worked : result.problems.map(renderProblem).join('\n');
};

describe('in a contract', () => {
  test.each<[string, MetricCondition[]]>([
    ['{ metrics: { tool_use: ">=5" } }', [{ metric: 'tool_use', op: '>=', value: 5 }]],
    ['{ metrics: { tool_usage: 5 } }', [{ metric: 'tool_use', op: '>=', value: 5 }]],
    ['{ metrics: { tool_errors: " < 3 " } }', [{ metric: 'tool_errors', op: '<', value: 3 }]],
    ['{ metrics: { lock_blocks: "=2" } }', [{ metric: 'lock_blocks', op: '==', value: 2 }]],
    [
      '{ metrics: { bash_commands: ">1", cost_usd: "<=0.5" } }',
      [
        { metric: 'bash_commands', op: '>', value: 1 },
        { metric: 'cost_usd', op: '<=', value: 0.5 },
      ],
    ],
  ])('%s', (text, conditions) => {
    expect(gateOf(text)).toEqual({ kind: 'metrics', options: { conditions } });
  });

  test.each([
    ['{ metrics: {} }', 'at least one of tool_use'],
    ['{ metrics: true }', 'at least one of tool_use'],
    ['{ metrics: { tool_use: many } }', 'a comparison like'],
    ['{ metrics: { tool_use: -1 } }', 'a comparison like'],
    ['{ metrics: { tol_use: ">=5" } }', 'did you mean'],
  ])('%s is refused', (text, words) => {
    expect(gateOf(text)).toContain(words);
  });
});

const AT = Date.parse('2026-01-01T12:00:00Z');
const line = (tool: string, at: number, failed = false) =>
  [
    {
      type: 'assistant',
      timestamp: new Date(at).toISOString(),
      message: { content: [{ type: 'tool_use', id: 'i', name: tool }] },
    },
    {
      type: 'user',
      timestamp: new Date(at).toISOString(),
      message: {
        content: [{ type: 'tool_result', tool_use_id: 'i', ...(failed ? { is_error: true } : {}) }],
      },
    },
  ]
    .map((each) => `${JSON.stringify(each)}\n`)
    .join('');

function scene(lines: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-metrics-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const transcript = join(folder, 's.jsonl');
  writeFileSync(transcript, lines.join(''));
  const facts = new Map<string, unknown>();
  const read: number[] = [];
  const context = {
    transcript,
    loop: { startedAt: AT, iteration: 3, tokens: 1200, costUsd: 0.25 },
    toolCalls: (path: string, from: number) => {
      read.push(from);
      return readToolCalls(path, from);
    },
    kept: {
      read: (name: string) => facts.get(name),
      write: (name: string, value: unknown) => void facts.set(name, value),
    },
  };
  const judge = (conditions: MetricCondition[], more: Given = {}) =>
    metricsGate.judge(
      { conditions },
      gateContext({ ...context, ...more }),
      new AbortController().signal,
    ) as Judgement;
  return { folder, transcript, judge, read, facts };
}

const atLeast = (metric: MetricCondition['metric'], value: number): MetricCondition => ({
  metric,
  op: '>=',
  value,
});

describe('judged', () => {
  test('calls of the loop count, by kind and with failures, and earlier ones do not', () => {
    const { judge } = scene([
      line('Bash', AT - 1000),
      ...[
        line('Bash', AT),
        line('Read', AT + 1, true),
        line('Edit', AT + 2),
        line('Grep', AT + 3),
        line('mcp__x', AT + 4),
      ],
    ]);
    const said = (metric: MetricCondition['metric']) => judge([{ metric, op: '>=', value: 0 }]).summary;
    expect(
      (['tool_use', 'bash_commands', 'file_operations', 'search_operations', 'tool_errors'] as const).map(
        said,
      ),
    ).toEqual([
      ...['tool_use is 5', 'bash_commands is 1', 'file_operations is 2', 'search_operations is 1'],
      'tool_errors is 1',
    ]);
  });

  test('it fails until there are enough, says how many there are, and is the same failure meanwhile', () => {
    const { judge, transcript } = scene([line('Bash', AT)]);
    const first = judge([atLeast('tool_use', 3)]);
    expect(first).toMatchObject({ outcome: 'fail', summary: 'tool_use is 1, asked for is >= 3' });
    appendFileSync(transcript, line('Bash', AT + 5));
    const second = judge([atLeast('tool_use', 3)]);
    expect(second.summary).toBe('tool_use is 2, asked for is >= 3');
    expect(second.fingerprint).toBe(first.fingerprint);
    appendFileSync(transcript, line('Read', AT + 6));
    expect(judge([atLeast('tool_use', 3)])).toMatchObject({ outcome: 'pass', summary: 'tool_use is 3' });
  });

  test('what was counted is not read again, and another session of the loop is added', () => {
    const { judge, read, folder, transcript } = scene([line('Bash', AT)]);
    judge([atLeast('tool_use', 1)]);
    const end = read.at(-1);
    judge([atLeast('tool_use', 1)]);
    expect(read.slice(2)).toEqual([end]);
    const other = join(folder, 'other.jsonl');
    writeFileSync(other, line('Bash', AT) + line('Bash', AT));
    expect(judge([atLeast('tool_use', 3)], { transcript: other }).outcome).toBe('pass');
    expect(judge([atLeast('tool_use', 3)], { transcript }).outcome).toBe('pass');
  });

  test('iterations, holds, tokens and cost are those of the loop', () => {
    const { judge } = scene([]);
    const conditions = [atLeast('iterations', 3), atLeast('lock_blocks', 2), atLeast('tokens', 1200)];
    expect(judge([...conditions, { metric: 'cost_usd', op: '<=', value: 0.25 }])).toMatchObject({
      outcome: 'pass',
      summary: 'iterations is 3, lock_blocks is 2, tokens is 1200, cost_usd is 0.25',
    });
  });

  test('what is too large already is told to the user, because nothing makes it smaller', () => {
    const { judge } = scene([line('Bash', AT, true)]);
    expect(judge([{ metric: 'tool_errors', op: '<', value: 1 }]).next).toContain('untildone release');
  });

  test('without a loop it skips, and without a transcript it is unproven', () => {
    const { judge, folder } = scene([line('Bash', AT)]);
    expect(judge([atLeast('tool_use', 1)], { loop: undefined }).outcome).toBe('skip');
    for (const transcript of [undefined, join(folder, 'gone.jsonl')])
      expect(judge([atLeast('tool_use', 1)], { transcript }).outcome).toBe('unproven');
  });

  test.each([undefined, 7, 'x', { a: 1 }, { '/t': { offset: 'x' } }])(
    'kept facts like %j are nothing',
    (kept) => {
      const { judge, facts } = scene([line('Bash', AT)]);
      facts.set('metrics', kept);
      expect(judge([atLeast('tool_use', 1)]).outcome).toBe('pass');
    },
  );
});
