import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { addStateCommands } from '../../../src/cli/formats/state-commands.ts';
import { content, file, home, useStateFiles } from '../../support/cli/state-files.ts';

useStateFiles();

describe('on the command line', () => {
  let printed: string;
  beforeEach(() => {
    printed = '';
    vi.stubEnv('HOME', home());
    vi.stubEnv('UNTILDONE_HOME', join(home(), 'untildone'));
    vi.stubEnv('CLAUDE_CONFIG_DIR', join(home(), 'claude'));
    vi.stubEnv('CLAUDE_PROJECT_DIR', home());
    vi.stubEnv('CLAUDE_CODE_SESSION_ID', 's1');
    for (const name of ['CLAUDECODE', 'CLAUDE_PID']) vi.stubEnv(name, undefined);
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      printed += String(chunk);
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  const run = async (...args: string[]) => {
    const cli = new Command('untildone').exitOverride().configureOutput({ writeErr: () => {} });
    addStateCommands(cli);
    const silent = (command: Command): void => {
      command.exitOverride().configureOutput({ writeErr: () => {} });
      command.commands.forEach(silent);
    };
    silent(cli);
    await cli.parseAsync(['node', 'untildone', 'state', ...args]);
  };

  test('the session may be named, be -, or be left out', async () => {
    await run('init', 's2', 'loop', 'fix', 'all', 'types', '--max-iterations', '5');
    expect(JSON.parse(readFileSync(file('loop', 's2'), 'utf8'))).toMatchObject({
      session_id: 's2',
      task: 'fix all types',
      max_iterations: 5,
    });
    await run('init', '-', 'orchestrator', 'build it', '--complexity=8');
    expect(content('orchestrator')).toMatchObject({ session_id: 's1', task: 'build it', complexity: 8 });
    await run('init', 'loop', 'short');
    expect(content('loop').task).toBe('short');
    await run('set', 'loop', 'iteration=4');
    await run('set', '-', 'loop.json', 'validation_result=failed');
    await run('set', 's1', 'loop', 'last_error=x y');
    expect(content('loop')).toMatchObject({ iteration: 4, validation_result: 'failed', last_error: 'x y' });
    await run('complete', 'loop');
    expect([content('loop').verified_done, content('orchestrator').verified_done]).toEqual([true, false]);
    await run('complete');
    expect(content('orchestrator').verified_done).toBe(true);
    await run('complete', 's2', 'loop');
    printed = '';
    await run('show', 's2', '--json');
    expect(JSON.parse(printed)).toMatchObject({ session: 's2', loop: { verified_done: true } });
  });

  test('a session that is called like a file can be named', async () => {
    await run('init', 'loop', 'loop', 'odd');
    expect(existsSync(file('loop', 'loop'))).toBe(true);
  });

  test('a task that begins with dashes is a task; a misspelt option is none', async () => {
    await run('init', 's1', 'loop', '- [ ] write it', '--max-iterations', '5');
    expect(content('loop')).toMatchObject({ task: '- [ ] write it', max_iterations: 5 });
    await expect(run('init', 's1', 'loop', 'x', '--forse')).rejects.toThrow('unknown option --forse');
  });

  test('init says that nothing is held without hooks', async () => {
    await run('init', 's1', 'loop', 'x');
    expect(printed).toContain('WARNING: no hooks of untildone are installed');
  });

  test.each<[string[], RegExp]>([
    [['init', 's1', 'feature', 'x'], /type loop or orchestrator, not "feature"/],
    [['init', 's1'], /type loop or orchestrator$/],
    [['init', 's1', 'loop'], /the task is empty/],
    [['init', 's1', 'loop', 'x', '--max-iterations', '0'], /whole number from 1/],
    [['init', 's1', 'orchestrator', 'x', '--complexity', '11'], /from 1 to 10/],
    [['init', '../s1', 'loop', 'x'], /is not a session id/],
    [['set', 's1', 'nonsense', 'a=1'], /is no file of the state/],
    [['complete', 's1', 'nonsense'], /type loop or orchestrator/],
    [['show', 'a/b'], /is not a session id/],
  ])('%j is wrong use', async (args, words) => {
    await expect(run(...args)).rejects.toThrow(words);
    expect(existsSync(join(home(), '.ralph'))).toBe(false);
  });

  test('without a session anywhere it says so', async () => {
    vi.stubEnv('CLAUDE_CODE_SESSION_ID', undefined);
    await expect(run('show')).rejects.toThrow('no session: name one, or run this inside Claude Code');
  });
});
