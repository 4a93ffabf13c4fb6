import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/files/workers.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { bash, MadeTranscript } from '../support/reflect/made-transcript.ts';

const PROGRAM = resolve(import.meta.dirname, '../../dist/untildone.cjs');
const SESSIONS = 7;

/** So much that it is shared out to threads, and more sessions than there are threads. */
test('many large sessions are read side by side, each once', () => {
  const home = realpathSync(temporaryFolder());
  const project = join(home, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  const folder = join(home, '.claude', 'projects', project.replace(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < SESSIONS; number++) {
    const made = new MadeTranscript({
      session: `s${number}`,
      cwd: project,
      at: Date.now() - 3_600_000,
    }).prompt('go');
    for (let i = 0; i < 3; i++) made.call(bash('make it'));
    const filler = `${JSON.stringify({ type: 'api-request', shape: 'x'.repeat(4_000_000) })}\n`;
    writeFileSync(join(folder, `s${number}.jsonl`), filler + made.text);
  }
  const env = { PATH: process.env.PATH ?? '', HOME: home, UNTILDONE_HOME: join(home, 'home') };
  const out = execFileSync(process.execPath, [PROGRAM, 'reflect', '--json'], {
    cwd: project,
    env,
    timeout: PATIENCE_MS,
  });
  const report = JSON.parse(out.toString('utf8'));
  expect(report.sessions).toHaveLength(SESSIONS);
  expect(report.read.problems).toEqual([]);
  expect(report.findings[0]).toMatchObject({ type: 'repeated_command', count: 3 * SESSIONS });
});
