import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readGoal, readTurnEnd } from '../../../../src/engine/client/transcript/file.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';

const AT = '2026-11-16T10:00:00.000Z';
const answer = (
  stop_reason: string | null,
  more: object = {},
  content: object[] = [{ type: 'text', text: 'done' }],
) =>
  JSON.stringify({
    type: 'assistant',
    isSidechain: false,
    timestamp: AT,
    message: { id: 'm', model: 'claude-opus-5-5', role: 'assistant', content, stop_reason },
    ...more,
  });
const prompt = (text: string) => JSON.stringify({ type: 'user', timestamp: AT, message: { content: text } });
const big = JSON.stringify({
  type: 'attachment',
  attachment: { type: 'prompt_snapshot', text: 'x'.repeat(600_000) },
});

test.each<[string, string[], boolean]>([
  ['an answer that ends the turn', [prompt('go'), answer('end_turn')], true],
  [
    'one before other lines',
    [answer('end_turn'), prompt('more'), answer('tool_use', {}, [{ type: 'tool_use', id: 't' }])],
    true,
  ],
  ['an answer that was interrupted', [answer(null), prompt('[Request interrupted by user]')], false],
  ['a tool call', [answer('tool_use', {}, [{ type: 'tool_use', id: 't' }])], false],
  ['the answer of a subagent', [answer('end_turn', { isSidechain: true })], false],
  ['a notice of Claude Code', [answer('stop_sequence', { isApiErrorMessage: true })], false],
  ['words about an end of a turn', [prompt('"stop_reason":"end_turn"')], false],
  ['an answer without a time', [answer('end_turn', { timestamp: 'soon' })], false],
  ['one that lies too far back', [answer('end_turn'), big], false],
  ['nothing', [], false],
])('the end of a turn is found in: %s', (_, lines, isFound) => {
  const path = join(temporaryFolder(), 'transcript.jsonl');
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  expect(readTurnEnd(path)).toBe(isFound ? Date.parse(AT) : undefined);
});

test('a transcript that is not there tells nothing', () => {
  expect(readTurnEnd(join(temporaryFolder(), 'gone.jsonl'))).toBeUndefined();
});

test.each([
  ['api-error', false],
  ['interrupted', false],
  ['open-tool', false],
  ['background-agent', true],
  ['compaction', true],
  ['empty-answers', true],
  ['large-window', true],
  ['tools-and-blocks', true],
])('in a transcript of Claude Code 2.1.325, %s: %s', (name, ends) => {
  const path = join(import.meta.dirname, `../../../fixtures/transcripts/2.1.325-${name}.jsonl`);
  expect(readTurnEnd(path)).toEqual(ends ? expect.any(Number) : undefined);
  expect(readGoal(path)).toBe(false);
});

test('a goal is found by the line that Claude Code writes about it, and not by words', () => {
  const path = join(temporaryFolder(), 'transcript.jsonl');
  writeFileSync(path, `${prompt('"type":"goal_status"')}\n`);
  expect(readGoal(path)).toBe(false);
  writeFileSync(path, `${JSON.stringify({ type: 'attachment', attachment: { type: 'goal_status' } })}\n`);
  expect(readGoal(path)).toBe(true);
});
