import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type NewTask, newFeatures } from '../../../src/cli/formats/features.ts';
import { addFeaturesCommands } from '../../../src/cli/formats/features-commands.ts';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import { featureListFormat } from '../../../src/engine/formats/feature-list/index.ts';
import type { ForeignLoop } from '../../../src/engine/formats/format.ts';
import { foreignFiles } from '../../../src/engine/project/files.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

let folder: string;
let said: string[];
beforeEach(() => {
  folder = join(temporaryFolder(), 'my project');
  mkdirSync(folder);
  said = [];
});

const loops = (...names: string[]) => join(folder, '.claude/data/ralph-loops', ...names);
const text = (...names: string[]) => readFileSync(loops(...names), 'utf8');
const make = (task: string, changes: Partial<NewTask> = {}) =>
  newFeatures({ task, maxIterations: 15, folder, env: {}, ...changes }, (line) => void said.push(line));

function refusal(act: () => void): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  return 'not refused';
}

function loop(): ForeignLoop {
  const place = { session: 's1', folder, userHome: folder, now: 0 };
  const reading = featureListFormat.read(place, foreignFiles);
  if (reading.kind !== 'loop') throw new Error(`no loop: ${JSON.stringify(reading)}`);
  return reading.loop;
}

describe('a new task', () => {
  test('is a folder that the format reads as a loop, with current leading to it', () => {
    make('Todo API', { maxIterations: 7 });
    expect(readdirSync(loops()).sort()).toEqual(['.gitignore', 'current', 'todo-api']);
    expect(text('.gitignore')).toBe('progress.txt\n');
    expect(readlinkSync(loops('current'))).toBe('todo-api');
    expect(text('todo-api', 'progress.txt')).toBe(
      '# Progress\n\n- Max Iterations: 7\n- Iteration: 0\n- Status: IN_PROGRESS\n\n## Log\n\n',
    );
    const list = JSON.parse(text('todo-api', 'feature_list.json'));
    expect(list).toMatchObject({
      total_features: 2,
      features: [
        { id: 1, passes: false },
        { id: 2, passes: false },
      ],
    });
    expect(loop()).toMatchObject({ iteration: 0, maxIterations: 7, notes: [] });
    expect(loop().rest).toBeUndefined();
    expect(loop().task).toMatch(/^# Todo API\n\nWork through `feature_list.json`/);
  });

  test('says what to do next', () => {
    make('Todo API');
    expect(said).toEqual([
      'Laid out .claude/data/ralph-loops/todo-api, and current leads to it.',
      'Next:',
      '  1. Put your features into .claude/data/ralph-loops/todo-api/feature_list.json in place of the two examples.',
      '  2. Say what is to be built in .claude/data/ralph-loops/todo-api/RALPH_PROMPT.md.',
      '  3. Start Claude Code here: claude "Read .claude/data/ralph-loops/current/RALPH_PROMPT.md and do what it says"',
      'The first session that stops is held until every feature passes, 15 times at most.',
      'Claude Code asks you before it changes files in .claude. For feature_list.json and progress.txt untildone answers, from the',
      'first stop on, where it is installed. In the permission mode dontAsk you are not asked; for that, keep the task elsewhere:',
      expect.stringContaining('mv .claude/data/ralph-loops/todo-api plans/'),
    ]);
  });

  test('typed as it says, it lies outside of .claude, where the client lets an agent write', () => {
    make('Todo API', { maxIterations: 7 });
    execFileSync('/bin/sh', ['-c', said.at(-1) ?? ''], { cwd: folder });
    expect(realpathSync(loops('current'))).toBe(realpathSync(join(folder, 'plans/todo-api')));
    expect(readFileSync(join(folder, 'plans/.gitignore'), 'utf8')).toBe('progress.txt\n');
    expect(loop()).toMatchObject({ iteration: 0, maxIterations: 7, notes: [] });
  });

  test('with a prompt has it, and the rules behind it', () => {
    make('Todo API', { prompt: '\nBuild a todo API.\nIn Go.\n' });
    const prompt = text('todo-api', 'RALPH_PROMPT.md');
    expect(prompt).toMatch(/^# Todo API\n\nBuild a todo API\.\nIn Go\.\n\n## The files beside this one\n/);
    expect(prompt).toContain('## Rules');
    expect(said.join()).not.toContain('Say what is to be built');
  });

  test('where RALPH_LOOP_DIR is set, says that sessions look there', () => {
    make('todo', { env: { RALPH_LOOP_DIR: 'elsewhere' } });
    expect(said.at(-1)).toContain('sessions look at elsewhere and not at current');
  });

  test.each([
    ['Todo API', 'todo-api'],
    ['../../etc/passwd', 'etc-passwd'],
    ['$(rm -rf ~); `x` "y"', 'rm-rf-x-y'],
    ['.hidden', 'hidden'],
    ['--flag', 'flag'],
    ['two\nlines\0and\u001b[31m', 'two-lines-and-31m'],
    ['Über größe ту-до 日本', 'über-größe-ту-до-日本'],
    ['e\u0301te\u0301', 'été'],
    ['\u0301x', 'x'],
    [`${'ab-'.repeat(40)}`, 'ab-'.repeat(20).slice(0, -1)],
    ['日'.repeat(100), '日'.repeat(60)],
  ])('named %j lies in a folder with a safe name', (task, name) => {
    make(task);
    expect(readlinkSync(loops('current'))).toBe(name);
    expect(lstatSync(loops(name)).isDirectory()).toBe(true);
  });
});

describe('what is refused, with what to type instead', () => {
  test.each(['', '  ', '..', '/', '---', '🙂'])('the name %j', (task) => {
    expect(refusal(() => make(task))).toContain('type for example: untildone features new "todo api"');
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(['current', 'Current!'])('the name %j, which is that of the link', (task) => {
    expect(refusal(() => make(task))).toContain(
      '"current" names the task that is worked on; type for example',
    );
  });

  test('a task that is already there keeps every byte, and current stays', () => {
    make('todo');
    make('other');
    writeFileSync(loops('todo', 'progress.txt'), 'mine');
    expect(refusal(() => make('To-Do', { task: 'TODO!' }))).toBe(
      '.claude/data/ralph-loops/todo is already there and is left as it is; give the task another name, ' +
        'or go on with it: ln -sfn todo .claude/data/ralph-loops/current',
    );
    expect(text('todo', 'progress.txt')).toBe('mine');
    expect(readlinkSync(loops('current'))).toBe('other');
  });

  test('a real folder named current is never touched, and nothing else is made', () => {
    mkdirSync(loops('current'), { recursive: true });
    writeFileSync(loops('current', 'progress.txt'), 'mine');
    expect(refusal(() => make('todo'))).toContain(
      `is no link but a folder of yours and is left as it is; move it away, for example: mv '${loops('current')}'`,
    );
    expect(readdirSync(loops())).toEqual(['current']);
    expect(text('current', 'progress.txt')).toBe('mine');
  });

  test('a file in the place of a folder', () => {
    writeFileSync(join(folder, '.claude'), '');
    expect(refusal(() => make('todo'))).toMatch(/cannot be laid out \(E\w+.*\); see who may write there/);
  });
});

describe('current', () => {
  test('that led to another task leads to the new one, and the way back is said', () => {
    make('first');
    make('second');
    expect(readlinkSync(loops('current'))).toBe('second');
    expect(said).toContain(
      'Before, it led to first; back to that: ln -sfn first .claude/data/ralph-loops/current',
    );
    expect(readdirSync(loops()).sort()).toEqual(['.gitignore', 'current', 'first', 'second']);
  });

  test('that leads nowhere is replaced', () => {
    mkdirSync(loops(), { recursive: true });
    symlinkSync("it's gone", loops('current'));
    make('todo');
    expect(readlinkSync(loops('current'))).toBe('todo');
    expect(readdirSync(loops()).sort()).toEqual(['current', 'todo']);
    expect(said[1]).toContain(`ln -sfn 'it'\\''s gone' `);
  });

  test('that cannot be set is said, with the way around it', () => {
    mkdirSync(loops(`current.${process.pid}.new`, 'in the way'), { recursive: true });
    expect(refusal(() => make('todo'))).toMatch(
      /ralph-loops\/todo is laid out, but current cannot lead to it \(EEXIST.*\); start Claude Code with RALPH_LOOP_DIR=\.claude\/data\/ralph-loops\/todo$/,
    );
    expect(readdirSync(loops())).not.toContain('current');
  });
});

describe('on the command line', () => {
  beforeEach(() => {
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
      said.push(String(line).trimEnd());
      return true;
    });
    vi.stubEnv('UNTILDONE_HOME', join(folder, '..', 'home'));
    vi.stubEnv('CLAUDE_CONFIG_DIR', join(folder, '..', 'config'));
    for (const name of ['CLAUDE_PROJECT_DIR', 'CLAUDE_CODE_SESSION_ID', 'RALPH_LOOP_DIR'])
      vi.stubEnv(name, undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  async function run(...args: string[]): Promise<void> {
    const cli = new Command('untildone').exitOverride().configureOutput({ writeErr: () => {} });
    addFeaturesCommands(cli);
    await cli.parseAsync(['node', 'untildone', 'features', ...args]);
  }

  test('unquoted words are one name, and missing hooks are said', async () => {
    await run('new', 'todo', 'api', '--max-iterations=3', '--prompt', 'Build it');
    expect(readlinkSync(loops('current'))).toBe('todo-api');
    expect(loop().maxIterations).toBe(3);
    expect(loop().task).toContain('Build it');
    expect(said.at(-1)).toContain('WARNING: no hooks of untildone are installed for this project');
  });

  test('the prompt comes from a file', async () => {
    writeFileSync(join(folder, 'prompt.md'), 'From a file');
    await run('new', 'todo', '--prompt-file', join(folder, 'prompt.md'));
    expect(loop().task).toContain('From a file');
    expect(loop().maxIterations).toBe(15);
  });

  test.each([
    [['new'], 'the task has no name; type for example'],
    [['new', 'x', '--prompt', 'a', '--prompt-file', 'b'], 'with --prompt or with --prompt-file, not both'],
    [['new', 'x', '--prompt-file', '/nowhere/p.md'], 'cannot read the prompt file'],
    [['new', 'x', '--prompt', '--max-iterations', '3'], 'Its value is missing'],
    [['new', 'x', '--max-iterations', '0'], 'Type a whole number from 1'],
    [['new', 'x', '--max-iterations', 'many'], 'Type a whole number from 1'],
    [['new', 'x', '--max-iteration', '3'], "unknown option '--max-iteration'"],
  ])('%j is refused', async (args, why) => {
    await expect(run(...args)).rejects.toThrow(why);
    expect(readdirSync(folder)).toEqual([]);
  });
});
