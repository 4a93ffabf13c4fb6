import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HOOK_LINE, hookLine } from '../../src/engine/home/hook-line.ts';
import { LINE_SESSION, type LineEnd, type LineWorld, lineWorld } from '../support/chaos/line-world.ts';
import { few } from '../support/long.ts';

let at: LineWorld;
let bare: string;
beforeAll(() => {
  // Nothing is the same twice: that would be a stall.
  at = lineWorld('cat work; false\n');
  bare = `'${process.execPath}' '${join(at.world.folder, 'dist/untildone.cjs')}' hook`;
});
afterAll(() => at.close());
let works = 0;
beforeEach(() => {
  at.write('work', `work ${'abcdefghijklmnopqrstuvwxyz'.at(works++)}\n`);
  at.run({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } });
  rmSync(join(at.world.home, 'counts'), { recursive: true, force: true });
  for (const kind of ['.cut', '.unheld']) rmSync(at.beside(kind), { force: true });
});

const iteration = () => JSON.parse(at.cli('status', '--json')).loops[0].iteration as number;
const lastEvent = () => at.cli('log', '--json').trimEnd().split('\n').at(-1) ?? '';
const blocks = ({ stdout }: LineEnd) => stdout.includes('"decision":"block"');
const stopText = (fields = {}) =>
  JSON.stringify({
    session_id: LINE_SESSION,
    hook_event_name: 'Stop',
    last_assistant_message: `said ${performance.now()}`,
    ...fields,
  });

/** As Claude Code runs a command of its Bash tool; `$0` is the command. */
const inToolCall = (command: string, session = LINE_SESSION) => ({
  line: `CLAUDE_CODE_SESSION_ID=${session} exec sh -c ': /.claude/shell-snapshots/snapshot.sh; eval "$0"; :' "$LINE"`,
  env: { LINE: command },
});

describe.runIf(process.platform === 'linux')('the shell of a tool call stands above', () => {
  const WAYS: [string, () => string][] = [
    ['the command', () => bare],
    ['the installed line', () => HOOK_LINE],
    [
      'the command without its variables',
      () => `env -u CLAUDE_CODE_SESSION_ID -u CLAUDE_PROJECT_DIR ${bare}`,
    ],
    ['a shell in a session of its own', () => `setsid -w sh -c "${bare}"`],
  ];
  test.each(few(WAYS, 3))('%s: the Stop is held, journaled, neither judged nor counted', (_, command) => {
    const before = iteration();
    for (const _ of [1, 2]) {
      const end = at.give(stopText(), inToolCall(command()));
      expect({ status: end.status, blocks: blocks(end) }).toEqual({ status: 0, blocks: true });
      expect(lastEvent()).toContain('inside of a tool call');
    }
    expect(iteration()).toBe(before);
    expect(blocks(at.stop())).toBe(true);
    expect(iteration()).toBe(before + 1);
  });

  test('four of them use up nothing: the Stop of Claude Code is judged', () => {
    const before = iteration();
    const ends = [1, 2, 3, 4].map(() => at.give(stopText(), inToolCall(bare)));
    expect(ends.map(blocks)).toEqual([true, true, true, false]);
    expect(ends[3]?.stdout).toContain('nothing is proven');
    expect(blocks(at.stop())).toBe(true);
    expect(iteration()).toBe(before + 1);
  });

  test('in a session without a loop: none of its holds of this prompt is used up', () => {
    const own = lineWorld('false\n');
    const command = `'${process.execPath}' '${join(own.world.folder, 'dist/untildone.cjs')}' hook`;
    const gates = '  tests: { run: exec sh test/all.sh, work: [test/all.sh] }\n';
    own.cli('cancel');
    own.write('untildone.yaml', `gates:\n${gates}every_stop: { gates: [tests], blocks: 2 }\n`);
    own.cli('trust', '--fingerprint', /Fingerprint: (\w+)/.exec(own.cli('trust', '--show'))?.[1] ?? '');
    own.run({ hook_event_name: 'SessionStart', source: 'startup' }, { line: hookLine('SessionStart') });
    own.write('work', 'other\n');
    const stop = stopText({ prompt_id: 'p1' });
    expect([1, 2, 3].map(() => blocks(own.give(stop, inToolCall(command))))).toEqual([true, true, true]);
    expect([1, 2, 3].map(() => blocks(own.give(stop)))).toEqual([true, true, false]);
    own.close();
  });

  test('the end of the session and a prompt are made up: no answer, and nothing but their names is kept', () => {
    for (const name of ['SessionEnd', 'UserPromptSubmit', 'StopFailure', 'SubagentStop'] as const) {
      const text = stopText({ hook_event_name: name, reason: 'other', prompt: 'x' });
      expect(at.give(text, inToolCall(hookLine(name))).stdout).toBe('');
      expect(lastEvent()).toMatch(new RegExp(`"event":"MadeUpEvent".*"made":"${name}"`));
    }
    expect(JSON.parse(at.cli('status', '--json')).loops[0]).toMatchObject({ status: 'active' });
  });

  test('a start of the session that is made up does not move its project', () => {
    const record = join(at.world.home, 'sessions', `${LINE_SESSION}.at`);
    writeFileSync(record, `${at.world.project}\n${process.pid}\n`);
    const line = `AI_AGENT=claude-code_agent CLAUDE_PROJECT_DIR=/tmp; export AI_AGENT CLAUDE_PROJECT_DIR; ${hookLine('SessionStart')}`;
    at.give(stopText({ hook_event_name: 'SessionStart', source: 'startup' }), { line });
    expect(readFileSync(record, 'utf8')).toBe(`${at.world.project}\n${process.pid}\n`);
    rmSync(record);
  });

  test('of another session: that is where Claude Code itself runs, and its Stop is judged', () => {
    const before = iteration();
    const { line, env } = inToolCall(`CLAUDE_CODE_SESSION_ID=${LINE_SESSION} ${bare}`, 'other');
    expect(blocks(at.give(stopText(), { line, env }))).toBe(true);
    expect(iteration()).toBe(before + 1);
  });
});

test('a Stop that names another transcript than the session began with is held, and not counted', () => {
  const given = (fields: object) => at.give(stopText(fields), { line: bare });
  const path = join(at.world.folder, 't.jsonl');
  writeFileSync(path, '');
  given({ hook_event_name: 'SessionStart', source: 'startup', transcript_path: path });
  const before = iteration();
  expect(given({ transcript_path: '/tmp/other.jsonl' }).stdout).toContain('another transcript');
  expect(given({}).stdout).toContain('another transcript');
  given({ hook_event_name: 'SessionStart', source: 'resume', transcript_path: '/tmp/other.jsonl' });
  expect(given({ transcript_path: '/tmp/other.jsonl' }).stdout).toContain('another transcript');
  expect(iteration()).toBe(before);
  expect(blocks(given({ transcript_path: path }))).toBe(true);
  expect(iteration()).toBe(before + 1);
  for (const name of readdirSync(join(at.world.home, 'sessions')))
    if (name.endsWith('.transcript')) rmSync(join(at.world.home, 'sessions', name));
});

describe('what comes on stdin is no event', () => {
  const INPUTS: [string, () => string | Uint8Array][] = [
    ['nothing', () => ''],
    ['cut JSON', () => stopText().slice(0, 60)],
    ['no session', () => JSON.stringify({ hook_event_name: 'Stop' })],
    ['a session that is a number', () => JSON.stringify({ hook_event_name: 'Stop', session_id: 5 })],
    ['no name of an event', () => JSON.stringify({ session_id: LINE_SESSION })],
    ['a name in small letters', () => stopText({ hook_event_name: 'stop' })],
    ['a list', () => '[]'],
    ['a word', () => '"Stop"'],
    ['bytes that are no UTF-8', () => Buffer.from([0xff, 0xfe, 0x7b, 0x80])],
    ['more than the limit', () => `{"a":"${'x'.repeat(33 * 1024 * 1024)}"}`],
  ];
  test.each(INPUTS)('%s: a Stop of the session in the environment is held', (_, input) => {
    const before = iteration();
    expect(blocks(at.give(input()))).toBe(true);
    expect(blocks(at.give(input(), { line: bare }))).toBe(true);
    expect(iteration()).toBe(before);
  });

  test('again and again: the session may stop, and you are told; a Stop that is answered begins anew', () => {
    const ends = [1, 2, 3].map(() => at.give(''));
    expect(ends.map(blocks)).toEqual([true, true, false]);
    expect(ends[2]?.stdout).toContain('"systemMessage"');
    expect(blocks(at.stop())).toBe(true);
    expect(blocks(at.give(''))).toBe(true);
    const alone = [1, 2, 3, 4].map(() => at.give('', { line: bare }));
    expect(alone.map(blocks)).toEqual([true, true, true, false]);
    expect(alone[3]?.stdout).toContain('nothing is proven');
  });

  test.each([
    ['another session is in the environment', { CLAUDE_CODE_SESSION_ID: 'other' }],
    ['no session is in the environment', { CLAUDE_CODE_SESSION_ID: '' }],
  ])('%s: silence, as long as nothing tells more', (_, env) => {
    expect(at.give('', { line: bare, env })).toMatchObject({ status: 0, stdout: '' });
  });

  test('another event is told once, and refuses nothing', () => {
    const line = hookLine('PreToolUse');
    expect(at.give('{', { line }).stdout).toContain('"systemMessage"');
    expect(at.give('{', { line })).toMatchObject({ status: 0, stdout: '' });
    expect(at.give('{"hook_event_name":"PreToolUse"', { line: bare }).stdout).toBe('');
  });

  test('stdin stays open: the event is answered when it is whole; with nothing on it the wait ends', async () => {
    const open = async (input: string, line: string) => {
      const child = spawn('/bin/sh', ['-c', line], {
        cwd: at.world.project,
        env: { ...at.world.env, CLAUDE_CODE_SESSION_ID: LINE_SESSION, CLAUDE_PROJECT_DIR: at.world.project },
      });
      let stdout = '';
      child.stdout.on('data', (data) => (stdout += data));
      child.stdin.write(input);
      const status = await new Promise((done) => child.on('close', done));
      child.stdin.destroy();
      return { status, stdout };
    };
    const before = iteration();
    const whole = await open(stopText(), HOOK_LINE);
    expect(whole).toMatchObject({ status: 0, stdout: expect.stringContaining('"decision":"block"') });
    expect(iteration()).toBe(before + 1);
    const [line, command] = await Promise.all([open('{', HOOK_LINE), open('{', bare)]);
    for (const { stdout } of [line, command]) expect(stdout).toContain('"decision":"block"');
    expect(iteration()).toBe(before + 1);
  });
});

test('counts of the temporary folder that were made ahead let nobody go: those of the home count', () => {
  const folder = join(at.world.folder, 'temporary');
  const own = join(folder, `untildone-${process.getuid?.() ?? 'counts'}`);
  mkdirSync(own, { recursive: true });
  chmodSync(own, 0o700);
  const env = { TMPDIR: folder };
  expect(blocks(at.give('', { line: bare, env }))).toBe(true);
  expect(readdirSync(own)).toEqual([]);
  expect(readdirSync(join(at.world.home, 'counts'))).toHaveLength(1);
});
