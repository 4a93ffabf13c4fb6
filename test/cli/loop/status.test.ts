// Tier: world
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { columnsOf } from '../../../src/engine/terminal/text.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { loadProgram, type Program, runCli } from '../../support/in-process.ts';

let program: Program;
beforeAll(async () => {
  program = await loadProgram();
});

let folder: string;
let project: string;
let env: Record<string, string>;

beforeEach(() => {
  folder = realpathSync(temporaryFolder());
  project = join(folder, 'project');
  mkdirSync(join(project, '.claude'), { recursive: true });
  // A program for the hooks to start.
  writeFileSync(join(folder, 'untildone.cjs'), '// the program');
  env = { PATH: process.env.PATH ?? '', HOME: folder, UNTILDONE_HOME: join(folder, 'home'), TZ: 'UTC' };
});

async function run(args: string[], more: Record<string, string> = {}): Promise<string> {
  const command = { line: '', env: { ...env, ...more }, cwd: project, input: '', limitMs: 0 };
  const { stdout, stderr } = await runCli(program, args, command, join(folder, 'untildone.cjs'));
  expect(stderr).toBe('');
  return stdout;
}

const started = () => run(['start', '--session', 's1', '--promise', 'ALL DONE', 'a task']);
const json = async () => JSON.parse(await run(['status', '--json']));
const settings = (name: string, value: unknown) =>
  writeFileSync(join(project, '.claude', name), JSON.stringify(value));

describe('status says in its first line that nobody is held', () => {
  test('where no hooks are installed', async () => {
    await started();
    expect(await run(['status'])).toMatch(
      /^NOBODY IS HELD in this project: no hooks of untildone are installed .*: untildone install\n/,
    );
    expect(await run(['status'])).toMatch(/^ {2}NOT BEING HELD: no hooks of untildone are installed/m);
    const { hooks, loops } = await json();
    expect(hooks).toEqual({ would_run: false, problem: expect.stringContaining('untildone install') });
    expect(loops[0].not_held).toBe(hooks.problem);
  });

  test('where no hooks are installed, and no loop is there either', async () => {
    expect(await run(['status'])).toMatch(/^NOBODY IS HELD in this project: .*\n\nNo loops yet/);
  });

  test('where they are switched off for the next start', async () => {
    await run(['install']);
    await started();
    settings('settings.local.json', { disableAllHooks: true });
    expect(await run(['status'])).toMatch(
      /^NOBODY IS HELD in this project: "disableAllHooks" is true in .*; remove it\n/,
    );
    expect((await json()).hooks.would_run).toBe(false);
  });

  test('where the program is broken', async () => {
    await run(['install']);
    await started();
    writeFileSync(join(folder, 'untildone.cjs'), '');
    const said = await run(['status']);
    expect(said).toMatch(/^NOBODY IS HELD in this project: /);
    expect(said).toMatch(/untildone\.cjs, which the hooks start, is empty/);
  });

  test('but not where only the script is broken, because every command writes that again', async () => {
    await run(['install']);
    await started();
    writeFileSync(join(folder, 'home/hook.sh'), '');
    expect(await run(['status'])).not.toContain('NOBODY IS HELD');
    expect(readFileSync(join(folder, 'home/hook.sh'), 'utf8')).toContain(join(folder, 'untildone.cjs'));
  });

  test('and nothing of it where they would run', async () => {
    await run(['install']);
    await started();
    expect(await run(['status'])).toMatch(/^\S+ {2}active {2}iteration 1 of 50/);
    const { hooks, loops } = await json();
    expect(hooks).toEqual({ would_run: true, problem: null });
    expect(loops[0].not_held).toBeNull();
  });

  test('of a loop in another project, what holds there', async () => {
    await run(['install']);
    await started();
    const other = join(folder, 'other');
    mkdirSync(other);
    const here = project;
    project = other;
    const said = await run(['status', '--all']);
    expect(said).toMatch(/^NOBODY IS HELD in this project/);
    expect(said).toContain(`folder: ${here}`);
    expect(said).not.toContain('NOT BEING HELD');
  });
});

describe('times', () => {
  test('are those of the place, for people; for programs they are in UTC', async () => {
    await run(['install']);
    await started();
    await run(['cancel']);
    const [{ ending }] = (await json()).loops;
    expect(ending.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const clock = (zone: string) =>
      new Date(ending.at).toLocaleTimeString('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
    for (const TZ of ['Asia/Kolkata', 'America/New_York']) {
      expect(await run(['status'], { TZ })).toContain(`ended today ${clock(TZ)} (`);
      const log = await run(['log'], { TZ });
      expect(log).toMatch(new RegExp(`^ ?\\d+ \\w{3} ${clock(TZ)}:\\d\\d {2}#2 {2}you cancelled it`, 'm'));
      expect(log).not.toMatch(/\d{4}-\d\d-\d\dT/);
    }
  });
});

describe('colour', () => {
  const ESC = '\x1b';
  test('is off in a pipe, on when it is forced, and off again by NO_COLOR or --no-color', async () => {
    await started();
    expect(await run(['status'])).not.toContain(ESC);
    expect(await run(['status'], { FORCE_COLOR: '1' })).toContain(
      `${ESC}[31mNOBODY IS HELD in this project:${ESC}[0m`,
    );
    for (const args of [['status'], ['log']]) expect(await run(args, { FORCE_COLOR: '1' })).toContain(ESC);
    expect(await run(['status'], { FORCE_COLOR: '1', NO_COLOR: '1' })).not.toContain(ESC);
    expect(await run(['status', '--no-color'], { FORCE_COLOR: '1' })).not.toContain(ESC);
    expect(await run(['--no-color', 'status'], { FORCE_COLOR: '1' })).not.toContain(ESC);
    expect(await run(['status', '--json'], { FORCE_COLOR: '1' })).not.toContain(ESC);
  });

  test('of an ending that is no success is not that of success', async () => {
    await started();
    await run(['cancel']);
    expect(await run(['status'], { FORCE_COLOR: '1' })).toContain(`${ESC}[33mcancelled${ESC}[0m`);
    expect(await run(['log'], { FORCE_COLOR: '1' })).not.toContain(`${ESC}[32m`);
  });
});

describe('log on a terminal', () => {
  test('breaks long lines at its width, wide characters included, and goes on further in', async () => {
    await run(['start', '--session', 's1', '--promise', 'ALL DONE', '漢字 '.repeat(30)]);
    const [isTTY, columns] = [process.stdout.isTTY, process.stdout.columns];
    Object.assign(process.stdout, { isTTY: true, columns: 70 });
    try {
      const [first = '', second = '', ...rest] = (await run(['log'], { NO_COLOR: '1' }))
        .trimEnd()
        .split('\n');
      for (const line of [first, second, ...rest]) expect(columnsOf(line)).toBeLessThanOrEqual(70);
      expect(first).toMatch(/^ ?\d+ \w{3} \d\d:\d\d:\d\d {2}#1 {2}started for session s1: 漢字/);
      expect(second).toMatch(/^ {21}漢字/);
    } finally {
      Object.assign(process.stdout, { isTTY, columns });
    }
  });
});

test('verify and trust have colours, too, and nothing that is not proven is green', async () => {
  writeFileSync(
    join(project, 'untildone.yaml'),
    'gates: { good: { run: "true" }, bad: { run: "exit 1" } }\n',
  );
  const env = { FORCE_COLOR: '1' };
  const said = await run(['verify'], env);
  expect(said).toContain('\x1b[32mpass    \x1b[0m good');
  expect(said).toContain('\x1b[31mfail    \x1b[0m bad');
  expect(said).toContain('untildone: \x1b[31mNOT done\x1b[0m');
  expect(await run(['verify', '--format', 'github'], env)).not.toContain('\x1b');
  expect(await run(['trust', '--show'], env)).toContain('\x1b[1mThese commands will run');
});

test('status says that a turn ended without a Stop that reached untildone, as text and as JSON', async () => {
  await run(['install']);
  await started();
  const transcripts = join(folder, '.claude/projects/a-project');
  mkdirSync(transcripts, { recursive: true });
  const turnEnd = (at: number) =>
    writeFileSync(
      join(transcripts, 's1.jsonl'),
      `${JSON.stringify({
        type: 'assistant',
        timestamp: new Date(at).toISOString(),
        message: { content: [{ type: 'text', text: 'done' }], stop_reason: 'end_turn' },
      })}\n`,
    );
  turnEnd(Date.now() - 60_000);
  expect((await json()).loops[0].missed_stop).toBeNull();
  // The loop began a moment ago, and a Stop may be on its way for some seconds: this one is of the next hour.
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
  turnEnd(Date.now() - 60_000);
  expect(await run(['status'])).toMatch(
    /^ {2}NOT JUDGED: since .*: a turn of its session ended .*untildone doctor/m,
  );
  expect((await json()).loops[0].missed_stop).toEqual({
    at: new Date(Date.now() - 60_000).toISOString(),
    text: expect.stringContaining('untildone doctor'),
  });
});

test('status says before the first Stop that nobody trusts the contract, and what to do', async () => {
  writeFileSync(join(project, 'untildone.yaml'), 'gates:\n  tests: { run: npm test }\n');
  const command = { line: '', env, cwd: project, input: '', limitMs: 0 };
  await runCli(program, ['start', '--session', 's1', 'a task'], command, join(folder, 'untildone.cjs'));
  expect(await run(['status'])).toMatch(/^ {2}NOT TRUSTED: nobody trusts its contract .*: untildone trust$/m);
  expect((await json()).loops[0].not_trusted).toContain('untildone trust');
  const fingerprint = /Fingerprint: (\w+)/.exec(await run(['trust', '--show']))?.[1] ?? '';
  await run(['trust', '--fingerprint', fingerprint]);
  expect(await run(['status'])).not.toContain('NOT TRUSTED');
  expect((await json()).loops[0].not_trusted).toBeNull();
});
