import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Script } from '../../../src/dev/simulator/script.ts';
import { sceneOfTest } from '../../support/live/test-scene.ts';
import { bash, must } from '../../support/live/untildone.ts';

/** One session of the real Claude Code in which many things go wrong, and what is found of it. */
test('reflection finds what happened in a session of the real Claude Code', async () => {
  const scene = await sceneOfTest();
  const file = join(scene.project, 'a.txt');
  await writeFile(file, 'one\ntwo\n');
  await mkdir(join(scene.project, '.claude/runtime/locks'), { recursive: true });
  const read = { name: 'Read', input: { file_path: file } };
  const edit = (from: string, to: string) => ({
    name: 'Edit',
    input: { file_path: file, old_string: from, new_string: to },
  });
  const tools = [
    ...Array.from({ length: 5 }, () => read),
    ...['ls  -la', 'ls -la', 'ls -la | cat'].map(bash),
    ...[1, 2, 3].map((n) => bash(`cat missing${n}.txt`)),
    ...[edit('one', 'uno'), edit('uno', 'one')],
    ...[bash('node --test none.js'), bash('node --test none.js')],
    ...[bash('rm a.txt'), bash('echo a; rm -f a.txt')],
  ];
  const script: Script = {
    turns: [...tools.map((tool) => ({ tools: [tool] })), { text: 'done' }] as Script['turns'],
  };
  const run = await scene.runClient({
    prompt: 'It still does not work, I am stuck',
    settings: { permissions: { deny: ['Bash(rm:*)'] } },
    script,
  });
  const session = run.session ?? '';

  const report = JSON.parse(await must(scene, ['reflect', session.slice(0, 8), '--json', '--frustration']));
  expect(report.scope).toEqual({ kind: 'session', id: session, since: null });
  expect(report.metrics).toMatchObject({
    assistant_messages: tools.length + 1,
    user_messages: tools.length + 1,
    tool_uses: tools.length,
    prompts: 1,
  });
  expect(report.metrics.models).toMatchObject([{ model: 'claude-opus-5-5', answers: tools.length + 1 }]);
  expect(report.metrics.tools).toMatchObject([
    { tool: 'Bash', calls: 10, failed: 7 },
    { tool: 'Read', calls: 5, failed: 0 },
    { tool: 'Edit', calls: 2, failed: 0 },
    { tool: '(text)' },
  ]);
  const found = (type: string) => report.findings.filter((one: { type: string }) => one.type === type);
  expect(found('repeated_command')).toMatchObject([{ command: 'ls -la', count: 3, failed: 0 }]);
  expect(found('error_patterns')).toMatchObject([
    { count: 3, error: expect.stringContaining('missing1.txt') },
  ]);
  expect(found('repeated_reads')).toMatchObject([{ file: 'a.txt', count: 5 }]);
  expect(found('reverted_edits')).toMatchObject([{ file: 'a.txt', count: 1 }]);
  expect(found('tests_without_change')).toMatchObject([{ command: 'node --test none.js', count: 1 }]);
  expect(found('tool_denials')).toMatchObject([{ tool: 'Bash', count: 2 }]);
  expect(found('user_frustration')).toMatchObject([{ count: 2 }]);
  expect(
    found('repeated_tool_use').map(({ tool, count }: { tool: string; count: number }) => [tool, count]),
  ).toEqual([
    ['bash', 10],
    ['read', 5],
  ]);
  // Each line that is named holds what it is named for.
  const lines = readFileSync(report.sessions[0].file, 'utf8').split('\n');
  for (const { line } of found('repeated_reads')[0].evidence)
    expect(lines[line - 1]).toContain('"name":"Read"');

  const summary = join(scene.project, '.claude/runtime/logs', session, 'reflection_summary.json');
  expect(JSON.parse(readFileSync(summary, 'utf8'))).toMatchObject({
    session_id: session,
    metrics: { tool_uses: tools.length },
    patterns: report.findings.map(({ fingerprint }: { fingerprint: string }) => ({ fingerprint })),
  });
});
