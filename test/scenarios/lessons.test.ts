import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { cli, loops, ok, refusal, sendEvent, start, stop, useWorld, world } from '../support/cli/cli.ts';
import { initRepository } from '../support/repository.ts';

useWorld();
beforeEach(() => initRepository(world().project));

const LINT = 'grep -q good result.txt || { echo "result.txt:1:1  error  bad word  no-bad-words"; exit 1; }';
const CONTRACT = `gates:\n  lint: { run: '${LINT.replaceAll("'", "''")}' }\n  size: { run: test -s result.txt }\n`;
const STRICT = `${CONTRACT}  long: { run: grep -q 'very good' result.txt }\n  said: { promise: ALL DONE }\n  looked: { approve: Is it good? }\n`;

function write(name: string, text: string): void {
  writeFileSync(join(world().project, name), text);
}

async function trust(): Promise<void> {
  const shown = await ok(['trust', '--show']);
  await ok(['trust', '--fingerprint', /Fingerprint: (\w+)/.exec(shown)?.[1] ?? '']);
}

/** A session that is held once for lint, and mends it. */
async function heldLoop(session: string): Promise<void> {
  write('result.txt', 'bad\n');
  await start(session, 'make it good');
  write('result.txt', `worse ${session}\n`);
  expect((await stop(session))?.decision).toBe('block');
  write('result.txt', `good ${session}\n`);
  await stop(session);
}

test('a project without lessons', async () => {
  expect(await ok(['lessons'])).toContain('No lessons yet');
  expect(await refusal(['lessons', 'pin', 'L1'])).toContain('there is no lesson "L1"');
});

test('lessons from the start to the drop, and a contract that is tried on earlier loops', async () => {
  // The command of lint is long: the lesson names the file instead.
  write('untildone.yaml', CONTRACT);
  write('strict.yaml', STRICT);
  await trust();
  for (const session of ['s1', 's2', 's3']) await heldLoop(session);
  expect((await loops('--ended')).map(({ status }) => status)).toEqual(Array(3).fill('verified_done'));

  const { lessons } = JSON.parse(await ok(['lessons', '--json']));
  expect(lessons).toMatchObject([
    { gate: 'lint', rule: 'no-bad-words', finding: 'too_few', pinned: false, with: { loops: 0 } },
  ]);
  const [{ id, text }] = lessons;
  const told = await sendEvent('t1', 'SessionStart', { source: 'startup', cwd: world().project });
  const context = JSON.stringify(told ?? {});
  // Withheld in one loop of five: the group of this lesson decides which.
  const isTold = context.includes(text.slice(0, 20));
  await heldLoop('t1');
  const shown = JSON.parse(await ok(['lessons', 'show', id, '--json']));
  expect([shown.with.loops, shown.without.loops]).toEqual(isTold ? [1, 0] : [0, 1]);
  expect(await ok(['lessons', 'show', id])).toContain('too few loops to tell');
  expect(await ok(['lessons', 'pin', id])).toContain(`Pinned ${id}`);
  expect(await ok(['lessons', 'list'])).toContain(`${id} (pinned)`);
  expect(await refusal(['lessons', 'drop', id], { env: { CLAUDECODE: '1' } })).toContain('is for a person');
  await ok(['lessons', 'drop', id]);
  expect(await refusal(['lessons', 'show', id])).toContain('there is no lesson');

  await replays();
});

async function replays(): Promise<void> {
  const asked = await cli(['replay', '--contract', 'strict.yaml', '--json']);
  expect(asked).toMatchObject({ code: 2, stdout: '' });
  const fingerprint = /--fingerprint (\w+)/.exec(asked.stderr)?.[1] ?? '';
  expect(asked.stderr).toContain("grep -q 'very good' result.txt");
  const inside = { env: { CLAUDECODE: '1' } };
  const agent = await cli(['replay', '--contract', 'strict.yaml', '--fingerprint', fingerprint], inside);
  expect(agent.stderr).toContain('is for a person');

  const before = scratchFolders();
  write('result.txt', 'what is here now does not matter\n');
  const args = ['replay', '--contract', 'strict.yaml', '--fingerprint', fingerprint];
  const { code, stdout } = await cli([...args, '--json', '--last', '2']);
  expect(code).toBe(0);
  const report = JSON.parse(stdout);
  expect(report.unjudged.map(({ name }: { name: string }) => name)).toEqual(['said', 'looked']);
  expect(report.loops).toHaveLength(2);
  expect(report.loops[0].stops).toMatchObject([
    { iteration: 1, said: { done: false, decision: 'held' }, says: { done: false }, differs: false },
    {
      iteration: 2,
      said: { done: true, decision: 'verified_done' },
      says: { done: false },
      differs: true,
      differences: [{ name: 'long', said: 'absent', says: 'fail' }],
    },
  ]);
  const text = (await cli([...args, '--loop', report.loops[0].loop])).stdout;
  expect(text).toMatch(/2 {2}DIFFERS {2}then done \(verified_done\); now not done/);
  expect(text).toContain('another conclusion at 1 of 2 Stops; 2 trees were judged.');
  expect((await cli([...args, '--most', '1'])).stdout).toContain('left out: 1 trees were judged (--most)');
  // The trusted contract needs no word.
  expect((await cli(['replay', '--contract', 'untildone.yaml', '--last', '1'])).stdout).toContain(
    'another conclusion at 0 of 2 Stops',
  );

  forgetTrees();
  const pruned = await cli([...args, '--last', '1']);
  expect(pruned).toMatchObject({ code: 2 });
  expect(pruned.stdout).toContain('not judged: its tree is not kept any more');
  expect(scratchFolders()).toEqual(before);
  expect(await refusal(['replay', '--contract', 'none.yaml'])).toContain('there is no contract none.yaml');
}

function scratchFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('untildone-replay-'));
}

function forgetTrees(): void {
  const projects = join(world().home, 'projects');
  for (const name of readdirSync(projects)) {
    const trees = join(projects, name, 'shadow.git');
    if (existsSync(trees)) rmSync(trees, { recursive: true });
  }
}
