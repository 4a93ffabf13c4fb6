import { spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callHook, filesOf, loopFolder, newWorld, type World } from '../chaos/world.ts';

let world: World;
beforeEach(() => {
  world = newWorld();
});
afterEach(() => rmSync(world.folder, { recursive: true, force: true }));

interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Options {
  input?: string;
  env?: Record<string, string>;
  cwd?: string;
}

function spawnCli(args: string[], { env = {}, cwd = world.project }: Options = {}) {
  const cli = join(world.folder, 'dist', 'untildone.cjs');
  return spawn(process.execPath, [cli, ...args], { cwd, env: { ...world.env, ...env } });
}

function cli(args: string[], options: Options = {}): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawnCli(args, options);
    const result: Result = { code: null, stdout: '', stderr: '' };
    child.stdout.on('data', (data) => {
      result.stdout += data;
    });
    child.stderr.on('data', (data) => {
      result.stderr += data;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...result, code }));
    child.stdin.end(options.input ?? '');
  });
}

async function ok(args: string[], options: Options = {}): Promise<string> {
  const { code, stdout, stderr } = await cli(args, options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Wrong use: exit 2, nothing on stdout, one line on stderr that says what to do. */
async function refusal(args: string[], options: Options = {}): Promise<string> {
  const { code, stdout, stderr } = await cli(args, options);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^untildone: [^\n]+\n$/);
  return stderr;
}

async function start(session: string, ...args: string[]): Promise<string> {
  const said = await ok(['start', '--session', session, ...args]);
  return /^Loop (\S+) started/.exec(said)?.[1] ?? '';
}

interface Status {
  id: string;
  session: string;
  status: string;
  iteration: number;
  [field: string]: unknown;
}

async function loops(...args: string[]): Promise<Status[]> {
  return (JSON.parse(await ok(['status', '--json', ...args])) as { loops: Status[] }).loops;
}

async function stop(session: string, message = 'not yet'): Promise<Record<string, string> | undefined> {
  const event = { hook_event_name: 'Stop', session_id: session, last_assistant_message: message };
  const { code, stdout, stderr } = await callHook(world, JSON.stringify(event)).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout === '' ? undefined : (JSON.parse(stdout) as Record<string, string>);
}

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
    expect(readFileSync(join(loopFolder(world, 's1'), 'task.md'), 'utf8')).toBe(TASKS[name]);
    expect((await stop('s1'))?.reason).toContain(TASKS[name].trim().split('\n')[0]);
    expect(await loops()).toMatchObject([{ max_iterations: 7, status: 'active' }]);
    expect(statSync(join(world.project, 'pwned'), { throwIfNoEntry: false })).toBeUndefined();
  });
  test('a mebibyte of it, from a file and from stdin', async () => {
    const task = 'Zeile für Zeile\n'.repeat(65_536);
    const file = join(world.folder, 'task.txt');
    writeFileSync(file, task);
    await start('s1', '--prompt-file', file);
    await ok(['start', '--session', 's2', '--prompt-file=-'], { input: task });
    for (const session of ['s1', 's2']) {
      const path = join(loopFolder(world, session), 'task.md');
      expect(readFileSync(path, 'utf8')).toBe(task);
      const reason = (await stop(session))?.reason ?? '';
      expect(reason).toContain(`(The whole task is in ${path}: read it.)`);
      expect(reason.length).toBeLessThan(9000);
    }
  });
  test('several words are one task, in their order, whatever flags stand between them', async () => {
    await start('s1', 'fix', '---', 'this', '--promise', '- ALL -', 'now', '--', '--session', 's9');
    expect(readFileSync(join(loopFolder(world, 's1'), 'task.md'), 'utf8')).toBe(
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
      readFileSync(join(loopFolder(world, s), 'contract.json'), 'utf8'),
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
    [['cancel'], /no living loop in this project/],
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
    const journal = readdirSync(world.home, { recursive: true, encoding: 'utf8' }).find((path) =>
      path.endsWith('journal.jsonl'),
    );
    writeFileSync(join(world.home, journal ?? ''), 'damaged\n');
    const { code, stderr } = await cli(['log', '--debug']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/\n {4}at /);
  });
  test('a home that cannot be used is named, with the way out', async () => {
    writeFileSync(join(world.folder, 'file'), '');
    const { code, stderr } = await cli(['status'], { env: { UNTILDONE_HOME: join(world.folder, 'file') } });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^untildone: the folder for untildone's own state cannot be used .*UNTILDONE_HOME.*\n$/,
    );
  });
});

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
    const before = filesOf(world, 's1');
    expect(await refusal(['start', 'second', '--session', 's1'])).toContain(`untildone cancel ${id}`);
    expect(filesOf(world, 's1')).toEqual(before);
    await ok(['cancel', id]);
    await start('s1', 'second');
    expect((await loops()).map((l) => [l.task, l.status])).toEqual([
      ['second', 'active'],
      ['first', 'cancelled'],
    ]);
  });
  test('eight starts at once in a fresh home give eight loops that can all be read', async () => {
    const sessions = Array.from({ length: 8 }, (_, i) => `s${i}`);
    await Promise.all(sessions.map((session) => start(session, `task ${session}`)));
    const found = await loops();
    expect(found.map((l) => l.session).sort()).toEqual(sessions);
    expect(found.every((l) => l.status === 'active')).toBe(true);
  });
  test('eight starts at once of one session give one loop', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => cli(['start', 'x', '--session', 's1'])));
    expect(all.map((r) => r.code).sort()).toEqual([0, 2, 2, 2, 2, 2, 2, 2]);
    expect(await loops()).toHaveLength(1);
  });
});

describe('several sessions in one project', () => {
  test('never touch each other', async () => {
    const ids = [await start('s1', 'one'), await start('s2', 'two'), await start('s3', 'three')];
    const third = filesOf(world, 's3');
    await stop('s1');
    await stop('s1', 'still not');
    await stop('s2');
    await ok(['pause', `${ids[1]}`]);
    expect(await stop('s2')).toBeUndefined();
    expect(await stop('s4')).toBeUndefined();
    expect((await stop('s1', '<promise>DONE</promise>'))?.systemMessage).toContain(ids[0]);
    expect((await loops()).map((l) => [l.session, l.status, l.iteration])).toEqual([
      ['s3', 'active', 1],
      ['s2', 'paused', 2],
      ['s1', 'claimed_done', 3],
    ]);
    expect(filesOf(world, 's3')).toEqual(third);
  });
  test('a command without an id says which loops there are', async () => {
    const ids = [await start('s1', 'one'), await start('s2', 'two')];
    const said = await refusal(['cancel']);
    for (const id of ids) expect(said).toContain(id);
    expect((await loops()).every((l) => l.status === 'active')).toBe(true);
  });
});

describe('pause, resume, cancel, release', () => {
  test('a paused loop lets go and keeps its place', async () => {
    const id = await start('s1', 'x');
    await stop('s1');
    expect(await ok(['pause', '--note', 'lunch'])).toContain(`untildone resume ${id}`);
    expect(await stop('s1')).toBeUndefined();
    expect(await loops()).toMatchObject([
      { status: 'paused', iteration: 2, waiting: { text: 'paused (lunch)' } },
    ]);
    expect(await refusal(['pause'])).toContain('paused already');
    await ok(['resume', id.slice(0, 15)]);
    expect(await refusal(['resume'])).toContain('is not paused');
    expect((await stop('s1'))?.reason).toContain('iteration 3 of 50');
  });
  test.each([
    ['cancel', 'cancelled', 'cancelled by a person: enough'],
    ['release', 'released', 'NOT done: released by a person: enough'],
  ])('%s ends it for good, whatever hook comes later', async (command, status, text) => {
    const id = await start('s1', 'x');
    await stop('s1');
    await ok([command, id, '--note=enough']);
    for (const message of ['not yet', '<promise>DONE</promise>'])
      expect(await stop('s1', message)).toBeUndefined();
    const [loop] = await loops();
    expect(loop).toMatchObject({ status, iteration: 2, ending: { cause: 'person', detail: 'enough', text } });
    for (const again of ['cancel', 'release', 'pause', 'resume']) {
      expect(await refusal([again, id])).toContain('has ended already');
    }
    expect(await loops()).toEqual([loop]);
  });
  test.each(['pause', 'cancel', 'release'])('%s is not for the agent', async (command) => {
    const id = await start('s1', 'x');
    const inside = { env: { CLAUDE_CODE_SESSION_ID: 's1', CLAUDECODE: '1' } };
    expect(await refusal([command, id], inside)).toContain('is for a person');
    expect(await loops()).toMatchObject([{ status: 'active' }]);
  });
  test('resume is: it only holds again', async () => {
    const id = await start('s1', 'x');
    await ok(['pause', id]);
    await ok(['resume', id], { env: { CLAUDE_CODE_SESSION_ID: 's1', CLAUDECODE: '1' } });
    expect(await loops()).toMatchObject([{ status: 'active' }]);
  });
});

describe('status', () => {
  test('--json has the shape that others rely on', async () => {
    expect(await loops()).toEqual([]);
    const id = await start('s1', 'a task\nof two lines');
    await stop('s1');
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const living = {
      id,
      session: 's1',
      status: 'active',
      iteration: 2,
      max_iterations: 50,
      task: 'a task of two lines',
      dialect: 'native',
      started_at: time,
      elapsed_s: expect.any(Number),
      tokens: 0,
      cost_usd: 0,
      waiting: null,
      ending: null,
      gates: [
        expect.objectContaining({
          name: 'promise',
          class: 'claimed',
          verdict: 'fail',
          summary: 'the final message does not state it',
        }),
      ],
    };
    expect(await loops()).toEqual([expect.objectContaining(living)]);
    await stop('s1', '<promise>DONE</promise>');
    const [ended] = await loops();
    expect(ended).toMatchObject({ status: 'claimed_done', ending: { cause: 'claim_only', at: time } });
  });
  test('for people says what is going on, and how it ended', async () => {
    expect(await ok(['status'])).toContain('No loops yet');
    const id = await start('s1', 'x');
    expect(await ok(['status'])).toMatch(new RegExp(`^${id}  active  iteration 1 of 50`));
    await ok(['cancel']);
    expect(await ok(['status'])).toMatch(/ended \S+Z: cancelled by a person/);
  });
  test('shows a damaged loop as such, and the others all the same', async () => {
    const id = await start('s1', 'x');
    await start('s2', 'y');
    writeFileSync(join(loopFolder(world, 's1'), 'journal.jsonl'), 'nonsense\n');
    const found = await loops();
    expect(found).toMatchObject([{ session: 's2' }, { id, status: 'unreadable' }]);
    expect(await ok(['status'])).toContain('UNREADABLE');
  });
  test('of another project is shown with --all, and counted without', async () => {
    await start('s1', 'x');
    const other = join(world.folder, 'elsewhere');
    mkdirSync(join(other, '.git'), { recursive: true });
    await ok(['start', 'y', '--session', 's2'], { cwd: other });
    expect(await loops()).toHaveLength(1);
    expect(await loops('--all')).toHaveLength(2);
    expect(await ok(['status'])).toContain('1 more living in other projects');
  });
});

describe('log', () => {
  test('tells what happened, line by line', async () => {
    await start('s1', 'x');
    await stop('s1');
    await stop('s1', '<promise>DONE</promise>');
    const lines = (await ok(['log'])).split('\n').filter((line) => /#\d/.test(line));
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain('held, iteration 2 begins');
    expect(lines[2]).toContain('ended as claimed_done');
  });
  test('--json gives the lines as they are', async () => {
    await start('s1', 'x');
    await stop('s1');
    expect(await ok(['log', '--json'])).toBe(
      readFileSync(join(loopFolder(world, 's1'), 'journal.jsonl'), 'utf8'),
    );
  });
  test('says where the journal was damaged, forged or cut short', async () => {
    await start('s1', 'x');
    const path = join(loopFolder(world, 's1'), 'journal.jsonl');
    appendFileSync(path, '{"v":1,"forged":true}\n');
    await stop('s1');
    appendFileSync(path, '{"v":1,"seq":9');
    const said = await ok(['log']);
    expect(said).toContain('line 2 is DAMAGED');
    expect(said).toContain('cut short by a crash');
    expect(said).not.toContain('CHAIN BROKEN');
  });
  test('--follow shows what comes and ends when the loop ends', async () => {
    await start('s1', 'x');
    const child = spawnCli(['log', '--follow']);
    const seen: string[] = [];
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const lines = createInterface({ input: child.stdout });
    const nth = (n: number) =>
      new Promise<void>((resolve) => {
        const look = () => seen.filter((line) => /#\d/.test(line)).length >= n && resolve();
        lines.on('line', look);
        look();
      });
    lines.on('line', (line) => seen.push(line));
    await nth(1);
    await stop('s1');
    await nth(2);
    expect(child.exitCode).toBeNull();
    await ok(['cancel']);
    expect(await ended).toBe(0);
    expect(seen.at(-1)).toContain('cancel by a person');
  });
  test('--follow of an ended loop ends at once', async () => {
    await start('s1', 'x');
    await ok(['cancel']);
    expect(await ok(['log', '--follow'])).toContain('cancel by a person');
  });
  test('is quiet when its reader has had enough', async () => {
    await start('s1', 'x');
    for (let i = 0; i < 3; i++) await stop('s1', `m${i}`);
    const path = join(loopFolder(world, 's1'), 'journal.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').repeat(300));
    const child = spawnCli(['log', '--json']);
    let stderr = '';
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on('exit', resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
