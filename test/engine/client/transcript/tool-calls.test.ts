import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readToolCalls } from '../../../../src/engine/client/transcript/tool-calls.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';

const call = (id: string) =>
  `${JSON.stringify({ message: { content: [{ type: 'tool_use', id, name: 'Bash' }] } })}\n`;

test('more than one hook may read is read by the next ones, and nothing twice', () => {
  const file = join(temporaryFolder(), 't.jsonl');
  const ids = Array.from({ length: 40 }, (_, i) => `call-${i}`);
  writeFileSync(file, ids.map(call).join(''));
  const seen: string[] = [];
  let offset = 0;
  for (let i = 0; i < 40; i++) {
    const read = readToolCalls(file, offset, 300);
    seen.push(...read.calls.map(({ id }) => id));
    offset = read.offset;
  }
  expect(seen).toEqual(ids);
  expect(readToolCalls(file, offset, 300)).toEqual({ offset, calls: [], failed: [] });
});

test('a line that is longer than everything one hook may read is passed over', () => {
  const file = join(temporaryFolder(), 't.jsonl');
  writeFileSync(file, `"${'x'.repeat(1000)}"\n${call('after')}`);
  let offset = 0;
  const seen: string[] = [];
  for (let i = 0; i < 8; i++) {
    const read = readToolCalls(file, offset, 300);
    seen.push(...read.calls.map(({ id }) => id));
    offset = read.offset;
  }
  expect(seen).toEqual(['after']);
});

test('a torn line waits, and a file that became shorter is a new one', () => {
  const file = join(temporaryFolder(), 't.jsonl');
  writeFileSync(file, call('1').slice(0, -5));
  expect(readToolCalls(file, 0)).toEqual({ offset: 0, calls: [], failed: [] });
  truncateSync(file);
  appendFileSync(file, call('2'));
  expect(readToolCalls(file, 10_000).calls).toMatchObject([{ id: '2', tool: 'Bash' }]);
});
