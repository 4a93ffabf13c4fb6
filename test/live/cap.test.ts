/** The cap of Claude Code: it overrides the ninth hold in a row without a tool call, and that looks like success. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sceneOfTest } from '../support/live/test-scene.ts';
import { BIN, loopOf, must } from '../support/live/untildone.ts';
import { longTest } from '../support/long.ts';

const words = (count: number) => Array.from({ length: count }, (_, i) => ({ text: `only words ${i}` }));

/** A held session, with the cap as Claude Code has it by itself. */
async function held(recorded: Parameters<typeof sceneOfTest>[0] = {}) {
  const scene = await sceneOfTest(recorded);
  await must(scene, ['install']);
  const settings = await readFile(join(scene.project, '.claude/settings.json'), 'utf8');
  expect(settings).not.toContain('BLOCK_CAP');
  const session = randomUUID();
  await must(scene, ['start', 'Make all tests pass', '--promise', 'ALL PASS', '--session', session]);
  const go = (options: Partial<Parameters<typeof scene.runClient>[0]> = {}) =>
    scene.runClient({
      prompt: 'go',
      script: { turns: [...words(14), { text: '<promise>ALL PASS</promise>' }] },
      ...options,
      args: ['--session-id', session, ...(options.args ?? [])],
    });
  return { scene, go };
}

const STALLED = { status: 'stalled', ending: { cause: 'no_tool_call' } };

test('eight holds without a tool call, then the loop ends before Claude Code overrides it', async () => {
  const { scene, go } = await held({ recording: 'Stop/cap' });
  const run = await go();
  expect(run.requests).toHaveLength(9);
  expect(await loopOf(scene)).toMatchObject({ ...STALLED, iteration: 9 });
  expect(run.lines.some((l) => l.key === 'stop-hook-block-cap')).toBe(false);
  const warned = run.requests.filter(({ body }) => JSON.stringify(body).includes('without using a tool'));
  expect(warned).toEqual([run.requests.at(-1)]);
});

longTest.each(['text', 'json'])('in the mode %s, too', async (format) => {
  const { scene, go } = await held();
  expect((await go({ args: ['--output-format', format] })).requests).toHaveLength(9);
  expect(await loopOf(scene)).toMatchObject({ ...STALLED, iteration: 9 });
});

longTest('holds of other hooks count: the loop is resumed after four of them', async () => {
  const { scene, go } = await held();
  await must(scene, ['pause']);
  const count = join(scene.root, 'count');
  const other =
    `echo >> '${count}'; test $(wc -l < '${count}') -ne 4 || '${process.execPath}' '${BIN}' resume > /dev/null; ` +
    `test $(wc -l < '${count}') -gt 4 || echo '{"decision":"block","reason":"another hook"}'`;
  const run = await go({
    settings: { hooks: { Stop: [{ hooks: [{ type: 'command', command: other }] }] } },
  });
  expect(run.requests).toHaveLength(9);
  expect(await loopOf(scene)).toMatchObject(STALLED);
  expect(run.lines.some((l) => l.key === 'stop-hook-block-cap')).toBe(false);
});

longTest.each([
  ['0', 15, { status: 'claimed_done', iteration: 15 }],
  ['-1', 15, { status: 'claimed_done', iteration: 15 }],
  ['3', 4, { ...STALLED, iteration: 4 }],
  ['many', 9, { ...STALLED, iteration: 9 }],
  ['3.7', 4, { ...STALLED, iteration: 4 }],
  ['3x', 4, { ...STALLED, iteration: 4 }],
])('a cap of %s in the environment is respected', async (cap, requests, loop) => {
  const { scene, go } = await held();
  const run = await go({ env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: cap } });
  expect(run.requests).toHaveLength(requests);
  expect(await loopOf(scene)).toMatchObject(loop);
});
