import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { REPORT_PEAK } from '../../bench/peak-memory.ts';
import { writeTranscript } from '../../bench/transcript.ts';

const PROGRAM = resolve(import.meta.dirname, '../../dist/untildone.cjs');
const MB = 1024 * 1024;

test('an audit shares large transcripts out to threads, in bounded memory', () => {
  const root = mkdtempSync(join(tmpdir(), 'audit-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const projects = join(root, 'config/projects/-project');
  mkdirSync(projects, { recursive: true });
  for (const session of ['one', 'two', 'three']) writeTranscript(join(projects, `${session}.jsonl`), 40 * MB);
  const preload = join(root, 'report-peak.cjs');
  writeFileSync(preload, REPORT_PEAK);
  const peak = join(root, 'peak');
  const printed = execFileSync(
    process.execPath,
    ['--require', preload, PROGRAM, 'audit', '--since', 'all', '--json'],
    {
      encoding: 'utf8',
      env: { ...process.env, CLAUDE_CONFIG_DIR: join(root, 'config'), BENCH_PEAK_FILE: peak },
    },
  );
  const found = JSON.parse(printed) as { bytes: number };
  expect(found).toMatchObject({ sessions: 3, bad_lines: 0, unreadable: 0, total: 0 });
  expect(found.bytes).toBeGreaterThan(119 * MB);
  expect(Number(readFileSync(peak, 'utf8')) / 1024).toBeLessThan(200);
});
