import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findSessions } from '../../../../src/read/reflect/reading/files.ts';

function projects(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'projects-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test('sessions are found with their subagents, also those that older versions put beside them', () => {
  const root = projects({
    '-p-one/s1.jsonl': 'xxxx',
    '-p-one/s1/subagents/agent-a.jsonl': 'xx',
    '-p-one/s1/subagents/workflow/agent-b.jsonl': 'xx',
    '-p-one/s1/subagents/agent-acompact-1.jsonl': 'the session again',
    '-p-one/s1/tool-results/x.txt': 'no transcript',
    '-p-one/agent-old.jsonl': '{"sessionId":"s1"}\n',
    '-p-two/s2.jsonl': 'x',
    '-p-two/memory/notes.md': 'x',
  });
  const { sessions, problems, exists } = findSessions(root);
  expect(
    sessions.map(({ folder, session, subagents, bytes }) => [folder, session, subagents.length, bytes]),
  ).toEqual([
    ['-p-one', 's1', 3, 27],
    ['-p-two', 's2', 0, 1],
  ]);
  expect([problems, exists]).toEqual([[], true]);
});

test('what links lead to is found once', () => {
  const root = projects({ '-p/s1.jsonl': 'x', 'real/s3.jsonl': 'x' });
  symlinkSync(join(root, '-p'), join(root, '-same'));
  symlinkSync(join(root, '-p/s1.jsonl'), join(root, '-p/s2.jsonl'));
  symlinkSync(root, join(root, '-p/circle'));
  expect(findSessions(root).sessions.map(({ session }) => session)).toEqual(['s1', 's3']);
});

test('a time leaves out what was not written since, a project all others', () => {
  const root = projects({
    '-home-me-app/s1.jsonl': 'x',
    '-home-me-app-web/s2.jsonl': 'x',
    '-home-me-apple/s3.jsonl': 'x',
  });
  utimesSync(join(root, '-home-me-app/s1.jsonl'), new Date(1000), new Date(1000));
  const names = (options: object) => findSessions(root, options).sessions.map(({ session }) => session);
  expect(names({ since: 5000 })).toEqual(['s2', 's3']);
  // A folder inside of the project may have this name as well.
  expect(names({ project: '/home/me/app/' })).toEqual(['s1', 's2']);
});

test('a folder that is missing differs from one that cannot be read', () => {
  expect(findSessions('/nowhere/at/all')).toMatchObject({ exists: false, sessions: [], problems: [] });
  const root = projects({ '-p/s1.jsonl': 'x', file: 'x' });
  expect(findSessions(join(root, 'file'))).toMatchObject({ exists: true, problems: [{ why: 'ENOTDIR' }] });
  if (process.getuid?.() === 0) return;
  chmodSync(join(root, '-p'), 0);
  expect(findSessions(root).problems).toEqual([{ path: join(root, '-p'), why: 'EACCES' }]);
});
