import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lineFor } from '../../src/cli/statusline.ts';
import { STATUSLINE_LINE } from '../../src/engine/home/statusline-line.ts';
import { temporaryFolder } from '../support/files/workers.ts';
import { loadProgram, type Program, runCli } from '../support/in-process.ts';

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
  mkdirSync(project);
  writeFileSync(join(folder, 'untildone.cjs'), '// the program');
  env = { PATH: process.env.PATH ?? '', HOME: folder };
});

async function run(...args: string[]): Promise<{ code: number; said: string }> {
  const command = { line: '', env, cwd: project, input: '', limitMs: 0 };
  const { exitCode, stdout, stderr } = await runCli(program, args, command, join(folder, 'untildone.cjs'));
  return { code: exitCode ?? -1, said: stdout + stderr };
}

const SENT = {
  session_id: 's1',
  context_window: { total_input_tokens: 420_000, context_window_size: 1_000_000, used_percentage: 42 },
  cost: { total_cost_usd: 0.5 },
};
const line = (sent: unknown, more: Record<string, string> = {}) =>
  lineFor(
    typeof sent === 'string' ? sent : JSON.stringify(sent),
    { ...env, NO_COLOR: '1', ...more },
    Date.now,
  );

describe('the line of a session', () => {
  test('has its loop, and in the home of nobody only what Claude Code sends', async () => {
    expect(line(SENT)).toBe('context 42% · $0.50');
    await run('start', '--session', 's1', '--promise', 'ALL DONE', 'a task');
    expect(line(SENT)).toMatch(/^untildone \w{6} 1\/50.* · context 42% · \$0\.50$/);
    expect(line({ ...SENT, session_id: 's2' })).toBe('context 42% · $0.50');
    await run('cancel');
    expect(line(SENT)).toMatch(/^untildone \w{6} 1\/50 cancelled/);
  });

  test('is in colour unless NO_COLOR is set, and fits into the columns of the terminal', async () => {
    await run('start', '--session', 's1', '--promise', 'ALL DONE', 'a task');
    expect(line(SENT, { NO_COLOR: '' })).toContain('\u001b[');
    expect(line(SENT, { NO_COLOR: '', COLUMNS: '12' })).toBe('1/50');
    expect(line(SENT, { COLUMNS: '3' })).toBe('1/…');
  });

  test.each([
    ['nothing', ''],
    ['no JSON', 'context 42'],
    ['another value', '[1]'],
    ['null', 'null'],
    ['wrong types', '{"session_id":7,"context_window":"full","cost":{"total_cost_usd":"much"}}'],
    ['an odd session', '{"session_id":"../../etc/passwd"}'],
    ['no numbers', '{"context_window":{"used_percentage":null,"context_window_size":0},"cost":null}'],
  ])('is empty for %s', (_, sent) => {
    expect(line(sent)).toBe('');
  });

  test('is computed where Claude Code sends no share', () => {
    const { used_percentage: _, ...context_window } = SENT.context_window;
    expect(line({ context_window })).toBe('context 42%');
  });

  test('is there although the home is damaged', async () => {
    await run('start', '--session', 's1', 'a task');
    writeFileSync(join(folder, '.untildone/key'), 'nonsense');
    expect(line(SENT)).toBe('context 42% · $0.50');
  });
});

describe('install --statusline', () => {
  const settings = () => join(project, '.claude/settings.json');
  const read = () => JSON.parse(readFileSync(settings(), 'utf8'));

  test('adds the line and its script, once, and uninstall takes it out', async () => {
    expect((await run('install', '--statusline')).code).toBe(0);
    expect(read().statusLine).toEqual({ type: 'command', command: STATUSLINE_LINE });
    expect(readFileSync(join(folder, '.untildone/statusline.sh'), 'utf8')).toContain(
      'statusline 2>/dev/null',
    );
    expect((await run('install', '--statusline')).said).toContain('Already installed');
    await run('install');
    expect(read().statusLine).toBeDefined();
    await run('uninstall');
    expect(() => read()).toThrow();
  });

  test('leaves what else is in the settings, also when they were changed since', async () => {
    mkdirSync(join(project, '.claude'));
    writeFileSync(settings(), '{\n  "model": "opus"\n}\n');
    await run('install', '--statusline');
    writeFileSync(settings(), readFileSync(settings(), 'utf8').replace('"opus"', '"sonnet"'));
    await run('uninstall');
    expect(readFileSync(settings(), 'utf8')).toBe('{\n  "model": "sonnet"\n}\n');
  });

  test.each([
    ['the user', '.claude/settings.json'],
    ['the project', 'project/.claude/settings.json'],
    ['this machine', 'project/.claude/settings.local.json'],
  ])('refuses where %s has a status line, changes nothing, and says how to show both', async (_, name) => {
    const path = join(folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    const own = '{"statusLine":{"type":"command","command":"~/mine.sh"}}';
    writeFileSync(path, own);
    const { code, said } = await run('install', '--statusline');
    expect(code).toBe(2);
    expect(said).toContain(
      `${path} has a status line of yours (~/mine.sh), which stays; nothing was changed`,
    );
    expect(said).toContain('| untildone statusline');
    expect(readFileSync(path, 'utf8')).toBe(own);
    rmSync(path);
    expect((await run('install', '--statusline')).code).toBe(0);
  });
});
