import { symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { formatScene } from '../../support/live/formats-scene.ts';
import { startRun } from '../../support/live/run.ts';
import { bash, decisionsOf, journalOf, loopOf, must } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

const LOOPS = '.claude/data/ralph-loops';
const FEATURES = {
  total_features: 2,
  features: [
    { id: 1, description: 'Add a todo', steps: ['Write the route', 'Test it'], passes: false },
    { id: 2, description: 'List todos', passes: false },
  ],
};

async function withList(progress: string, options: Parameters<typeof formatScene>[0] = {}) {
  const scene = await formatScene(options);
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
  const progressAtFirst = '# Progress\n- Max Iterations: 5\n- Iteration: 0\n- Status: IN_PROGRESS\n';
  const scene = await withList(progressAtFirst, { recording: 'Stop/feature-list' });
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

/** As the model does it: with the client's own tool, which asks a person before it changes files in `.claude`. */
const edit = (file: string, before: string, after: string) => ({
  name: 'Edit',
  input: { file_path: file, old_string: before, new_string: after },
});
const read = (file: string) => ({ name: 'Read', input: { file_path: file } });

longTest(
  'left alone, the agent marks its features with Edit where the list usually lies, and nothing else there',
  async () => {
    const scene = await withList('- Max Iterations: 6\n- Iteration: 0\n- Status: IN_PROGRESS\n');
    const list = scene.place(`${LOOPS}/current/feature_list.json`);
    const notes = scene.place(`${LOOPS}/todo/progress.txt`);
    const prompt = scene.place(`${LOOPS}/todo/RALPH_PROMPT.md`);
    const tick = (name: string) =>
      edit(list, `"description": "${name}"`, `"passes": true, "was": false, "description": "${name}"`);
    const turns = [
      { tools: [read(list), read(prompt)] },
      // Nobody has stopped yet: the list is nobody's, and the client says no.
      { tools: [tick('Add a todo')] },
      { text: 'refused' },
      { tools: [edit(prompt, 'Build', 'Do not build')] },
      { tools: [edit(list, '"passes": false\n    },', '"passes": true\n    },')] },
      { tools: [read(notes)] },
      { tools: [edit(notes, 'Status: IN_PROGRESS', 'Status: HALF')] },
      { text: 'one' },
      { tools: [edit(list, '"passes": false', '"passes": true')] },
      { text: 'two' },
    ];
    const run = await scene.runClient({
      prompt: 'go',
      args: ['--permission-mode', 'acceptEdits'],
      script: { turns },
    });
    expect(run.code).toBe(0);
    expect(run.requests).toHaveLength(turns.length);
    expect(JSON.stringify(run.requests[2]?.body)).toContain('permission');
    expect(await scene.read(`${LOOPS}/todo/RALPH_PROMPT.md`)).toBe('Build the todo API.');
    const loop = await loopOf(scene, run.session);
    expect(loop).toMatchObject({ status: 'claimed_done', iteration: 2 });
    const journal = await journalOf(scene, loop.id);
    expect(decisionsOf(journal)).toEqual(['block', 'block', 'claimed_done']);
    const answers = journal.flatMap((e) =>
      e.kind === 'event' && e.event === 'PermissionRequest' ? [e.detail] : [],
    );
    expect(answers).toEqual([
      { tool: 'Edit' },
      ...Array.from({ length: 3 }, () => ({ tool: 'Edit', allowed: 'a file that this loop is kept in' })),
    ]);
  },
);

longTest('a list that an Edit damages holds the session until it is mended', async () => {
  const scene = await withList('- Max Iterations: 6\n- Iteration: 0\n');
  const list = scene.place(`${LOOPS}/todo/feature_list.json`);
  const run = await scene.runClient({
    prompt: 'go',
    args: ['--permission-mode', 'acceptEdits'],
    script: {
      turns: [
        { text: 'looked around' },
        { tools: [read(list)] },
        { tools: [edit(list, '"total_features": 2,', '"total_features": 2')] },
        { text: 'done' },
        { tools: [edit(list, '"total_features": 2', '"total_features": 2,')] },
        { tools: [pass(1)] },
        { tools: [pass(2)] },
        { text: 'done' },
      ],
    },
  });
  expect(JSON.stringify(run.requests[4]?.body)).toContain('line 3, column 3: this is no JSON');
  const loop = await loopOf(scene, run.session);
  expect(loop).toMatchObject({ status: 'claimed_done' });
  expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['block', 'block', 'claimed_done']);
});

longTest('at its limit it lets go, names what is left, and logs it', async () => {
  const scene = await withList('- Max Iterations: 2\n- Iteration: 1\n- Status: IN_PROGRESS\n');
  const run = await scene.runClient({ prompt: 'go', script: { turns: [{ text: 'a' }, { text: 'b' }] } });
  expect(run.requests).toHaveLength(2);
  const loop = await loopOf(scene, run.session);
  expect(loop).toMatchObject({ status: 'reached_limit', iteration: 2 });
  const said = (await journalOf(scene, loop.id)).find((e) => e.kind === 'said');
  expect(said).toMatchObject({ output: { status: 'REACHED_LIMIT', remaining_features: ['1', '2'] } });
  expect(await scene.read(`${LOOPS}/todo/progress.txt`)).toContain('- Status: REACHED_LIMIT');
});

longTest('a list laid out by "features new" holds the next session', async () => {
  const scene = await formatScene();
  await must(scene, ['features', 'new', 'todo api', '--max-iterations', '1']);
  const run = await scene.runClient({ prompt: 'go', script: { turns: [{ text: 'a' }, { text: 'b' }] } });
  expect(JSON.stringify(run.requests[1]?.body)).toContain('CONTINUATION: Ralph Loop iteration 1/1');
  expect(await loopOf(scene, run.session)).toMatchObject({
    dialect: 'feature-list',
    status: 'reached_limit',
  });
});

longTest('a run beside a list serves itself alone, and says how the list is run', async () => {
  const scene = await withList('- Iteration: 0\n');
  const { ended } = startRun(scene, ['say so', '--promise', 'DONE'], {
    turns: [{ text: 'not yet' }, { text: '<promise>DONE</promise>' }],
  });
  const { code, stdout, requests } = await ended;
  expect(code).toBe(0);
  expect(requests).toHaveLength(2);
  expect(requests[1]).not.toContain('CONTINUATION');
  expect(stdout).toContain(
    `To run it: untildone run --prompt-file ${LOOPS}/current/RALPH_PROMPT.md --features ${LOOPS}/current/feature_list.json`,
  );
  expect(stdout.match(/stop held/g)).toHaveLength(1);
  const loops = JSON.parse(await must(scene, ['status', '--json'])).loops as { dialect: string }[];
  expect(loops.filter(({ dialect }) => dialect === 'feature-list')).toEqual([]);
  expect(await scene.read(`${LOOPS}/todo/progress.txt`)).toBe('- Iteration: 0\n');
});

longTest('a run with a list in .claude marks its features with Edit', async () => {
  const scene = await withList('- Iteration: 0\n');
  const list = scene.place(`${LOOPS}/todo/feature_list.json`);
  const file = `${LOOPS}/todo/feature_list.json`;
  const { ended } = startRun(scene, ['build it', '--features', file], {
    turns: [
      { tools: [read(list)] },
      { tools: [edit(list, '"passes": false\n    },', '"passes": true\n    },')] },
      { text: 'one' },
      { tools: [edit(list, '"passes": false', '"passes": true')] },
      { text: 'two' },
    ],
  });
  const { code, stdout } = await ended;
  expect(stdout).not.toContain('does not work on it');
  expect(code).toBe(0);
  expect(JSON.parse(await scene.read(file)).features).toMatchObject([{ passes: true }, { passes: true }]);
});
