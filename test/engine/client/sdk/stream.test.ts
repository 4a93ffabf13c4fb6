import { describe, expect, test } from 'vitest';
import { parseStreamLine } from '../../../../src/engine/client/sdk/stream.ts';

const happenings = (line: object) => parseStreamLine(JSON.stringify(line));
const user = (content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  ...more,
});
const assistant = (content: unknown) => ({ type: 'assistant', message: { content } });

describe('a line of the client', () => {
  test('names the session and the version at its beginning', () => {
    const line = { type: 'system', subtype: 'init', session_id: 's1', claude_code_version: '2.1.325' };
    expect(happenings(line)).toEqual([{ kind: 'began', session: 's1', clientVersion: '2.1.325' }]);
  });

  test('holds what the model says and calls, in order', () => {
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } },
    ];
    expect(happenings(assistant(content))).toEqual([
      { kind: 'said', text: 'I look.' },
      { kind: 'called', id: 't1', tool: 'Bash', input: { command: 'ls' } },
    ]);
  });

  test('an empty text is nothing said', () => {
    expect(happenings(assistant([{ type: 'text', text: ' \n' }]))).toEqual([]);
  });

  test('the result of a tool is read as text and as a list of texts', () => {
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'Exit code 1', is_error: true };
    expect(happenings(user([result]))).toEqual([
      { kind: 'returned', id: 't1', output: 'Exit code 1', failed: true },
    ]);
    const parts = { ...result, content: [{ type: 'text', text: 'a' }, { type: 'image' }], is_error: false };
    expect(happenings(user([parts]))).toEqual([{ kind: 'returned', id: 't1', output: 'a\n', failed: false }]);
  });

  test('the feedback of a Stop hook is a hold, any other text of a user is not', () => {
    const held = user([{ type: 'text', text: 'Stop hook feedback:\nnot done' }], { isSynthetic: true });
    expect(happenings(held)).toEqual([{ kind: 'held', reason: 'not done' }]);
    expect(happenings(user('Stop hook feedback:\nnot done'))).toEqual([{ kind: 'held', reason: 'not done' }]);
    expect(happenings(user([{ type: 'text', text: 'a prompt' }]))).toEqual([]);
  });

  test('a message of a hook to the person comes without the name of the event', () => {
    const line = { type: 'system', subtype: 'informational', content: 'Stop says: untildone: loop l1 ended' };
    expect(happenings(line)).toEqual([{ kind: 'told', text: 'untildone: loop l1 ended' }]);
  });

  test('the result says whether the session failed', () => {
    expect(happenings({ type: 'result', subtype: 'success', is_error: true, result: 'API error' })).toEqual([
      { kind: 'finished', failed: true, text: 'API error' },
    ]);
    expect(happenings({ type: 'result', is_error: false })).toEqual([
      { kind: 'finished', failed: false, text: '' },
    ]);
  });

  test('of a subagent is no happening of the session', () => {
    const line = { ...assistant([{ type: 'text', text: 'inner' }]), parent_tool_use_id: 't1' };
    expect(happenings(line)).toEqual([]);
  });

  test.each(['', 'no JSON', 'null', '[]', '7', '{}', '{"type":"assistant"}', '{"type":"user","message":3}'])(
    'that says nothing (%s) is no happening',
    (line) => {
      expect(parseStreamLine(line)).toEqual([]);
    },
  );

  test('with fields of the wrong type does not fail', () => {
    expect(happenings(assistant([{ type: 'tool_use', id: 1, name: 2, input: 'x' }, null, 4]))).toEqual([
      { kind: 'called', id: '', tool: '', input: {} },
    ]);
    expect(happenings(user([{ type: 'tool_result', content: 5 }]))).toEqual([
      { kind: 'returned', id: '', output: '', failed: false },
    ]);
  });
});
