import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { HookEvent } from '../../../../src/engine/core/loop/event.ts';
import { TokenTally } from '../../../../src/engine/run/client/token-tally.ts';

const usage = (input_tokens: number, output_tokens: number) => ({ input_tokens, output_tokens });
const answer = (id: string, of: object, more: object = {}) => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: { id, content: [], usage: of },
  ...more,
});
const streamed = (event: object) => ({ type: 'stream_event', parent_tool_use_id: null, event });

function heard(...messages: object[]): TokenTally {
  const tally = new TokenTally();
  for (const message of messages) tally.hear({ ...message });
  return tally;
}

test('each answer counts once, with the most that any of its messages says', () => {
  const tally = heard(
    streamed({ type: 'message_start', message: { id: 'm1', usage: usage(100, 1) } }),
    answer('m1', usage(100, 1)),
    answer('m1', usage(100, 1)),
    streamed({ type: 'message_delta', usage: usage(100, 40) }),
    answer('m2', { input_tokens: 5, cache_creation_input_tokens: 7, cache_read_input_tokens: 1_000 }),
  );
  expect(tally.total).toBe(140 + 12);
});

test('the answers of subagents count, and their calls are known', () => {
  const content = [{ type: 'tool_use', id: 't9', name: 'Bash', input: {} }];
  const message = { id: 'a1', content, usage: usage(40_000, 1) };
  const tally = heard(answer('m1', usage(10, 1)), { type: 'assistant', parent_tool_use_id: 't1', message });
  expect(tally.total).toBe(40_012);
  expect([tally.knowsCall('t9'), tally.knowsCall('t1')]).toEqual([true, false]);
});

test('the whole output of a subagent is read from its transcript, of which the last line may be torn', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tally-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 's1', 'subagents'), { recursive: true });
  const file = join(folder, 's1', 'subagents', 'agent-a7.jsonl');
  const line = (id: string, output: number) =>
    `${JSON.stringify({ type: 'assistant', isSidechain: true, message: { id, model: 'opus', content: [], usage: usage(10, output) } })}\n`;
  const event = {
    name: 'PreToolUse',
    session: 's1',
    transcript: join(folder, 's1.jsonl'),
    agentId: 'a7',
  } as HookEvent;
  const tally = heard({ ...answer('x1', usage(10, 1)), parent_tool_use_id: 't1' });
  writeFileSync(file, line('x1', 500) + line('x2', 300).slice(0, -5));
  tally.hearEvent(event);
  expect(tally.total).toBe(510);
  writeFileSync(file, line('x1', 500) + line('x2', 300));
  tally.hearEvent({ ...event, name: 'Stop', agentId: undefined } as HookEvent);
  expect(tally.total).toBe(510 + 310);
});

test('what is no message, and an agent that leads elsewhere, counts nothing', () => {
  const tally = heard(
    { type: 'assistant' },
    answer('', usage(5, 5)),
    answer('m', { input_tokens: -5, output_tokens: 'x' }),
  );
  tally.hearEvent({
    name: 'Stop',
    session: 's',
    transcript: '/x.jsonl',
    agentId: '../../etc/passwd',
  } as HookEvent);
  expect(tally.total).toBe(0);
});
