import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contractScene } from '../support/live/contract.ts';
import { waitFor } from '../support/live/processes.ts';
import { bash, journalOf, loopOf, startCall } from '../support/live/untildone.ts';
import { longTest } from '../support/long.ts';

test('a session that is full hands over to one detached run, which goes on to the end', async () => {
  const scene = await contractScene({
    'untildone.yaml': 'gates:\n  piece: { run: test -f piece }\non_context: spawn\n',
    '.gitignore': 'run.txt\n',
  });
  const full = { input_tokens: 165_000 };
  const run = await scene.runClient({
    prompt: 'go',
    model: 'claude-sonnet-4-5',
    script: {
      rules: [
        {
          when: { last: 'Write a hand-over note' },
          turns: [{ text: 'NOTE: only the piece is missing.', usage: full }],
        },
        {
          when: { any: 'You remember nothing of it' },
          turns: [{ tools: [bash('touch piece')] }, { text: 'made it' }],
        },
      ],
      turns: [{ tools: [startCall('Make the piece')] }, { text: 'I am full', usage: full }],
    },
  });
  expect(run.code).toBe(0);
  const begun = await loopOf(scene);
  expect(run.lines.some((l) => JSON.stringify(l).includes('goes on in the background as a run'))).toBe(true);
  const loop = await waitFor(async () => {
    const now = await loopOf(scene);
    return now.status === 'active' ? undefined : now;
  });
  expect(loop).toMatchObject({ id: begun.id, status: 'verified_done' });
  expect(loop.session).not.toBe(run.session);
  const journal = await journalOf(scene, loop.id);
  expect(journal.filter((e) => e.kind === 'run_begun')).toHaveLength(1);
  expect(journal.filter((e) => e.kind === 'intent')).toHaveLength(1);
  // The journal is written before what is told.
  const log = join(
    ...[scene.untildoneHome, 'projects', projectOf(scene.untildoneHome), 'loops', loop.id, 'run.log'],
  );
  await waitFor(() => readFileSync(log, 'utf8').includes('verified'), undefined, 'the run to tell its end');
});

function projectOf(home: string): string {
  const [only] = readdirSync(join(home, 'projects'));
  return only ?? '';
}

longTest(
  'a feature list in a session that is full is handed over, and its files are kept up to date',
  async () => {
    const scene = await contractScene({
      'untildone.yaml': 'gates:\n  piece: { run: test -f piece }\non_context: spawn\n',
      '.gitignore': 'plans\n',
    });
    const folder = join(scene.project, 'plans/todo');
    const loops = join(scene.project, '.claude/data/ralph-loops');
    for (const each of [folder, loops]) mkdirSync(each, { recursive: true });
    symlinkSync('../../../plans/todo', join(loops, 'current'));
    const list = (passes: boolean) => JSON.stringify({ features: [{ id: 1, description: 'Piece', passes }] });
    writeFileSync(join(folder, 'feature_list.json'), list(false));
    writeFileSync(
      join(folder, 'progress.txt'),
      '- Max Iterations: 9\n- Iteration: 0\n- Status: IN_PROGRESS\n',
    );
    const full = { input_tokens: 165_000 };
    const work = `touch piece && echo '${list(true)}' > plans/todo/feature_list.json`;
    const run = await scene.runClient({
      prompt: 'go',
      model: 'claude-sonnet-4-5',
      script: {
        rules: [
          { when: { last: 'Write a hand-over note' }, turns: [{ text: 'NOTE: the piece.', usage: full }] },
          {
            when: { any: 'You remember nothing of it' },
            turns: [{ tools: [bash(work)] }, { text: 'made it' }],
          },
        ],
        turns: [{ text: 'I am full', usage: full }],
      },
    });
    expect(run.code).toBe(0);
    const loop = await waitFor(async () => {
      const now = await loopOf(scene);
      return now.status === 'active' ? undefined : now;
    });
    expect(loop).toMatchObject({ dialect: 'feature-list', status: 'verified_done' });
    expect(loop.session).not.toBe(run.session);
    await waitFor(() => readFileSync(join(folder, 'progress.txt'), 'utf8').includes('- Status: COMPLETE'));
  },
);
