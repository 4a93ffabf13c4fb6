import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerSlash } from '../../../src/cli/slash/slash.ts';
import { homeAt } from '../../../src/engine/home/layout.ts';
import { refuseInsideClient } from '../../../src/engine/hook/start/person.ts';
import { out, warn } from '../../../src/engine/terminal/print.ts';

let home: string;
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'untildone-slash-')), 'home');
});
afterEach(() => rmSync(join(home, '..'), { recursive: true, force: true }));

const environment = () => ({
  UNTILDONE_HOME: home,
  CLAUDECODE: '1',
  CLAUDE_CODE_SESSION_ID: 's1',
  CLAUDE_PROJECT_DIR: '/the project',
  CLAUDE_PID: String(process.ppid),
});

async function typed(
  name: string,
  args: string,
  run: (words: readonly string[]) => void,
  env = environment(),
) {
  const event = {
    hook_event_name: 'UserPromptExpansion',
    session_id: 's1',
    command_name: name,
    command_args: args,
  };
  const answer = await answerSlash(JSON.stringify(event), async (words) => run(words), env);
  return answer === '' ? undefined : JSON.parse(answer);
}

test('a command that begins nothing costs no request: you read its lines', async () => {
  const answer = await typed('untildone:status', '', () => {
    out('one');
    warn('two \u001b[31m');
  });
  expect(answer).toEqual({
    decision: 'block',
    reason: 'one\ntwo \\u{1b}[31m',
    hookSpecificOutput: { hookEventName: 'UserPromptExpansion', suppressOriginalPrompt: true },
  });
  expect(existsSync(home)).toBe(false);
});

test('a loop begins with its task, word for word, and the session is known afterwards', async () => {
  const task = 'Fix "it"\n$(x) `y` \u202e';
  const answer = await typed('untildone:loop', task, (words) => out(`started ${words.length}`));
  expect(answer.decision).toBeUndefined();
  expect(answer.hookSpecificOutput.additionalContext).toContain(`word for word:\n\n${task}`);
  expect(answer.systemMessage).toBe('untildone: started 3');
  expect(readFileSync(join(home, 'sessions/s1.at'), 'utf8')).toBe(`/the project\n${process.ppid}\n`);
});

test('a long task is not sent a second time', async () => {
  const answer = await typed('untildone:loop', 'x'.repeat(20_000), () => out('started'));
  expect(answer.hookSpecificOutput.additionalContext.length).toBeLessThan(1_000);
});

test('a loop that does not begin asks no model', async () => {
  const answer = await typed('untildone:loop', 'Fix it', () => {
    warn('untildone: no');
    process.exitCode = 2;
  });
  expect(answer).toMatchObject({ decision: 'block', reason: 'untildone: no' });
  expect(process.exitCode ?? 0).toBe(0);
});

test('a failure is said, and not thrown', async () => {
  const answer = await typed('untildone:status', '', () => {
    throw new Error('the disk is gone');
  });
  expect(answer).toMatchObject({ decision: 'block', reason: 'untildone: the disk is gone' });
});

test('what only you may do is done when you typed it, and is refused otherwise', async () => {
  const release = () => {
    refuseInsideClient('release', homeAt(home), environment());
    out('released');
  };
  expect(await typed('untildone:release', '', release)).toMatchObject({ reason: 'released' });
  const forged = { ...environment(), AI_AGENT: 'claude-code_2-1-325_agent' };
  expect(await typed('untildone:release', '', release, forged)).toMatchObject({
    decision: 'block',
    reason: expect.stringContaining('is for a person'),
  });
  expect(release).toThrow('is for a person');
});

test('commands of others are left alone', async () => {
  expect(await typed('other:thing', '', () => out('never'))).toBeUndefined();
});
