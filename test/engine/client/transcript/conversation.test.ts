import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseConversation } from '../../../../src/engine/client/transcript/conversation.ts';

const line = (entry: object) => JSON.stringify(entry);
const user = (content: unknown, more: object = {}) =>
  line({ type: 'user', message: { role: 'user', content }, ...more });
const assistant = (id: string, block: object, more: object = {}) =>
  line({ type: 'assistant', message: { id, role: 'assistant', content: [block] }, ...more });
const text = (said: string) => ({ type: 'text', text: said });

describe('of a transcript', () => {
  test('what the person and the agent said is kept, the blocks of one answer together', () => {
    const lines = [
      user('Build it.'),
      assistant('m1', { type: 'thinking', thinking: 'hm' }),
      assistant('m1', text('I look.')),
      assistant('m1', { type: 'tool_use', id: 't1', name: 'Bash', input: {} }),
      user([{ type: 'tool_result', tool_use_id: 't1', content: 'secret output' }]),
      assistant('m2', text('Done.')),
    ];
    expect(parseConversation(lines)).toEqual([
      { who: 'person', text: 'Build it.', tools: [] },
      { who: 'agent', text: 'I look.', tools: ['Bash'] },
      { who: 'agent', text: 'Done.', tools: [] },
    ]);
  });

  test('subagents, feedback of hooks, notices of the client and torn lines are left out', () => {
    const lines = [
      user('from a subagent', { isSidechain: true }),
      user('Stop hook feedback:\n- [ ] one', { isMeta: true }),
      assistant('m1', text('API error'), { isApiErrorMessage: true }),
      line({
        type: 'assistant',
        message: { model: '<synthetic>', content: [text('No response requested.')] },
      }),
      line({ type: 'system', subtype: 'compact_boundary' }),
      '{"type":"assistant","message":{"id":"m2","content":[{"type":"te',
    ];
    expect(parseConversation(lines)).toEqual([]);
  });

  test('what the client put in place of what it dropped is a summary', () => {
    expect(parseConversation([user('This session is being continued.', { isCompactSummary: true })])).toEqual(
      [{ who: 'summary', text: 'This session is being continued.', tools: [] }],
    );
  });

  test('of the real client something is understood', () => {
    const folder = join(import.meta.dirname, '../../../fixtures/transcripts');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((f) =>
      f.endsWith('.jsonl'),
    );
    expect(files.length).toBeGreaterThan(0);
    const said = files.flatMap((f) => parseConversation(readFileSync(join(folder, f), 'utf8').split('\n')));
    expect(new Set(said.map(({ who }) => who))).toContain('agent');
    expect(new Set(said.map(({ who }) => who))).toContain('person');
    expect(said.some(({ tools }) => tools.length > 0)).toBe(true);
  });

  test('anything may stand in a line', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({
          type: fc.constantFrom('user', 'assistant'),
          message: fc.oneof(fc.jsonValue(), fc.record({ id: fc.jsonValue(), content: fc.jsonValue() })),
        })
        .map((entry) => JSON.stringify(entry)),
    );
    fc.assert(
      fc.property(fc.array(anything), (lines) => {
        for (const { text: said, tools } of parseConversation(lines)) {
          expect(typeof said).toBe('string');
          expect(Array.isArray(tools)).toBe(true);
        }
      }),
    );
  });
});
