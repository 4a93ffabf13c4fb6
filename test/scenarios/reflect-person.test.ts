/** A person at a real terminal answers the question of `reflect --issues`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { quoteForShell } from '../../src/engine/core/shell/words.ts';
import { folderNameOf } from '../../src/read/reflect/reading/files.ts';
import { useWorld, world } from '../support/cli/cli.ts';
import { waitFor } from '../support/live/processes.ts';
import { hasTerminal, PTY } from '../support/live/terminal.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { ghOnPath } from '../support/reflect/fake-gh.ts';
import { bash, MadeTranscript } from '../support/reflect/made-transcript.ts';
import { initRepository } from '../support/repository.ts';

useWorld();
beforeEach(() => initRepository(world().project));
afterEach(() => vi.unstubAllEnvs());

const SESSION = '11111111-2222-4333-8444-555555555555';
const CTRL_C = '\x03';

/** A folder for temporary files that no other test uses. */
function scratch(): string {
  const folder = join(world().folder, 'tmp');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Types each answer when its question stands on the screen. Resolves when the program has ended. */
async function atTerminal(args: string[], dialogue: [question: string, keys: string][]) {
  const words = [process.execPath, join(world().folder, 'dist/untildone.cjs'), ...args];
  const terminal = spawn(PTY, ['-qefc', `exec ${words.map(quoteForShell).join(' ')}`, '/dev/null'], {
    cwd: world().project,
    env: { ...world().env, PATH: process.env.PATH ?? '', TMPDIR: scratch() },
  });
  onTestFinished(() => void terminal.kill('SIGKILL'));
  let seen = '';
  let from = 0;
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text;
  });
  const ended = once(terminal, 'close');
  for (const [question, keys] of dialogue) {
    await waitFor(() => seen.indexOf(question, from) >= 0, PATIENCE_MS, `${question} in ${seen}`);
    from = seen.indexOf(question, from) + question.length;
    terminal.stdin.write(keys);
  }
  const [code] = await ended;
  return { code: code as number, seen };
}

describe.runIf(hasTerminal)('at a terminal', () => {
  test('reflect --issues: n files nothing, select what was chosen, y brings it up to date, Ctrl-C ends it', async () => {
    const gh = ghOnPath();
    const { project, folder } = world();
    const transcripts = join(folder, '.claude/projects', folderNameOf(project));
    mkdirSync(transcripts, { recursive: true });
    mkdirSync(join(project, '.claude/runtime/locks'), { recursive: true });
    const made = new MadeTranscript({ session: SESSION, cwd: project }).prompt('go');
    for (const command of ['make a', 'make b']) for (let i = 0; i < 3; i++) made.call(bash(command));
    writeFileSync(join(transcripts, `${SESSION}.jsonl`), made.text);
    const reflect = ['reflect', SESSION, '--issues'];
    const asks = 'Your choice: ';

    expect((await atTerminal(reflect, [[asks, 'n\r']])).seen).toContain('Nothing was filed.');
    expect((await atTerminal(reflect, [[asks, CTRL_C]])).code).toBe(130);
    expect(gh.state().issues).toEqual([]);

    const selected = await atTerminal(reflect, [
      [asks, 'perhaps\r'],
      [asks, 'select\r'],
      ['Which of them?', '9\r'],
      ['Which of them?', '2\r'],
    ]);
    expect(selected).toMatchObject({ code: 0, seen: expect.stringContaining('Filed: #1 Improvement:') });
    expect(selected.seen).toContain('Type y, n or select.');
    expect(selected.seen).toContain('Type numbers from 1 to 3.');
    expect(gh.state().issues).toHaveLength(1);

    const all = await atTerminal(reflect, [[asks, 'y\r']]);
    expect(all.seen).toContain('Brought up to date: #1');
    expect(gh.state().issues.map(({ comments }) => comments.length)).toEqual([1, 0, 0]);
    const summary = join(project, '.claude/runtime/logs', SESSION, 'reflection_summary.json');
    const { issues_created: kept } = JSON.parse(readFileSync(summary, 'utf8'));
    expect(kept.map(({ number }: { number: number }) => number).sort()).toEqual([1, 2, 3]);
  });
});
