import { expect, test } from 'vitest';
import { conversationText, type Utterance, withLast } from '../../../../src/engine/core/loop/transcript.ts';

const agent = (text: string, tools: string[] = []): Utterance => ({ who: 'agent', text, tools });

test('the final message is added where the transcript does not hold it yet', () => {
  const before = [agent('one')];
  expect(withLast(before, ' two ')).toEqual([agent('one'), agent('two')]);
  expect(withLast([agent('one\n\ntwo')], 'two')).toEqual([agent('one\n\ntwo')]);
  expect(withLast(before, undefined)).toEqual(before);
  expect(withLast(before, '  ')).toEqual(before);
});

test('what was said last is kept when not all of it fits, and that is told', () => {
  const many = Array.from({ length: 10 }, (_, i) => agent(`message ${i} ${'x'.repeat(100)}`));
  const { text, whole } = conversationText(many, undefined, 400);
  expect(whole).toBe(false);
  expect(text.length).toBeLessThanOrEqual(400);
  expect(text).toContain('message 9');
  expect(text).not.toContain('message 5');
  expect(conversationText(many, undefined, 100_000).whole).toBe(true);
});

test('one long message does not push all others out', () => {
  const { text } = conversationText([agent('short'), agent('y'.repeat(50_000))], undefined, 20_000);
  expect(text).toContain('AGENT:\nshort');
  expect(text).toContain('characters more]');
});

test('nothing said is no text', () => {
  expect(conversationText([], undefined, 1000)).toEqual({ text: '', whole: true });
});
