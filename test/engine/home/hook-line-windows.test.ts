import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { belowFolder } from '../../../src/engine/files/platform.ts';
import {
  hookLine,
  hookScript,
  parseSessionRecord,
  SESSION_START_LINE,
} from '../../../src/engine/home/hook-line.ts';
import { SESSION, SHELLS } from '../../support/client/shells.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

/** On Windows the line is read by the bash of Git, and Claude Code names the project as Windows does. */

const ANSWERS = "process.stdout.write('{}'); process.exitCode = Number(process.env.UNTILDONE_ANSWERED);";
const PROJECT = "C:\\Users\\o'neil\\my project";

/** A home in which every session of that project is guarded. */
function guardedHome(): string {
  const root = temporaryFolder();
  const home = join(root, '.untildone');
  const marker = join(home, 'standing', belowFolder(PROJECT), '.on');
  for (const folder of [dirname(marker), join(home, 'active'), join(home, 'sessions')])
    mkdirSync(folder, { recursive: true });
  writeFileSync(marker, '');
  const hookEntry = join(home, 'hook.cjs');
  writeFileSync(hookEntry, ANSWERS);
  writeFileSync(join(home, 'hook.sh'), hookScript({ nodePath: process.execPath, hookEntry }));
  return root;
}

describe.each(SHELLS.map((shell) => ({ shell, name: shell.join(' ') })))('under $name', ({ shell }) => {
  test.each([
    [PROJECT, '{}\n'],
    ["C:/Users/o'neil/my project", '{}\n'],
    [`${PROJECT}\\inner`, ''],
    [PROJECT.replace('C:', 'D:'), ''],
    ['C:Users', ''],
  ])('the marker of %s', (project, answer) => {
    const root = guardedHome();
    const run = (line: string) => {
      const env = [`HOME=${root}`, `CLAUDE_CODE_SESSION_ID=${SESSION}`, `CLAUDE_PROJECT_DIR=${project}`];
      // With an empty PATH, any program that is not built into the shell leaves "not found" on stderr.
      const words = ['-i', 'PATH=', 'CLAUDE_PID=7', ...env, ...shell, '-c', line];
      return spawnSync('/usr/bin/env', words, { input: '{}', encoding: 'utf8' });
    };
    expect(run(hookLine('UserPromptSubmit'))).toMatchObject({ status: 0, stdout: answer, stderr: '' });
    run(SESSION_START_LINE);
    const record = readFileSync(join(root, '.untildone/sessions', `${SESSION}.at`), 'utf8');
    expect(parseSessionRecord(record)).toEqual({ project, pid: 7 });
  });
});

test('the script names node and the hook with slashes', () => {
  const script = hookScript({
    nodePath: 'C:\\Program Files\\nodejs\\node.exe',
    hookEntry: 'D:\\u\\untildone.cjs',
  });
  expect(script).toContain("node='C:/Program Files/nodejs/node.exe'\nentry='D:/u/untildone.cjs'\n");
});
