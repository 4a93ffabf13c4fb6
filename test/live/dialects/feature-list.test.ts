import { symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bash, decisionsOf, journalOf, loopOf, must } from '../support/untildone.ts';
import { dialectScene } from './scene.ts';

const LOOPS = '.claude/data/ralph-loops';
const FEATURES = {
  total_features: 2,
  features: [
    { id: 1, description: 'Add a todo', steps: ['Write the route', 'Test it'], passes: false },
    { id: 2, description: 'List todos', passes: false },
  ],
};

async function withList(progress: string) {
  const scene = await dialectScene();
  await scene.write(`${LOOPS}/todo/feature_list.json`, FEATURES);
  await scene.write(`${LOOPS}/todo/RALPH_PROMPT.md`, 'Build the todo API.');
  await scene.write(`${LOOPS}/todo/progress.txt`, progress);
  await symlink('todo', scene.place(`${LOOPS}/current`));
  return scene;
}

/** What the agent does when a feature passes. A file beside it and a rename, as an editor writes. */
const pass = (id: number) =>
  bash(
    `node -e 'const f="${LOOPS}/current/feature_list.json",fs=require("fs"),l=JSON.parse(fs.readFileSync(f));` +
      `l.features[${id - 1}].passes=true;fs.writeFileSync(f,JSON.stringify(l))'`,
  );

test('a feature list goes on feature by feature, writes its iterations back, and ends as COMPLETE', async () => {
  const scene = await withList('# Progress\n- Max Iterations: 5\n- Iteration: 0\n- Status: IN_PROGRESS\n');
  const run = await scene.runClient({
    prompt: 'go',
    script: {
      turns: [
        { text: 'looked around' },
        { tools: [pass(1)] },
        { text: 'one' },
        { tools: [pass(2)] },
        { text: 'two' },
      ],
    },
  });
  expect(run.code).toBe(0);
  const asked = run.requests.map((r) => JSON.stringify(r.body));
  expect(asked[1]).toContain('CONTINUATION: Ralph Loop iteration 1/5');
  expect(asked[1]).toContain('NEXT FEATURE (ID 1): Add a todo');
  expect(asked[1]).toContain('Write the route');
  expect(asked[3]).toContain('NEXT FEATURE (ID 2): List todos');
  const loop = await loopOf(scene, run.session);
  expect(loop).toMatchObject({
    dialect: 'feature-list',
    status: 'claimed_done',
    iteration: 2,
    max_iterations: 5,
  });
  const journal = await journalOf(scene, loop.id);
  expect(decisionsOf(journal)).toEqual(['block', 'block', 'claimed_done']);
  expect(journal.find((e) => e.kind === 'said')).toMatchObject({ output: { status: 'COMPLETE' } });
  expect(run.lines.some((l) => JSON.stringify(l).includes('COMPLETE'))).toBe(true);
  const progress = await scene.read(`${LOOPS}/todo/progress.txt`);
  expect(progress).toContain('- Iteration: 2\n- Status: COMPLETE');
});

test('at its limit it lets go, names what is left, and logs it', async () => {
  const scene = await withList('- Max Iterations: 2\n- Iteration: 1\n- Status: IN_PROGRESS\n');
  const run = await scene.runClient({ prompt: 'go', script: { turns: [{ text: 'a' }, { text: 'b' }] } });
  expect(run.requests).toHaveLength(2);
  const loop = await loopOf(scene, run.session);
  expect(loop).toMatchObject({ status: 'reached_limit', iteration: 2 });
  const said = (await journalOf(scene, loop.id)).find((e) => e.kind === 'said');
  expect(said).toMatchObject({ output: { status: 'REACHED_LIMIT', remaining_features: ['1', '2'] } });
  expect(await scene.read(`${LOOPS}/todo/progress.txt`)).toContain('- Status: REACHED_LIMIT');
});

test('a list laid out by "features new" holds the next session', async () => {
  const scene = await dialectScene();
  await must(scene, ['features', 'new', 'todo api', '--max-iterations', '1']);
  const run = await scene.runClient({ prompt: 'go', script: { turns: [{ text: 'a' }, { text: 'b' }] } });
  expect(JSON.stringify(run.requests[1]?.body)).toContain('CONTINUATION: Ralph Loop iteration 1/1');
  expect(await loopOf(scene, run.session)).toMatchObject({
    dialect: 'feature-list',
    status: 'reached_limit',
  });
});
