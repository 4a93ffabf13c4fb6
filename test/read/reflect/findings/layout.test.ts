import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homeAt } from '../../../../src/engine/home/layout.ts';
import { analyse } from '../../../../src/read/reflect/findings/analyse.ts';
import { merged } from '../../../../src/read/reflect/findings/finding.ts';
import { reportJson } from '../../../../src/read/reflect/findings/json.ts';
import { homeSummary, saveSummary } from '../../../../src/read/reflect/findings/summary.ts';
import { reportLines, reportMarkdown } from '../../../../src/read/reflect/findings/words.ts';
import { bash, fileOf, MadeTranscript, scratchFolder, T0 } from '../../../support/reflect/made-transcript.ts';

/** The example of document 004: eight commands, a session of 120 messages, two slow requests. */
function example(project = scratchFolder()) {
  const made = new MadeTranscript().prompt('Build it');
  for (let i = 0; i < 8; i++) made.call(bash(`echo ${'abcdefgh'[i]}`));
  while (made.lines.length < 120) made.lines.length % 2 === 0 ? made.say('ok') : made.prompt('go on');
  mkdirSync(join(project, '.claude-trace'), { recursive: true });
  const slow = (took: number) =>
    JSON.stringify({
      request: { timestamp: T0 / 1000 },
      response: {
        timestamp: T0 / 1000 + took,
        status_code: 200,
        body: { usage: { input_tokens: 62_500, output_tokens: 4_250 } },
      },
    });
  writeFileSync(join(project, '.claude-trace', 'log.jsonl'), `${slow(31)}\n${slow(45)}\n`);
  return analyse({ transcript: fileOf(made) }, { now: T0, project });
}

test('the report has the layout of document 004', () => {
  const lines = reportLines(example());
  expect(lines[0]).toBe('SESSION REFLECTION ANALYSIS');
  expect(lines[1]).toBe('='.repeat(70));
  const headings = lines.filter((line) => /^[A-Z].*:/.test(line)).map((line) => line.replace(/ \d+$/, ''));
  expect(headings).toEqual([
    'Session Metrics:',
    'Claude-Trace Analysis:',
    'Patterns Detected:',
    'Suggestions:',
  ]);
  const after = (start: string, count: number) => {
    const at = lines.findIndex((line) => line.startsWith(start));
    return lines.slice(at, at + count);
  };
  expect(lines).toContain('  Total messages: 120');
  expect(lines).toContain('  Tool uses: 8');
  expect(after('Claude-Trace Analysis:', 5)).toEqual([
    'Claude-Trace Analysis:',
    '  Token usage: 125000 input, 8500 output',
    '  API errors: 0',
    '  Rate limit hits: 0',
    '  Slow requests (>30s): 2',
  ]);
  expect(lines).toContain('Patterns Detected: 3');
  const pattern = (name: string) =>
    after(lines.find((line) => line.endsWith(`. ${name}`)) ?? name, 4).slice(1);
  expect(pattern('REPEATED_TOOL_USE').slice(0, 3)).toEqual([
    '     → Used bash 8 times. Consider creating a tool or script',
    '     tool: bash',
    '     count: 8',
  ]);
  expect(pattern('LONG_SESSION').slice(0, 2)).toEqual([
    '     → Consider breaking into smaller, focused tasks',
    '     message_count: 120',
  ]);
  expect(pattern('SLOW_REQUESTS').slice(0, 2)).toEqual([
    '     → Optimize prompts or break down complex requests',
    '     count: 2',
  ]);
  const suggestions = lines
    .slice(lines.indexOf('Suggestions:') + 1)
    .map((line) => line.replace(/^ {2}\d+\. /, ''));
  expect(suggestions).toContain('Consider creating a script to automate these bash commands.');
  expect(suggestions).toContain(
    'Long session detected. Future tasks could benefit from better decomposition.',
  );
});

test('Markdown has the same parts, and text of others is code in it', () => {
  const made = new MadeTranscript().prompt('x');
  for (let i = 0; i < 3; i++) made.call(bash('echo ``` | grep "<img src=x>" @everyone'));
  const text = reportMarkdown(analyse({ transcript: fileOf(made) }, { now: T0 })).join('\n');
  for (const part of [
    '# SESSION REFLECTION ANALYSIS',
    '## Session Metrics',
    '## Patterns Detected: 2',
    '## Suggestions',
  ])
    expect(text).toContain(part);
  expect(text).toContain('- command: ````echo ``` | grep "<img src=x>" @everyone````');
});

test('JSON names every field, and evidence is file, line and time', () => {
  const json = reportJson(example());
  expect(Object.keys(json)).toEqual([
    ...[
      'scope',
      'at',
      'metrics',
      'claude_trace',
      'severities',
      'findings',
      'suggestions',
      'sessions',
      'loops',
      'read',
    ],
  ]);
  expect(json.severities).toEqual({ high: 0, medium: 0, low: 3 });
  const tool = json.findings.find(({ type }) => type === 'repeated_tool_use');
  expect(tool).toMatchObject({ type: 'repeated_tool_use', severity: 'low', count: 8, tool: 'bash' });
  expect(tool?.evidence[0]).toEqual({
    file: expect.stringMatching(/session\.jsonl$/),
    line: 2,
    at: '2026-03-01T10:00:01.000Z',
    what: null,
  });
});

test('the same finding of two sessions is one, with both counts', () => {
  const one = example().findings;
  const both = merged([...one, ...one.map((found) => ({ ...found, in: ['another'] }))]);
  const tool = both.find(({ type }) => type === 'repeated_tool_use');
  expect(tool).toMatchObject({ count: 16, fields: { tool: 'bash', count: 16 } });
  expect(tool?.in).toHaveLength(2);
});

describe('the summary', () => {
  const places = () => {
    const project = scratchFolder();
    return { project, home: homeAt(join(scratchFolder(), 'home')), now: T0 };
  };
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
  const session = '11111111-2222-4333-8444-555555555555';
  const issue = {
    number: 7,
    url: 'https://github.com/o/r/issues/7',
    title: 't',
    fingerprint: 'f',
    updated: false,
  };

  test('lies where document 004 looks for it, and keeps the issues that were filed', () => {
    const place = places();
    mkdirSync(join(place.project, '.claude/runtime/locks'), { recursive: true });
    const report = example(place.project);
    const path = join(place.project, '.claude/runtime/logs', session, 'reflection_summary.json');
    expect(saveSummary(report, place, [issue])).toEqual({ saved: [path], problems: [] });
    // By now there is a home, which keeps it, too.
    expect(saveSummary(report, place).saved).toEqual([path, homeSummary(place, session)]);
    const summary = read(path);
    expect(summary).toMatchObject({
      session_id: session,
      metrics: { total_messages: 120, tool_uses: 8 },
      claude_trace: { slow_requests: 2 },
      issues_created: [{ number: 7, url: 'https://github.com/o/r/issues/7' }],
    });
    expect(summary.patterns).toContainEqual(
      expect.objectContaining({ type: 'long_session', message_count: 120 }),
    );
    expect(summary.suggestions).toHaveLength(3);
  });

  test('lies in the folder of the loop, and nowhere in a project that is not of document 004', () => {
    const place = places();
    const loopDir = scratchFolder();
    const { saved } = saveSummary(example(place.project), { ...place, loopDir });
    expect(saved).toEqual([join(loopDir, 'reflection_summary.json')]);
    expect(read(saved[0] ?? '').scope).toBe('session');
  });

  test('is not written through a link that leads out of the folder', () => {
    const place = places();
    mkdirSync(join(place.project, '.claude/runtime/locks'), { recursive: true });
    const elsewhere = scratchFolder();
    symlinkSync(elsewhere, join(place.project, '.claude/runtime/logs'));
    const { saved, problems } = saveSummary(example(place.project), place);
    expect(saved).toEqual([]);
    expect(problems).toHaveLength(1);
    rmSync(join(place.project, '.claude/runtime/logs'));
  });
});
