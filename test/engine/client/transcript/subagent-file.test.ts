import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSubagentActivity } from '../../../../src/engine/client/transcript/subagent.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';

const FIXTURE = join(import.meta.dirname, '../../../fixtures/transcripts/2.1.325-subagent.jsonl');
const answer = (content: object[], stop: string) =>
  `${JSON.stringify({ type: 'assistant', isSidechain: true, parentUuid: 'u', message: { model: 'm', content, stop_reason: stop } })}\n`;
const wrote = (file: string) =>
  answer([{ type: 'tool_use', id: file, name: 'Write', input: { file_path: file } }], 'tool_use');
const DONE = answer([{ type: 'text', text: 'done' }], 'end_turn');

test('what a real subagent was asked and did', async () => {
  expect(await readSubagentActivity(FIXTURE)).toEqual({
    prompt: 'SUBWORK',
    edited: [],
    others: ['Bash'],
    whole: true,
  });
});

test('each file is told once, in the order of the calls', async () => {
  const path = join(temporaryFolder(), 'agent.jsonl');
  writeFileSync(path, [wrote('b.ts'), wrote('a.ts'), wrote('b.ts'), DONE].join(''));
  expect(await readSubagentActivity(path)).toEqual({ edited: ['b.ts', 'a.ts'], others: [], whole: true });
});

test('the client writes behind its hooks: the last answer is waited for', async () => {
  const path = join(temporaryFolder(), 'agent.jsonl');
  copyFileSync(FIXTURE, path);
  appendFileSync(path, wrote('late.ts'));
  const reading = readSubagentActivity(path);
  appendFileSync(path, wrote('later.ts') + DONE);
  expect((await reading)?.edited).toEqual(['late.ts', 'later.ts']);
});

test('one that is too long is not told as a whole; one that is not there is not told at all', async () => {
  const path = join(temporaryFolder(), 'agent.jsonl');
  writeFileSync(path, wrote('a.ts') + wrote('b.ts') + DONE);
  expect(await readSubagentActivity(path, wrote('a.ts').length)).toMatchObject({
    edited: ['a.ts'],
    whole: false,
  });
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const none of [pipe, join(temporaryFolder(), 'nothing')])
    expect(await readSubagentActivity(none)).toBeUndefined();
});

test('a prompt of any length is cut', async () => {
  const path = join(temporaryFolder(), 'agent.jsonl');
  const first = {
    type: 'user',
    parentUuid: null,
    isSidechain: true,
    message: { content: 'x'.repeat(90_000) },
  };
  writeFileSync(path, `${JSON.stringify(first)}\n${DONE}`);
  expect((await readSubagentActivity(path))?.prompt).toHaveLength(20_000);
});
