import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConversation } from '../../../../src/engine/client/transcript/conversation.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';

const line = (text: string) =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`;
const texts = (path: string, maxBytes?: number) => readConversation(path, maxBytes).map(({ text }) => text);

test('a conversation is read in its order, of a long one the whole lines at its end', () => {
  const path = join(temporaryFolder(), 't.jsonl');
  writeFileSync(path, `${line('one')}${line('zwölf')}${line('three')}`);
  expect(texts(path)).toEqual(['one', 'zwölf', 'three']);
  expect(texts(path, line('three').length + 5)).toEqual(['three']);
});

test('a torn last line is left out', () => {
  const path = join(temporaryFolder(), 't.jsonl');
  writeFileSync(path, `${line('one')}${line('two').slice(0, 30)}`);
  expect(texts(path)).toEqual(['one']);
});

test('what is no file says nothing, and is not waited for', () => {
  const folder = temporaryFolder();
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const path of [pipe, folder, join(folder, 'nothing'), '']) expect(readConversation(path)).toEqual([]);
});
