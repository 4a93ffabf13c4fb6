import { expect, test } from 'vitest';
import type { SessionFiles } from '../../../../src/read/reflect/reading/files.ts';
import { shareOut } from '../../../../src/read/reflect/reading/share-out.ts';

test('a session whose reading fails does not end the others', async () => {
  const sessions = ['a', 'b', 'c'].map(
    (session): SessionFiles => ({ folder: '-p', session, subagents: [], bytes: 1, modified: 0 }),
  );
  const said: string[] = [];
  let bytes = 0;
  await shareOut<string, string>({
    name: 'greet',
    options: 'hello',
    sessions,
    task: ({ session }, greeting, progress) => {
      progress(1);
      if (session === 'b') throw new Error('cannot');
      return `${greeting} ${session}`;
    },
    take: (result) => said.push(result),
    fail: ({ session }, why) => said.push(`${session}: ${why}`),
    progress: (read) => {
      bytes += read;
    },
  });
  expect(said).toEqual(['hello a', 'b: cannot', 'hello c']);
  expect(bytes).toBe(3);
});
