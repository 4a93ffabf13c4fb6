// Tier: world
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseScenario } from '../../../src/dev/conformance/parse.ts';
import {
  type HookUnderTest,
  type Outcome,
  probe,
  replay,
  UnusableHook,
} from '../../../src/dev/conformance/replay.ts';
import { permissionsCount, runCommand } from '../../../src/dev/conformance/run-command.ts';
import { FORMATS, type Format } from '../../../src/dev/conformance/scenario.ts';
import { cutOff, PATIENCE } from '../../support/patience.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-replay-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A hook of a few shell lines, run in the scratch project with the event on stdin. */
function script(...lines: string[]): string {
  const path = join(folder, 'hook.sh');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return `sh '${path}'`;
}

const LOCK = '.claude/runtime/locks/.lock_active';
const HOLDS_ON_LOCK = [
  `cat >"${'$'}{SEEN:-/dev/null}"`,
  `[ -f ${LOCK} ] && echo '{"decision":"block","reason":"go on"}'`,
];

function hookOf(
  line: string,
  reads: Partial<HookUnderTest['reads']> = { lock: ['.lock_active'] },
): HookUnderTest {
  return {
    line,
    isUntildone: false,
    reads: { 'ralph-loop': [], 'feature-list': [], 'verified-done': [], lock: [], ...reads },
  };
}

function play(
  text: string[],
  line: string,
  format: Format = 'lock',
  reads?: Partial<HookUnderTest['reads']>,
  patience = PATIENCE,
): Promise<Outcome> {
  const scenario = parseScenario('one', ['A title', `applies to: ${format}`, ...text].join('\n'));
  return replay(scenario, format, hookOf(line, reads), {
    untildone: [],
    permissionsCount: permissionsCount(),
    patience,
  });
}

function worlds(): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('untildone-conformance-'));
}

const GIVEN = 'given a loop of S1';

describe('replaying a scenario', () => {
  test('a hook that does what it says passes, and nothing is left behind', async () => {
    const steps = [
      GIVEN,
      'stop S1',
      '  held',
      '  reason contains "go on"',
      '  state unchanged',
      'stop S1 finished',
      '  let go',
    ];
    expect(await play(steps, script(...HOLDS_ON_LOCK))).toEqual({ kind: 'passed' });
    expect(worlds()).toEqual([]);
  });

  test('the first difference is told with its line', async () => {
    const steps = [GIVEN, 'stop S1', '  held', '  state unchanged', 'stop S1', '  let go'];
    const outcome = await play(
      steps,
      script('cat >/dev/null', `rm ${LOCK}`, 'echo "not today" >&2', 'exit 2'),
    );
    expect(outcome).toEqual({
      kind: 'failed',
      line: 6,
      step: 'stop S1',
      difference: `project/${LOCK} was changed: it is gone`,
    });
  });

  test('a hook that hangs is ended, with everything it started', async () => {
    const steps = [GIVEN, 'stop S1', '  within 1s', '  held'];
    const pid = join(folder, 'pid');
    const line = script(`sleep 600 & echo $! >'${pid}'`, 'wait');
    const hangs = (ms: number) => play(steps, line, 'lock', undefined, ms / 1000);
    const outcome = await cutOff(500, hangs, () => existsSync(pid) && readFileSync(pid, 'utf8') !== '');
    const difference = expect.stringMatching(/^no answer within [\d.]+ s$/);
    expect(outcome).toMatchObject({ kind: 'failed', difference });
    const status = `/proc/${readFileSync(pid, 'utf8').trim()}/stat`;
    expect(!existsSync(status) || / Z /.test(readFileSync(status, 'utf8'))).toBe(true);
  });

  test('the hook gets what the client sends, in a clean environment', async () => {
    const seen = join(folder, 'seen');
    const line = script(`{ cat; echo; env; pwd; } >'${seen}'`);
    await play(
      [
        GIVEN,
        'stop S1 says "Half of it."',
        '  with background shell b1',
        '  with cwd project/sub',
        '  let go',
        '-- project/sub/x --',
      ],
      line,
    );
    const [input = '', ...rest] = readFileSync(seen, 'utf8').split('\n');
    const event = JSON.parse(input) as Record<string, unknown>;
    expect(event).toMatchObject({
      hook_event_name: 'Stop',
      stop_hook_active: false,
      last_assistant_message: 'Half of it.',
      permission_mode: 'default',
      background_tasks: [{ id: 'b1', type: 'shell', status: 'running' }],
      session_crons: [],
    });
    const names = rest.filter((l) => l.includes('=')).map((l) => l.split('=')[0] ?? '');
    expect(names).toEqual(
      expect.arrayContaining(['PATH', 'HOME', 'CLAUDE_PROJECT_DIR', 'CLAUDE_PID', 'UNTILDONE_HOME']),
    );
    expect(names.filter((name) => /^(ANTHROPIC|npm|VITEST|NODE_)/.test(name))).toEqual([]);
    expect(rest).toContain(`CLAUDE_CODE_SESSION_ID=${event.session_id}`);
    expect(rest).toContain(event.cwd);
    expect(String(event.cwd)).toMatch(/\/project\/sub$/);
  });

  test('stop_hook_active is true after a block, until the next prompt', async () => {
    const seen = join(folder, 'seen');
    const line = script(`{ cat; echo; } >>'${seen}'`, 'exit 2');
    await play([GIVEN, 'stop S1', 'stop S1', 'stop S2', 'prompt S1 "Go on."', 'stop S1', '  held'], line);
    const active = readFileSync(seen, 'utf8')
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l).stop_hook_active);
    expect(active).toEqual([false, true, false, false]);
  });

  test('the transcript holds what the client writes, and the payload what it sends for an empty answer', async () => {
    const seen = join(folder, 'seen');
    const kept = join(folder, 'kept');
    const line = script(
      `i=$(cat)`,
      `printf '%s\\n' "$i" >>'${seen}'`,
      `cp "$(printf '%s' "$i" | sed 's/.*"transcript_path":"\\([^"]*\\)".*/\\1/')" '${kept}'`,
      'exit 2',
    );
    await play([GIVEN, 'stop S1 says "One."', 'stop S1 says nothing', '  held'], line);
    const lines = readFileSync(kept, 'utf8')
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l));
    expect(lines.map((l) => l.type)).toEqual(['user', 'assistant', 'user', 'attachment', 'assistant']);
    expect(lines[1].message.content).toEqual([{ type: 'text', text: 'One.' }]);
    expect(lines[2]).toMatchObject({
      isMeta: true,
      message: { content: 'Stop hook feedback:\nNo stderr output' },
    });
    const messages = readFileSync(seen, 'utf8')
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l).last_assistant_message);
    expect(messages).toEqual(['One.', 'One.']);
  });

  test('"until let go" stops as often as it takes, and no more', async () => {
    const count = join(folder, 'count');
    const line = script(
      'cat >/dev/null',
      `echo x >>'${count}'`,
      `[ "$(wc -l <'${count}')" -lt 4 ] && exit 2`,
      'exit 0',
    );
    expect(await play([GIVEN, 'stop S1, up to 9 times until let go', '  let go'], line)).toEqual({
      kind: 'passed',
    });
    expect(readFileSync(count, 'utf8')).toBe('x\n'.repeat(4));
  });

  test('on a full disk no file grows, and permission bits count for everybody', async () => {
    const full = script('cat >/dev/null', `echo more >>${LOCK} || exit 2`);
    const steps = [GIVEN, 'stop S1', '  with a full disk', '  held', '  state unchanged'];
    expect(await play(steps, full)).toEqual({ kind: 'passed' });
    const closed = script('cat >/dev/null', `cat ${LOCK} || exit 2`);
    const unreadable = [GIVEN, 'make state unreadable', 'stop S1', '  held', '  state unchanged'];
    expect(await play(unreadable, closed)).toMatchObject({
      kind: permissionsCount() ? 'passed' : 'not_applicable',
    });
  });
});

describe('what is not asked of a foreign hook', () => {
  const idle = () => script('cat >/dev/null');

  test.each([
    [
      "untildone's own commands",
      ['run untildone status', '  exit 0', 'stop S1', '  let go'],
      "it is about untildone's own commands",
    ],
    [
      'a scenario of which nothing is left',
      ['[untildone] stop S1', '  held'],
      'it asks nothing of other hooks',
    ],
    ['only our words', ['stop S1', '  message contains "x"'], 'it asks nothing of other hooks'],
  ])('%s', async (_, steps, why) => {
    expect(await play(steps, idle())).toEqual({ kind: 'not_applicable', why });
  });

  test('a file of the format that it does not read', async () => {
    const steps = ['stop S1', '  held', '-- home/.ralph/state/{S1}/loop.json --', '{}'];
    const reads = { 'verified-done': ['orchestrator.json'] };
    expect(await play(steps, idle(), 'verified-done', reads)).toEqual({
      kind: 'not_applicable',
      why: 'the hook does not read loop.json',
    });
  });

  test('other events: a Stop hook was not registered for them', async () => {
    const count = join(folder, 'count');
    const line = script('cat >/dev/null', `echo x >>'${count}'`);
    await play(
      [
        'session-start S1',
        'prompt S1 "Go."',
        'tool S1',
        'stop-failure S1 rate_limit',
        'stop S1',
        '  let go',
        'session-end S1',
      ],
      line,
    );
    expect(readFileSync(count, 'utf8')).toBe('x\n');
  });
});

describe('probing', () => {
  test('finds the formats that a hook reads', async () => {
    const hook = await probe(script(...HOLDS_ON_LOCK), FORMATS, { patience: PATIENCE });
    expect(hook).toMatchObject({ isUntildone: false, reads: { 'ralph-loop': [], lock: ['.lock_active'] } });
  });

  test.each([
    ['a command that does not exist', 'no-such-hook-anywhere', 'the command was not found'],
    ['a file without a run bit', '/dev/null', 'the command cannot be run'],
    [
      'a hook that holds nothing',
      'cat >/dev/null; echo "no loop" >&2',
      'was shown an open loop and held none, in lock',
    ],
  ])('refuses %s', async (_, line, problem) => {
    const refused = probe(line, ['lock'], { patience: PATIENCE });
    await expect(refused).rejects.toThrow(UnusableHook);
    await expect(refused).rejects.toThrow(problem);
  });
});

const onLinux = test.runIf(process.platform === 'linux');

onLinux('a command that ended in time did, however late this process hears of it', async () => {
  const pid = join(folder, 'pid');
  const limitMs = 200;
  const began = performance.now();
  const env = { PATH: process.env.PATH ?? '' };
  const running = runCommand({ line: `echo $$ >'${pid}'; exit 7`, cwd: folder, env, input: '', limitMs });
  // This process hears of nothing before the command has ended and its time is over.
  while (!hasEnded(pid) || performance.now() - began < 2 * limitMs);
  expect(await running).toMatchObject({ exitCode: 7, timedOut: false });
});

function hasEnded(pidFile: string): boolean {
  const pid = existsSync(pidFile) ? readFileSync(pidFile, 'utf8').trim() : '';
  return pid !== '' && / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

test('an interrupted command is ended at once', async () => {
  const controller = new AbortController();
  const running = runCommand({
    line: 'echo started; sleep 600',
    cwd: folder,
    env: { PATH: process.env.PATH ?? '' },
    input: '',
    limitMs: 60_000,
    signal: controller.signal,
  });
  controller.abort();
  expect(await running).toMatchObject({ timedOut: true });
});
