import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { traceJson } from '../../../../src/read/reflect/findings/json.ts';
import { traceFindings } from '../../../../src/read/reflect/findings/trace.ts';
import { readTraces } from '../../../../src/read/reflect/findings/trace-files.ts';
import { scratchFolder, T0 } from '../../../support/reflect/made-transcript.ts';

const seconds = T0 / 1000;
const pair = (status: number, response: object, { at = seconds, took = 2 } = {}) => ({
  request: { timestamp: at, method: 'POST', url: 'https://api.anthropic.com/v1/messages', body: {} },
  response: { timestamp: at + took, status_code: status, ...response },
  logged_at: new Date((at + took) * 1000).toISOString(),
});
const usage = (input_tokens: number, output_tokens: number) => ({
  body: { usage: { input_tokens, output_tokens } },
});
const stream = [
  'event: message_start',
  'data: {"type":"message_start","message":{"usage":{"input_tokens":7,"cache_creation_input_tokens":2,"cache_read_input_tokens":1,"output_tokens":1}}}',
  'event: message_delta',
  'data: {"type":"message_delta","usage":{"output_tokens":42}}',
].join('\n');

function traced(lines: readonly (object | string)[]) {
  const project = scratchFolder();
  mkdirSync(join(project, '.claude-trace'));
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  writeFileSync(join(project, '.claude-trace', 'log-2026.jsonl'), text);
  writeFileSync(join(project, '.claude-trace', 'log-2026.html'), '<html>');
  return readTraces(project, 0);
}

test('claude-trace: tokens, errors, rate limits and slow requests', () => {
  const { figures, problems } = traced([
    pair(200, usage(100, 5)),
    pair(200, { body_raw: stream }, { took: 31 }),
    pair(500, {}),
    pair(429, {}),
    { request: { timestamp: seconds }, response: null, logged_at: 'x', note: 'ORPHANED_REQUEST' },
    pair(200, {}, { took: 30 }),
    'not json',
  ]);
  expect(traceJson(figures)).toEqual({
    files: 1,
    requests: 6,
    token_usage: { input: 110, output: 47 },
    api_errors: 2,
    rate_limits: 1,
    slow_requests: 1,
  });
  expect(problems).toEqual([expect.stringContaining('1 lines are no JSON')]);
  const found = traceFindings(figures);
  expect(found.map(({ type, count }) => [type, count])).toEqual([
    ['api_errors', 2],
    ['rate_limits', 1],
    ['slow_requests', 1],
  ]);
  expect(found[2]?.places[0]?.line).toBe(2);
  expect(found[2]?.cost.ms).toBe(31_000);
});

test('only requests of the time that is asked about count', () => {
  const project = scratchFolder();
  mkdirSync(join(project, '.claude-trace'));
  const lines = [-100, 0, 100].map((from) => JSON.stringify(pair(200, usage(1, 1), { at: seconds + from })));
  writeFileSync(join(project, '.claude-trace', 'log.jsonl'), lines.join('\n'));
  expect(readTraces(project, T0 - 1_000, T0 + 1_000).figures.requests).toBe(1);
});

test('a project without traces, and one whose trace is a folder', () => {
  const project = scratchFolder();
  expect(readTraces(project, 0).figures.files).toBe(0);
  mkdirSync(join(project, '.claude-trace', 'x.jsonl'), { recursive: true });
  expect(readTraces(project, 0).problems).toHaveLength(1);
});
