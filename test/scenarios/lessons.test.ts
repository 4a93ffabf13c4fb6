import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { loops, ok, refusal, sendEvent, start, stop, useWorld, world } from '../support/cli/cli.ts';
import { initRepository } from '../support/repository.ts';

useWorld();
beforeEach(() => initRepository(world().project));

const LINT = 'grep -q good result.txt || { echo "result.txt:1:1  error  bad word  no-bad-words"; exit 1; }';
const CONTRACT = `gates:\n  lint: { run: '${LINT.replaceAll("'", "''")}' }\n  size: { run: test -s result.txt }\n`;

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
  expect(await ok(['lessons'])).toContain('No lessons now');
  expect(await refusal(['lessons', 'pin', 'L1'])).toContain('there is no lesson "L1"');
});

test('lessons from the start to the drop', async () => {
  // The command of lint is long: the lesson names the file instead.
  write('untildone.yaml', CONTRACT);
  await trust();
  for (const session of ['s1', 's2', 's3']) await heldLoop(session);
  expect((await loops('--ended')).map(({ status }) => status)).toEqual(Array(3).fill('verified_done'));

  const { lessons } = JSON.parse(await ok(['lessons', '--json']));
  expect(lessons).toMatchObject([{ gate: 'lint', rule: 'no-bad-words', pinned: false }]);
  const [{ id, text }] = lessons;
  const told = await sendEvent('t1', 'SessionStart', { source: 'startup', cwd: world().project });
  expect(JSON.stringify(told ?? {})).toContain(text);
  await heldLoop('t1');
  const shown = JSON.parse(await ok(['lessons', 'show', id, '--json']));
  expect(shown.evidence).toHaveLength(4);
  expect(shown.evidence[3].iterations).toEqual([1]);
  expect(await ok(['lessons', 'show', id])).toContain('failed at iteration 1');
  expect(await ok(['lessons', 'pin', id])).toContain(`Pinned ${id}`);
  expect(await ok(['lessons', 'list'])).toContain(`${id} (pinned)`);
  expect(await refusal(['lessons', 'drop', id], { env: { CLAUDECODE: '1' } })).toContain('is for a person');
  await ok(['lessons', 'drop', id]);
  expect(await refusal(['lessons', 'show', id])).toContain('there is no lesson');
});
