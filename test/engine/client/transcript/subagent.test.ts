import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAgentLine } from '../../../../src/engine/client/transcript/subagent.ts';

const FIXTURE = join(import.meta.dirname, '../../../fixtures/transcripts/2.1.325-subagent.jsonl');
const call = (name: string, input: unknown) =>
  JSON.stringify({
    type: 'assistant',
    parentUuid: 'u1',
    message: { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name, input }] },
  });

test('the transcript of a real subagent: its prompt, and that it used a shell', () => {
  const said = readFileSync(FIXTURE, 'utf8').split('\n').map(parseAgentLine);
  expect(said.flatMap(({ prompt }) => (prompt === undefined ? [] : [prompt]))).toEqual(['SUBWORK']);
  expect(said.flatMap(({ others }) => others)).toEqual(['Bash']);
  expect(said.flatMap(({ edited }) => edited)).toEqual([]);
});

describe('a call', () => {
  test.each([
    ['Write', { file_path: '/p/a.ts', content: 'x' }],
    ['Edit', { file_path: '/p/a.ts', old_string: 'x', new_string: 'y' }],
    ['MultiEdit', { file_path: '/p/a.ts', edits: [] }],
    ['NotebookEdit', { notebook_path: '/p/a.ts', new_source: '' }],
  ])('of %s names the file that it changes', (name, input) => {
    expect(parseAgentLine(call(name, input))).toEqual({ edited: ['/p/a.ts'], others: [] });
  });
  test.each(['Read', 'Grep', 'WebFetch', 'TaskUpdate'])('of %s changes nothing', (name) => {
    expect(parseAgentLine(call(name, { file_path: '/p/a.ts' }))).toEqual({ edited: [], others: [] });
  });
  test.each(['Bash', 'Agent', 'mcp__files__write', 'constructor'])('of %s may change anything', (name) => {
    expect(parseAgentLine(call(name, {}))).toEqual({ edited: [], others: [name] });
  });
  test('that writes, and does not say where, may change anything', () => {
    expect(parseAgentLine(call('Write', { file_path: 7 }))).toEqual({ edited: [], others: ['Write'] });
    expect(parseAgentLine(call('Edit', null))).toEqual({ edited: [], others: ['Edit'] });
  });
});

test('only the first line is what it was asked; what is not understood says nothing', () => {
  const line = (fields: object) => JSON.stringify({ type: 'user', parentUuid: null, ...fields });
  const blocks = [{ type: 'text', text: 'one' }, { type: 'image' }, { type: 'text', text: 'two' }];
  expect(parseAgentLine(line({ message: { content: blocks } })).prompt).toBe('one\ntwo');
  expect(parseAgentLine(line({ message: { content: 'x' }, parentUuid: 'u' })).prompt).toBeUndefined();
  for (const text of [
    '',
    'null',
    '[]',
    '{',
    '{"type":"user"}',
    line({ message: {} }),
    call('Write', []).slice(9),
  ])
    expect(parseAgentLine(text)).toEqual({ edited: [], others: [] });
});
