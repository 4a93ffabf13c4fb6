import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { visible } from '../../src/engine/core/text/visible.ts';
import { filesOf, loopFolder } from '../support/chaos/world.ts';
import { asProcesses, cli, loops, ok, refusal, start, stop, useWorld, world } from '../support/cli/cli.ts';
import { isLong } from '../support/long.ts';

useWorld();

describe('a task may hold anything', () => {
  const TASKS = {
    'line breaks': 'one\ntwo\r\nthree\n\n',
    quotes: `it's "quoted" \`code\` \\ back`,
    'front matter': '---\nname: x\nmax_iterations: 5\n---\nbody',
    'a shell substitution': '$(touch pwned) `touch pwned` ; touch pwned & $HOME %s',
    YAML: 'task: x\ngates:\n  - a: &b [*b]\n',
    'a list': '- [ ] first\n- [x] second',
    'dashes in front': '--- so far',
    'something like a flag': '--dry run it and see',
    'any Unicode': 'Grüße 😀 \u202e 中文 \u0000'.replace('\u0000', ''),
    'a promise': 'say <promise>DONE</promise> when done',
  };
  test.each(Object.keys(TASKS) as (keyof typeof TASKS)[])('%s', async (name) => {
    await start('s1', TASKS[name], '--max-iterations', '7');
    expect(readFileSync(join(loopFolder(world(), 's1'), 'task.md'), 'utf8')).toBe(TASKS[name]);
    expect((await stop('s1'))?.reason).toContain(visible(TASKS[name].trim().split('\n')[0] ?? ''));
    expect(await loops()).toMatchObject([{ max_iterations: 7, status: 'active' }]);
    expect(statSync(join(world().project, 'pwned'), { throwIfNoEntry: false })).toBeUndefined();
  });
  test('a mebibyte of it, from a file and from stdin', async () => {
    asProcesses();
    const task = 'Zeile für Zeile\n'.repeat(65_536);
    const file = join(world().folder, 'task.txt');
    writeFileSync(file, task);
    await start('s1', '--prompt-file', file);
    await ok(['start', '--session', 's2', '--prompt-file=-'], { input: task });
    for (const session of ['s1', 's2']) {
      const path = join(loopFolder(world(), session), 'task.md');
      expect(readFileSync(path, 'utf8')).toBe(task);
      const reason = (await stop(session))?.reason ?? '';
      expect(reason).toContain(`(The whole task is in ${path}: read it.)`);
      expect(reason.length).toBeLessThan(9000);
    }
  });
  test('several words are one task, in their order, whatever flags stand between them', async () => {
    await start('s1', 'fix', '---', 'this', '--promise', '- ALL -', 'now', '--', '--session', 's9');
    expect(readFileSync(join(loopFolder(world(), 's1'), 'task.md'), 'utf8')).toBe(
      'fix --- this now --session s9',
    );
    expect((await stop('s1'))?.reason).toContain('<promise>- ALL -</promise>');
  });
});

describe('flags', () => {
  test('with = and with a space mean the same', async () => {
    await ok([
      'start',
      'x',
      '--session=s1',
      '--promise=ALL DONE',
      '--max-iterations=3',
      '--max-duration=1h30m',
    ]);
    await ok([
      'start',
      'x',
      '--session',
      's2',
      '--promise',
      'ALL DONE',
      '--max-iterations',
      '3',
      '--max-duration',
      '90m',
    ]);
    const contracts = ['s1', 's2'].map((s) =>
      readFileSync(join(loopFolder(world(), s), 'contract.json'), 'utf8'),
    );
    expect(contracts[0]).toBe(contracts[1]);
  });
  test('"unlimited" is a limit that is asked for by its word', async () => {
    const said = await ok([
      'start',
      'x',
      '--session',
      's1',
      '--max-iterations',
      'unlimited',
      '--max-duration',
      'unlimited',
    ]);
    expect(said).toContain('no limit of iterations, no time limit');
    expect(await loops()).toMatchObject([{ max_iterations: null }]);
  });
  test.each([
    [['start', 'x', '--session', 's1', '--max-iterations', '-3'], /whole number from 1/],
    [['start', 'x', '--session', 's1', '--max-iterations=-3'], /whole number from 1/],
    [['start', 'x', '--session', 's1', '--max-iterations', '0'], /whole number from 1/],
    [['start', 'x', '--session', 's1', '--max-iterations', '1.5'], /whole number from 1/],
    [['start', 'x', '--session', 's1', '--max-iterations', '1e3'], /whole number from 1/],
    [['start', 'x', '--session', 's1', '--max-iterations', 'many'], /whole number from 1/],
    [['start', 'x', '--session', 's1', '--max-iterations', ''], /whole number from 1/],
    [['start', 'x', '--session', 's1', '--max-duration', '8'], /time like 8h/],
    [['start', 'x', '--session', 's1', '--max-duration', '-8h'], /time like 8h/],
    [['start', 'x', '--session', 's1', '--max-duration', '0s'], /time like 8h/],
    [['start', 'x', '--session', 's1', '--max-iterations'], /--max-iterations <n>.*missing/],
    [['start', 'x', '--session', 's1', '--promise'], /--promise <text>.*missing/],
    [['start', 'x', '--session', 's1', '--promise', '--max-iterations', '5'], /--promise <text>.*missing/],
    [['start', 'x', '--session', '--promise', 'X'], /--session <id>.*missing/],
    [['start', 'x', '--session', 's1', '--promise', ''], /--promise "ALL TESTS PASS"/],
    [['start', 'x', '--session', 's1', '--promise', '<promise>X</promise>'], /without <promise>/],
    [['start', 'x', '--session', 's1', '--promise', 'y'.repeat(501)], /short statement/],
    [['start', 'x', '--session', 's1', '--promise', '\u0085'], /plain words/],
    [['start', 'x', '--session', 's1', '--promis', 'X'], /unknown option '--promis'.*--promise/],
    [['start', 'x', '--session', 's1', '-x'], /unknown option '-x'/],
    [['start', 'x', '--session', '../s1'], /not a session id/],
    [['start', 'x', '--session', ''], /--session ID/],
    [['start', 'x'], /--session ID/],
    [['start', '--session', 's1'], /the task is empty; type what is to be done/],
    [['start', ' \n', '--session', 's1'], /the task is empty; type what is to be done/],
    [['start', '--session', 's1', '--prompt-file', 'missing.md'], /cannot read the prompt file.*ENOENT/],
    [['start', 'x', '--session', 's1', '--prompt-file', '-'], /not both/],
    [['start', '--session', 's1', '--prompt-file', '.'], /cannot read the prompt file/],
    [['cancel', 'nothing'], /no loop "nothing"; see: untildone status/],
    [['cancel', ''], /loop id is empty/],
    [['cancel'], /no unfinished loop in this project/],
    [['cancel', 'a', 'b'], /too many arguments/],
    [['log'], /no loop in this project yet/],
    [['log', 'nothing'], /no loop "nothing"/],
    [['status', '--nope'], /unknown option '--nope'/],
    [['statuss'], /unknown command 'statuss'.*status/],
  ])('%j is refused in one line', async (args, expected) => {
    expect(await refusal(args)).toMatch(expected);
    expect(await loops()).toEqual([]);
  });
  test('--debug shows where an error of ours came from', async () => {
    await ok(['start', 'x', '--session', 's1']);
    const files = readdirSync(world().home, { recursive: true, encoding: 'utf8' });
    const journals = files.filter((path) => path.endsWith('journal.jsonl') || path.startsWith('ends/'));
    for (const path of journals) writeFileSync(join(world().home, path), 'damaged\n');
    const { code, stderr } = await cli(['log', '--debug']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/\n {4}at /);
  });
  test('a home that cannot be used is named, with the way out', async () => {
    writeFileSync(join(world().folder, 'file'), '');
    const { code, stderr } = await cli(['status'], { env: { UNTILDONE_HOME: join(world().folder, 'file') } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^untildone: the home of untildone cannot be used .*UNTILDONE_HOME.*\n$/);
  });
});

const AT_ONCE = isLong ? 8 : 4;

describe('who owns a loop', () => {
  test('the session it is started in', async () => {
    await ok(['start', 'x'], { env: { CLAUDE_CODE_SESSION_ID: 'inside', CLAUDECODE: '1' } });
    expect(await loops()).toMatchObject([{ session: 'inside' }]);
  });
  test('from inside a session no other one', async () => {
    const inside = { env: { CLAUDE_CODE_SESSION_ID: 'inside', CLAUDECODE: '1' } };
    expect(await refusal(['start', 'x', '--session', 'other'], inside)).toContain('is for a person');
  });
  test('one living loop a session: a second start is refused, and changes nothing', async () => {
    const id = await start('s1', 'first');
    const before = filesOf(world(), 's1');
    expect(await refusal(['start', 'second', '--session', 's1'])).toContain(`untildone cancel ${id}`);
    expect(filesOf(world(), 's1')).toEqual(before);
    await ok(['cancel', id]);
    await start('s1', 'second');
    expect((await loops()).map((l) => [l.task, l.status])).toEqual([
      ['second', 'active'],
      ['first', 'cancelled'],
    ]);
  });
  test(`${AT_ONCE} starts at once in a fresh home give as many loops, which can all be read`, async () => {
    asProcesses();
    const sessions = Array.from({ length: AT_ONCE }, (_, i) => `s${i}`);
    await Promise.all(sessions.map((session) => start(session, `task ${session}`)));
    const found = await loops();
    expect(found.map((l) => l.session).sort()).toEqual(sessions);
    expect(found.every((l) => l.status === 'active')).toBe(true);
  });
  test(`${AT_ONCE} starts at once of one session give one loop`, async () => {
    asProcesses();
    const all = await Promise.all(
      Array.from({ length: AT_ONCE }, () => cli(['start', 'x', '--session', 's1'])),
    );
    expect(all.map((r) => r.code).sort()).toEqual([0, ...Array(AT_ONCE - 1).fill(2)]);
    expect(await loops()).toHaveLength(1);
  });
});
