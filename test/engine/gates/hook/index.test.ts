import { chmodSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Judgement } from '../../../../src/engine/gates/gate.ts';
import { hookGate } from '../../../../src/engine/gates/hook/index.ts';
import type { Given } from '../../../support/gates/context.ts';
import { makeProject, noAbort, type TestProject } from '../../../support/gates/project.ts';

let project: TestProject;
beforeEach(() => {
  project = makeProject();
});
afterEach(() => project.remove());

function judged(command: string, more: Given = {}): Promise<Judgement> {
  return Promise.resolve(hookGate.judge({ command }, project.context(more), noAbort));
}

/** A hook that ends with this code after saying this. */
function hook(said: { stdout?: string; stderr?: string; exit?: number }): string {
  project.write('stdout', said.stdout ?? '');
  project.write('stderr', said.stderr ?? '');
  return `cat stdout; cat stderr >&2; exit ${said.exit ?? 0}`;
}

const saying = (answer: unknown, exit = 0, stderr = '') =>
  judged(hook({ stdout: JSON.stringify(answer), exit, stderr }));

describe('exit codes', () => {
  test('0 passes, whatever text is printed', async () => {
    expect(await judged(hook({ stdout: 'all is well\n', stderr: 'a warning' }))).toMatchObject({
      outcome: 'pass',
      proof: { exitCode: 0 },
    });
    expect(hookGate.class).toBe('measured');
  });

  test('2 fails with what stands on stderr, and nothing of stdout', async () => {
    const judgement = await judged(
      hook({ stdout: 'noise\n', stderr: 'Tests failed.\n\n  a.test.ts:3\n', exit: 2 }),
    );
    expect(judgement).toMatchObject({
      outcome: 'fail',
      summary: 'Tests failed.',
      evidence: ['  a.test.ts:3'],
      proof: { exitCode: 2 },
    });
  });

  test('2 without a word fails, too', async () => {
    expect(await judged('exit 2')).toMatchObject({
      outcome: 'fail',
      summary: '`exit 2` refuses (exit code 2) and does not say why',
    });
  });

  test.each([1, 3, 126, 127])('%i lets a session go in the client: it proves nothing here', async (exit) => {
    expect(await judged(hook({ stderr: 'Traceback: boom', exit }))).toMatchObject({ outcome: 'unproven' });
  });

  test('a script that is not there or may not be run proves nothing', async () => {
    expect(await judged('./nowhere.sh')).toMatchObject({
      outcome: 'unproven',
      summary: expect.stringContaining('not found'),
    });
    project.write('check.sh', 'exit 2\n');
    chmodSync(`${project.root}/check.sh`, 0o644);
    expect(await judged('./check.sh')).toMatchObject({
      outcome: 'unproven',
      summary: expect.stringContaining('not executable'),
    });
  });

  test('one that takes too long proves nothing', async () => {
    const abort = new AbortController();
    const context = project.context();
    const { shell } = context;
    const running = hookGate.judge(
      { command: 'cat > seen; exec sleep 60' },
      {
        ...context,
        shell: {
          run: (command) => {
            const ended = shell.run(command);
            abort.abort();
            return ended;
          },
        },
      },
      abort.signal,
    );
    expect(await running).toMatchObject({ outcome: 'unproven' });
  });
});

describe('JSON on stdout', () => {
  test('a block fails with its reason', async () => {
    expect(await saying({ decision: 'block', reason: 'Two items are open.\n- one\n- two' })).toMatchObject({
      outcome: 'fail',
      summary: 'Two items are open.',
      evidence: ['- one', '- two'],
    });
  });

  test('a long reason in one line is not lost', async () => {
    const reason = Array.from({ length: 200 }, (_, i) => `word${i}`).join(' ');
    const { summary, evidence = [] } = await saying({ decision: 'block', reason });
    expect([summary, ...evidence].map((line) => line.trim()).join(' ')).toBe(reason);
    expect(Math.max(...evidence.map((line) => line.length))).toBeLessThanOrEqual(281);
  });

  test.each([{ decision: 'approve' }, { decision: null }, {}, { continue: true }, { suppressOutput: true }])(
    '%j passes',
    async (answer) => {
      expect(await saying(answer)).toMatchObject({ outcome: 'pass' });
      expect(await saying(answer)).not.toHaveProperty('letGo');
    },
  );

  test('a block counts whatever the exit code, and before stderr', async () => {
    const answer = { decision: 'block', reason: 'from JSON' };
    expect(await saying(answer, 1)).toMatchObject({ outcome: 'fail', summary: 'from JSON' });
    expect(await saying(answer, 2, 'from stderr')).toMatchObject({ outcome: 'fail', summary: 'from JSON' });
    expect(await saying({ decision: 'block' })).toMatchObject({
      outcome: 'fail',
      summary: 'blocked by the hook',
    });
  });

  test('an approval with exit code 2 fails with stderr', async () => {
    expect(await saying({ decision: 'approve' }, 2, 'from stderr')).toMatchObject({
      outcome: 'fail',
      summary: 'from stderr',
    });
  });

  test('an approval of a script that crashed proves nothing', async () => {
    expect(await saying({ decision: 'approve' }, 1)).toMatchObject({ outcome: 'unproven' });
  });

  test('continue: false asks to let go, whatever else it says', async () => {
    const answer = { continue: false, stopReason: 'The budget is spent', decision: 'block', reason: 'x' };
    expect(await saying(answer)).toMatchObject({ outcome: 'pass', letGo: 'The budget is spent' });
    expect(await saying({ continue: false }, 2)).toMatchObject({
      letGo: expect.stringContaining('asked to end'),
    });
  });

  test('context for the agent means that the work goes on, as in the client', async () => {
    const answer = { hookSpecificOutput: { hookEventName: 'Stop', additionalContext: 'Run the linter.' } };
    expect(await saying(answer)).toMatchObject({ outcome: 'fail', summary: 'Run the linter.' });
  });

  test('a message for the person is kept', async () => {
    expect(await saying({ decision: 'approve', systemMessage: 'checked 3 files' })).toMatchObject({
      outcome: 'pass',
      evidence: ['checked 3 files'],
    });
  });

  test.each(['{"decision": "block", "rea', '{"decision":"deny"}', '{"decision":1}', '{]'])(
    'what cannot be understood proves nothing: %s',
    async (stdout) => {
      expect(await judged(hook({ stdout }))).toMatchObject({ outcome: 'unproven' });
    },
  );

  test('JSON after other text is text, as in the client', async () => {
    const stdout = 'checking\n{"decision":"block","reason":"x"}';
    expect(await judged(hook({ stdout }))).toMatchObject({ outcome: 'pass' });
  });
});

describe('what the command gets', () => {
  async function given(more: Given = {}): Promise<Record<string, unknown>> {
    await judged('cat > given', more);
    return JSON.parse(project.read('given'));
  }

  test('the event of a Stop, in the words of the client', async () => {
    const { root } = project;
    expect(await given({ transcript: '/t.jsonl', lastMessage: 'Done – "really"\n' })).toEqual({
      session_id: 'session-1',
      transcript_path: '/t.jsonl',
      cwd: root,
      permission_mode: 'default',
      hook_event_name: 'Stop',
      stop_hook_active: false,
      last_assistant_message: 'Done – "really"\n',
    });
  });

  test('stop_hook_active is false although the client says that it holds already', async () => {
    const event = {
      name: 'Stop' as const,
      session: 's',
      stopHookActive: true,
      backgroundTasks: [],
      wakeUps: [],
    };
    const seen = await given({
      event: { ...event, cwd: '/elsewhere', permissionMode: 'plan', promptId: 'p' },
    });
    expect(seen).toMatchObject({
      stop_hook_active: false,
      cwd: '/elsewhere',
      permission_mode: 'plan',
      prompt_id: 'p',
    });
  });

  test('the end of a subagent, of a task and of a teammate', async () => {
    const base = { session: 's', agentId: 'a1', agentType: 'reviewer' };
    const stop = { stopHookActive: true, backgroundTasks: [], wakeUps: [] };
    expect(
      await given({ event: { ...base, ...stop, name: 'SubagentStop', agentTranscript: '/a.jsonl' } }),
    ).toMatchObject({
      hook_event_name: 'SubagentStop',
      stop_hook_active: false,
      agent_id: 'a1',
      agent_type: 'reviewer',
      agent_transcript_path: '/a.jsonl',
    });
    expect(
      await given({ event: { session: 's', name: 'TaskCompleted', taskId: '7', subject: 'write it' } }),
    ).toMatchObject({ hook_event_name: 'TaskCompleted', task_id: '7', task_subject: 'write it' });
    expect(
      await given({ event: { session: 's', name: 'TeammateIdle', teammate: 'tom', team: 'red' } }),
    ).toMatchObject({ hook_event_name: 'TeammateIdle', teammate_name: 'tom', team_name: 'red' });
  });

  test('the project and the session in its environment, and the project as its folder', async () => {
    await judged('echo "$CLAUDE_PROJECT_DIR $CLAUDE_CODE_SESSION_ID $PWD" > env', { session: 's7' });
    expect(project.read('env')).toBe(`${project.root} s7 ${project.root}\n`);
  });

  test('a command that reads nothing is no problem', async () => {
    expect(await judged('exec <&-; true', { lastMessage: 'x'.repeat(300_000) })).toMatchObject({
      outcome: 'pass',
    });
  });
});

test.each([
  ['python3 .claude/hooks/check.py', 'python3 .claude/hooks/check.py'],
  ['"$CLAUDE_PROJECT_DIR"/.claude/check.sh', '"."/.claude/check.sh'],
  ['"$' + '{CLAUDE_PROJECT_DIR}/check.sh"', '"./check.sh"'],
])('what is approved for %s can be found in the project', (command, approved) => {
  expect(hookGate.commands?.({ command }, undefined)).toEqual([approved]);
});

describe('at a prompt', () => {
  const at = (command: string) =>
    judged(command, { event: { name: 'UserPromptSubmit', session: 's', prompt: 'look at a.ts' } });
  test('it reads the prompt', async () => {
    expect((await at('grep -q \'"prompt":"look at a.ts"\' && exit 2')).outcome).toBe('fail');
    expect((await at('grep -q \'"hook_event_name":"UserPromptSubmit"\'')).outcome).toBe('pass');
  });
  test('context is no refusal, and ending is one', async () => {
    const context = { hookSpecificOutput: { additionalContext: 'more' } };
    expect(await at(hook({ stdout: JSON.stringify(context) }))).toMatchObject({ outcome: 'pass' });
    const ending = await at(hook({ stdout: '{"continue":false,"stopReason":"not now"}' }));
    expect(ending).toMatchObject({ outcome: 'fail', summary: 'not now' });
    expect(ending.letGo).toBeUndefined();
  });
});
