import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { filesOf, loopFolder } from '../support/chaos/world.ts';
import { loops, ok, refusal, spawnCli, start, stop, useWorld, world } from '../support/cli/cli.ts';

useWorld();

describe('several sessions in one project', () => {
  test('never touch each other', async () => {
    const ids = [await start('s1', 'one'), await start('s2', 'two'), await start('s3', 'three')];
    const third = filesOf(world(), 's3');
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
    expect(filesOf(world(), 's3')).toEqual(third);
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
      {
        status: 'paused',
        iteration: 2,
        waiting: { text: expect.stringMatching(/^paused \(lunch\); go on with: untildone resume /) },
      },
    ]);
    expect(await refusal(['pause'])).toContain('paused already');
    await ok(['resume', id.slice(0, 15)]);
    expect(await refusal(['resume'])).toContain('is not paused');
    expect((await stop('s1'))?.reason).toContain('iteration 3 of 50');
  });
  test.each([
    ['cancel', 'cancelled', 'cancelled by hand: enough'],
    ['release', 'released', 'NOT done: released by hand: enough'],
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
    expect(await ok(['status'])).toMatch(new RegExp(`^${id}  active  iteration 1 of 50`, 'm'));
    await ok(['cancel']);
    expect(await ok(['status'])).toMatch(/ended today \d\d:\d\d \(just now\): cancelled by hand/);
  });
  test('shows a damaged loop as such, and the others all the same', async () => {
    const id = await start('s1', 'x');
    await start('s2', 'y');
    writeFileSync(join(loopFolder(world(), 's1'), 'journal.jsonl'), 'nonsense\n');
    // The copy of its last line still tells where it stands.
    expect(await loops()).toMatchObject([{ session: 's2' }, { id, status: 'active' }]);
    writeFileSync(join(world().home, 'ends', id), 'nonsense\n');
    expect(await loops()).toMatchObject([{ session: 's2' }, { id, status: 'unreadable' }]);
    expect(await ok(['status'])).toContain('UNREADABLE');
  });
  test('of another project is shown with --all, and counted without', async () => {
    await start('s1', 'x');
    const other = join(world().folder, 'elsewhere');
    mkdirSync(join(other, '.git'), { recursive: true });
    await ok(['start', 'y', '--session', 's2'], { cwd: other });
    expect(await loops()).toHaveLength(1);
    expect(await loops('--all')).toHaveLength(2);
    expect(await ok(['status'])).toContain('1 more that have not ended, in other projects');
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
      readFileSync(join(loopFolder(world(), 's1'), 'journal.jsonl'), 'utf8'),
    );
  });
  test('says where the journal was damaged, forged or cut short', async () => {
    await start('s1', 'x');
    const path = join(loopFolder(world(), 's1'), 'journal.jsonl');
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
    expect(seen.at(-1)).toContain('you cancelled it');
  });
  test('--follow of an ended loop ends at once', async () => {
    await start('s1', 'x');
    await ok(['cancel']);
    expect(await ok(['log', '--follow'])).toContain('you cancelled it');
  });
  test('is quiet when its reader has had enough', async () => {
    await start('s1', 'x');
    for (let i = 0; i < 3; i++) await stop('s1', `m${i}`);
    const path = join(loopFolder(world(), 's1'), 'journal.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').repeat(300));
    const child = spawnCli(['log', '--json']);
    let stderr = '';
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on('exit', resolve));
    // The program that began the loop runs in this process, so the one that reads finds no file of it.
    const said = stderr.replace(/^untildone: the hooks run .*\n/, '');
    expect({ code, said }).toEqual({ code: 0, said: '' });
  });
});
